import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { createOrganizationMatcher } from '../../../operator/domain/definition/built-in-definitions.ts'
import { buildGraph } from '../../../operator/domain/graph/build-graph.ts'
import { formatDescriptor } from '../../../operator/domain/resource/descriptor.ts'
import { catalogue } from '../../../operator/drivers/catalogue.ts'
import { definition, set } from '../../support/builders.ts'
import { graphInput } from '../../support/graphs.ts'

const own = definition('mine', 'workload', { driverType: 'quartermaster/echo' })
const web = (spec: FreeForm = {}, more: FreeForm = {}) => ({
  ...more,
  spec: { containers: { main: { image: 'web:1' } }, ...spec },
})
const service = { ports: { http: { service_port: 80 } } }
const naming = (workload: string, more: FreeForm = { service }) =>
  web({ annotations: { other: `\${modules.${workload}.service.name}` }, ...more })
/** A module whose objects are unknown. */
const bare = { spec: { anything: 1 } }

function graphOf(modules: Record<string, FreeForm>, definitions = [] as (typeof own)[]) {
  const matcher = createOrganizationMatcher(definitions)
  return buildGraph({
    ...graphInput(set(modules), definitions),
    matcher,
    catalogue,
    vendors: ['quartermaster', 'humanitec'],
  })
}
const config = definition('cfg', 'config', { driverInputs: { values: { service } } })
const problemsOf = (modules: Record<string, FreeForm>) =>
  graphOf(modules, [config]).problems.map(({ object, reason, message }) => `${object} ${reason} ${message}`)
const dependenciesOf = (modules: Record<string, FreeForm>, workload: string) => {
  const { nodes } = graphOf(modules)
  const node = nodes.find(({ descriptor }) => descriptor.resourceId === `modules.${workload}`)
  const names = new Map(nodes.map(({ guResId, descriptor }) => [guResId, descriptor.resourceId]))
  return node?.dependsOn.map((each) => names.get(each)).sort()
}

describe('the definition of a workload', () => {
  test.each<[rule: string, module: FreeForm, definitions: (typeof own)[], expected: string]>([
    ['a module with an image has the built-in one', web(), [], 'default--workload'],
    ['a definition of the user ranks above it', web(), [own], 'mine'],
    ['a module without containers has it too', { spec: {} }, [], 'default--workload'],
    [
      'and so has one whose containers have no image yet',
      { spec: { containers: { main: {} } } },
      [],
      'default--workload',
    ],
    ['a definition of the user applies to both', { spec: {} }, [own], 'mine'],
  ])('%s', (_, module, definitions, expected) => {
    const [node] = graphOf({ web: module }, definitions).nodes
    expect(node?.match?.definition.metadata.name).toBe(expected)
  })
})

describe('problems of modules are problems of the graph', () => {
  test.each<[rule: string, modules: Record<string, FreeForm>, expected: string[]]>([
    [
      'an unknown field',
      { web: web({ volume: {} }) },
      [
        "workload.default#modules.web InvalidModule '/spec/volume': is no field of a module; did you mean 'volumes'?",
      ],
    ],
    [
      'an unknown field beside containers without images',
      { web: { spec: { containers: { main: { imgae: 'web:1' } } } } },
      [
        "workload.default#modules.web InvalidModule '/spec/containers/main/imgae': is no field of a module; did you mean 'image'?",
      ],
    ],
    [
      'misspelt containers',
      { web: { spec: { container: { main: { image: 'web:1' } } } } },
      [
        "workload.default#modules.web InvalidModule '/spec' has the unknown field 'container'; did you mean 'containers'?",
      ],
    ],
    ['nothing about a module without containers', { web: { spec: { anything: 1 } } }, []],
    ['nothing about an empty field beside the spec', { web: web({}, { labels: {} }) }, []],
    [
      'containers beside the spec',
      { web: { containers: { main: { image: 'web:1' } } } },
      ["workload.default#modules.web InvalidModule '/containers': belongs into '/spec'"],
    ],
    [
      'a misspelt field beside the spec',
      { web: web({}, { external: { db: { type: 'postgres' } }, externals: {} }) },
      [
        "workload.default#modules.web InvalidModule the module has the unknown field 'external'; did you mean 'externals'?",
      ],
    ],
    [
      'a misspelt field of a dependency',
      { web: web({}, { externals: { cfg: { type: 'config', parms: { a: 1 } } } }) },
      [
        "modules.web.externals.cfg InvalidDependency externals 'cfg' of workload 'web' has the unknown field 'parms'; did you mean 'params'?",
      ],
    ],
    [
      'nothing about fields of other orchestrators',
      { web: web({}, { version: 1, externals: { cfg: { type: 'config', origin: 'x', params: null } } }) },
      [],
    ],
    [
      'a list of containers',
      { web: { spec: { containers: [{ name: 'main', image: 'web:1' }] } } },
      ["workload.default#modules.web InvalidModule '/spec/containers': must be an object, not a list"],
    ],
    [
      'CronJobs of one name',
      {
        a: { ...web({ schedules: { 'b-c': { schedule: '@daily' } } }), profile: 'humanitec/default-cronjob' },
        'a-b': { ...web({ schedules: { c: { schedule: '@daily' } } }), profile: 'humanitec/default-cronjob' },
      },
      [
        "workload.default#modules.a-b ConflictingNames '/spec/schedules/c': the CronJob 'a-b-c' belongs to 'workload.default#modules.a'",
      ],
    ],
    [
      'Services that name each other',
      { a: naming('b'), b: naming('c'), c: naming('a') },
      [
        'workload.default#modules.a Cycle workloads name the Services of each other: workload.default#modules.a -> workload.default#modules.b -> workload.default#modules.c -> workload.default#modules.a',
      ],
    ],
    ['nothing about the own Service', { a: naming('a'), b: naming('a') }, []],
    [
      'a Service of a workload without ports',
      { a: naming('b'), b: web() },
      [
        "workload.default#modules.a ServiceNotFound 'modules.b.service.name' at '/annotations/other': workload 'b' has no Service, because its module has no '/spec/service/ports'",
      ],
    ],
    ['nothing about the own name without ports', { a: naming('a', {}) }, []],
    [
      'nothing about a Service whose section is not known yet',
      {
        a: naming('b', {}),
        b: { ...web({ service: '${externals.cfg.service}' }), externals: { cfg: { type: 'config' } } },
      },
      [],
    ],
    [
      'an unfit section of a Service only once',
      { a: naming('b', {}), b: web({ service: 1 }) },
      ["workload.default#modules.b InvalidModule '/spec/service': must be an object, not 1"],
    ],
    ['nothing about the name of a workload whose module is not rendered', { a: naming('b'), b: bare }, []],
  ])('%s', (_, modules, expected) => {
    expect(problemsOf(modules)).toEqual(expected)
  })
})

describe('what a module names', () => {
  const externals = { data: { type: 'volume' } }
  const mounting = (id: unknown) => ({
    externals,
    spec: { containers: { main: { volume_mounts: { '/data': { id } } } } },
  })
  const annotated = (text: string) => ({ externals, spec: { annotations: { a: text } } })
  const volume = definition('volume', 'volume', { driverInputs: { values: { size: 1 } } })

  test.each<[rule: string, module: FreeForm, expected: readonly string[]]>([
    ['a dependency as a volume', mounting('externals.data'), ['externals.data']],
    ['a volume that is no dependency', mounting('my.shared.data'), []],
    ['a volume without an id', mounting(7), []],
    ['a dependency in a text', annotated('${externals.data.size}'), ['externals.data']],
    ['a dependency as a whole', annotated('${externals.data}'), ['externals.data']],
  ])('%s', (_, module, expected) => {
    const { nodes, problems } = graphOf({ web: module }, [own, volume])
    expect(problems).toEqual([])
    const web = nodes.find(({ descriptor }) => descriptor.type === 'workload')
    expect(Object.keys(web?.references ?? {})).toEqual(expected)
  })

  test.each([
    '${externals.data',
    '${modules.web.service.port}',
    '${modules.web.pod.name}',
    '${modules.web.service.name.x}',
    '${context.res.id}',
  ])('that cannot be is a problem of the workload: %s', (text) => {
    const { problems } = graphOf({ web: annotated(text) }, [own, volume])
    expect(problems).toMatchObject([{ object: 'workload.default#modules.web', reason: 'InvalidPlaceholder' }])
  })
})

test('workloads are deployed in the order of their field `deploy.when`', () => {
  const modules = {
    migrate: web({}, { deploy: { when: 'before' } }),
    api: web(),
    web: web({}, { deploy: { when: 'deploy' } }),
    check: web({}, { deploy: { when: 'after' } }),
  }
  expect(dependenciesOf(modules, 'migrate')).toEqual([])
  expect(dependenciesOf(modules, 'api')).toEqual(['modules.migrate'])
  expect(dependenciesOf(modules, 'web')).toEqual(['modules.migrate'])
  expect(dependenciesOf(modules, 'check')).toEqual(['modules.api', 'modules.migrate', 'modules.web'])
  expect(
    formatDescriptor(graphOf(modules).nodes[0]?.descriptor ?? { type: '', class: '', resourceId: '' }),
  ).toContain('migrate')
})
