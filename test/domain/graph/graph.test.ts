import { describe, expect, test } from '@jest/globals'
import type { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import type { SetContent } from '../../../operator/domain/delta/delta.ts'
import { buildGraph } from '../../../operator/domain/graph/build-graph.ts'
import { guResId } from '../../../operator/domain/resource/identity.ts'
import { catalogue } from '../../../operator/drivers/catalogue.ts'
import { context, definition, module, set } from '../../support/builders.ts'
import { edges, graphInput, graphOf, problems, references, resources } from '../../support/graphs.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { stepsOf } from '../../support/steps.ts'

function reading(
  name: string,
  type: string,
  values: FreeForm,
  spec: Partial<ResourceDefinition['spec']> = {},
) {
  return definition(name, type, { driverInputs: { values }, ...spec })
}

const s3 = definition('s3', 's3')
const postgres = definition('postgres', 'postgres')
const need = (type: string, rest: FreeForm = {}) => ({ type, ...rest })

describe('nodes from the deployment set', () => {
  test.each<[string, SetContent, ResourceDefinition[], string[]]>([
    [
      'a private dependency',
      set({ w: module({ db: need('postgres') }) }),
      [postgres],
      ['postgres.default#modules.w.externals.db'],
    ],
    ['a shared dependency', set({}, { files: need('s3') }), [s3], ['s3.default#shared.files']],
    [
      'an explicit id has precedence over the key of a shared dependency',
      set({}, { 'files-class-admin': need('s3', { class: 'default', id: 'shared.files' }) }),
      [s3],
      ['s3.default#shared.files'],
    ],
    [
      'a dependency with an id is shared, also when a workload declares it',
      set({ w: module({ files: need('s3', { id: 'files' }) }) }, { files: need('s3') }),
      [s3],
      ['s3.default#shared.files'],
    ],
    [
      'two workloads may each have a dependency of the same name',
      set({ a: module({ x: need('s3') }), b: module({ x: need('postgres') }) }),
      [s3, postgres],
      ['postgres.default#modules.b.externals.x', 's3.default#modules.a.externals.x'],
    ],
    [
      'implicit resources where a definition matches',
      set(),
      [
        definition('ns', 'k8s-namespace'),
        definition('cluster', 'k8s-cluster', { criteria: [{ envType: 'production' }] }),
      ],
      ['k8s-namespace.default#k8s-namespace'],
    ],
    [
      'a workload where a definition matches',
      set({ w: module() }),
      [definition('w', 'workload')],
      ['workload.default#modules.w'],
    ],
    ['no workload resource otherwise', set({ w: module() }), [], []],
    [
      'the class of the type of an entry that was written by hand',
      set({}, { files: need('s3.admin') }),
      [definition('s3', 's3', { criteria: [{ class: 'admin' }] })],
      ['s3.admin#shared.files'],
    ],
  ])('%s', (_, content, definitions, expected) => {
    const graph = graphOf(content, ...definitions)
    expect(graph.problems).toEqual([])
    expect(resources(graph)).toEqual(expected)
  })

  test('a node knows its GUResID, its definition and why it won', () => {
    const [node] = graphOf(set({}, { files: need('s3') }), s3).nodes
    expect(node?.guResId).toBe(
      guResId(context(), { type: 's3', class: 'default', resourceId: 'shared.files' }),
    )
    expect(node?.match?.definition).toBe(s3)
    expect(node?.match?.explanation).toContain("'s3'")
  })
})

describe('override types', () => {
  const override = definition('acme-s3', 'acme/s3')
  test('a simple name is expanded while a definition of the override exists', () => {
    const graph = graphOf(set({ w: module({ x: need('s3') }) }, { y: need('s3') }), s3, override)
    expect(resources(graph)).toEqual(['acme/s3.default#modules.w.externals.x', 'acme/s3.default#shared.y'])
  })

  test('definitions of the built-in type are ignored, even when they fit', () => {
    const elsewhere = definition('acme-s3', 'acme/s3', { criteria: [{ appId: 'other' }] })
    const graph = graphOf(set({}, { y: need('s3') }), s3, elsewhere)
    expect(problems(graph)).toEqual(['NoMatchingDefinition acme/s3.default#shared.y'])
    expect(graph.problems[0]?.message).toContain("needs app_id 'other'")
  })

  test('references and implicit resources name the type exactly', () => {
    const dns = reading('dns', 'dns', { a: '${resources.s3.outputs.x}' })
    const graph = graphOf(
      set({}, { d: need('dns') }),
      dns,
      s3,
      override,
      definition('ns', 'k8s-namespace'),
      definition('o', 'acme/k8s-namespace'),
    )
    expect(resources(graph)).toEqual([
      's3.default#shared.d',
      'dns.default#shared.d',
      'k8s-namespace.default#k8s-namespace',
    ])
  })

  test('a qualified name is taken as it is', () => {
    expect(resources(graphOf(set({}, { y: need('acme/s3') }), override))).toEqual([
      'acme/s3.default#shared.y',
    ])
  })

  test('a new type is found by its simple name too', () => {
    expect(resources(graphOf(set({}, { y: need('queue') }), definition('q', 'acme/queue')))).toEqual([
      'acme/queue.default#shared.y',
    ])
  })

  test("the prefix of another organization's type is not known", () => {
    expect(problems(graphOf(set({}, { y: need('globex/s3') })))).toEqual([
      'TypeNotFound globex/s3.default#shared.y',
    ])
  })
})

describe('edges of workloads', () => {
  const workload = definition('workload', 'workload')
  test.each<[string, FreeForm, string[]]>([
    ['a shared dependency that the workload does not name: none', {}, []],
    [
      'a shared dependency named in a value',
      { containers: { c: { variables: { A: 'x-${shared.files.bucket}' } } } },
      ['s3.default#shared.files'],
    ],
    [
      '… in a key',
      { containers: { c: { files: { '/x/${shared.files.bucket}': {} } } } },
      ['s3.default#shared.files'],
    ],
    [
      '… as a volume',
      { containers: { c: { volume_mounts: { '/x': { id: 'shared.files' } } } } },
      ['s3.default#shared.files'],
    ],
    [
      '… as an ingress rule',
      { ingress: { rules: { 'shared.files': { http: {} } } } },
      ['s3.default#shared.files'],
    ],
    [
      "another workload's private dependency",
      { x: '${modules.other.externals.db.host}' },
      ['postgres.default#modules.other.externals.db'],
    ],
    [
      'a placeholder that is no dependency: none',
      { x: '${unknown.A} ${context.app.id} ${HOME:-/root} ${modules.other.service.name}' },
      [],
    ],
  ])('%s', (_, spec, expected) => {
    const content = set(
      { w: module({}, spec), other: module({ db: need('postgres') }) },
      { files: need('s3') },
    )
    const graph = graphOf(content, s3, postgres, workload)
    expect(graph.problems).toEqual([])
    expect(edges(graph).filter((edge) => edge.startsWith('workload.default#modules.w '))).toEqual(
      expected.map((each) => `workload.default#modules.w -> ${each}`),
    )
  })

  test.each<[string, FreeForm, string]>([
    ['an unknown private dependency', { x: { y: '${externals.bd.host}' } }, '/x/y'],
    ['an unknown shared dependency', { x: '${shared.none.host}' }, '/x'],
    ['an unknown workload', { x: '${modules.none.service.name}' }, '/x'],
    ['a workload itself', { x: '${modules.other}' }, '/x'],
    ['a part of its module', { x: '${modules.other.spec.containers}' }, '/x'],
    ['its dependencies without a name', { x: '${modules.other.externals}' }, '/x'],
    ['its Service', { x: '${modules.other.service}' }, '/x'],
    ['a port of its Service', { x: '${modules.other.service.port}' }, '/x'],
    ['a part of the name of its Service', { x: '${modules.other.service.name.first}' }, '/x'],
    [
      'an unknown dependency of an ingress rule',
      { ingress: { rules: { 'externals.none': {} } } },
      '/ingress/rules/externals.none',
    ],
    ['a placeholder without end', { x: '${externals.db' }, '/x'],
    [
      'the key of a Service that is there already',
      { x: { '${modules.other.service.name}': 1, other: 2 } },
      '/x',
    ],
    ['a key in two spellings', { x: { '${externals.db.host}': 1, "${externals['db'].host}": 2 } }, '/x'],
  ])('%s is a problem with its place', (_, spec, place) => {
    const graph = graphOf(set({ w: module({ db: need('postgres') }, spec), other: module() }), postgres)
    expect(graph.problems).toHaveLength(1)
    expect(graph.problems[0]?.object).toBe('workload.default#modules.w')
    expect(graph.problems[0]?.message).toContain(`'${place}'`)
  })
})

test('the name of a Service is filled in, in keys too', () => {
  const name = '${modules.other.service.name}'
  const spec = {
    x: { [name]: `http://${name}/${name}` },
    [`/etc/${name} $\\{HOME} \${externals.db.host}`]: 1,
  }
  const graph = graphOf(
    set({ w: module({ db: need('postgres') }, spec), other: module() }),
    postgres,
    definition('w', 'workload'),
  )
  const node = graph.nodes.find(({ descriptor }) => descriptor.resourceId === 'modules.w')
  expect(node?.params?.['spec']).toEqual({
    x: { other: 'http://other/other' },
    '/etc/other $\\{HOME} ${externals.db.host}': 1,
  })
})

describe('params', () => {
  test('placeholders in params make edges and references', () => {
    const content = set(
      {
        w: module({
          db: need('postgres'),
          r: need('route', {
            params: {
              host: '${externals.db.host}',
              b: '${shared.files.bucket}',
              c: '${modules.w.externals.db.port}',
              d: '${X}',
            },
          }),
        }),
      },
      { files: need('s3', { params: { a: '${modules.w.externals.db.host}' } }) },
    )
    const graph = graphOf(content, s3, postgres, definition('route', 'route'), definition('w', 'workload'))
    expect(graph.problems).toEqual([])
    const db = 'postgres.default#modules.w.externals.db'
    expect(references(graph, 'route.default#modules.w.externals.r')).toEqual({
      'externals.db': [db],
      'modules.w.externals.db': [db],
      'shared.files': ['s3.default#shared.files'],
    })
    expect(edges(graph)).toContain('workload.default#modules.w -> s3.default#shared.files')
    expect(edges(graph)).toContain(`s3.default#shared.files -> ${db}`)
  })

  test('a shared dependency has no private ones', () => {
    const graph = graphOf(set({}, { files: need('s3', { params: { a: '${externals.db.host}' } }) }), s3)
    expect(problems(graph)).toEqual(['UnknownDependency s3.default#shared.files'])
  })

  test.each<[rule: string, text: string, expected: string[]]>([
    ['a dependency of each workload', 'externals.db.host', ['ConflictingParams s3.default#shared.site']],
    ['the dependency of one of them', 'modules.a.externals.db.host', []],
    ['a shared dependency', 'shared.files.host', []],
  ])('equal params of a shared resource that mean %s', (_, text, expected) => {
    const workload = () =>
      module({ db: need('postgres'), site: need('s3', { id: 'site', params: { host: `\${${text}}` } }) })
    const content = set({ a: workload(), b: workload() }, { files: need('postgres') })
    expect(problems(graphOf(content, postgres, s3))).toEqual(expected)
  })

  const giving = (name: string, type: string, params?: FreeForm) =>
    definition(name, type, { provision: { 'config#x': params ? { params } : {} } })
  test.each<[string, FreeForm | undefined, FreeForm | undefined, string[]]>([
    ['the same params twice', { a: 1, b: 2 }, { b: 2, a: 1 }, []],
    ['absent params go with any', { a: 1 }, undefined, []],
    ['different params are a problem', { a: 1 }, { a: 2 }, ['ConflictingParams config.default#x']],
  ])('%s', (_, one, other, expected) => {
    const content = set({}, { a: need('s3'), b: need('postgres') })
    const graph = graphOf(
      content,
      giving('s3', 's3', one),
      giving('pg', 'postgres', other),
      definition('config', 'config'),
    )
    expect(problems(graph)).toEqual(expected)
    if (expected.length === 0)
      expect(graph.nodes.find(({ descriptor }) => descriptor.type === 'config')?.params).toEqual({
        a: 1,
        ...(one?.['b'] ? { b: 2 } : {}),
      })
  })

  test('params of a co-provisioned resource speak of the one that provisions', () => {
    const dns = definition('dns', 'dns', {
      provision: {
        'config.fast#x': {
          params: {
            a: '${resources.s3.outputs.bucket}',
            b: '${context.res.id}',
            c: "${resources['dns<s3'].guresid}",
          },
        },
      },
    })
    const graph = graphOf(
      set({}, { d: need('dns') }),
      dns,
      s3,
      definition('config', 'config', { criteria: [{ class: 'fast' }] }),
    )
    expect(graph.problems).toEqual([])
    expect(graph.nodes.find(({ descriptor }) => descriptor.type === 'config')?.params).toEqual({
      a: "${resources['s3.default#shared.d'].outputs.bucket}",
      b: 'shared.d',
      c: "${resources['dns.default#shared.d<s3'].guresid}",
    })
    expect(edges(graph)).toEqual(['config.fast#x -> s3.default#shared.d'])
  })
})

describe('references and co-provisioning', () => {
  test('a reference adds the node and the edge', () => {
    const graph = graphOf(
      set({}, { d: need('dns') }),
      reading('dns', 'dns', { a: ['${resources.s3.outputs.x}'] }),
      s3,
    )
    expect(resources(graph)).toEqual(['s3.default#shared.d', 'dns.default#shared.d'])
    expect(references(graph, 'dns.default#shared.d')).toEqual({ s3: ['s3.default#shared.d'] })
  })

  test.each([
    [{}, []],
    [{ isDependent: false }, []],
    [{ isDependent: true }, ['config.default#shared.d -> dns.default#shared.d']],
  ])('co-provisioned with %j', (entry, expected) => {
    const dns = definition('dns', 'dns', { provision: { config: entry } })
    const graph = graphOf(set({}, { d: need('dns') }), dns, definition('config', 'config'))
    expect(resources(graph).sort()).toEqual(['config.default#shared.d', 'dns.default#shared.d'])
    expect(edges(graph)).toEqual(expected)
  })

  test('match_dependents: dependents of this resource also depend on the new one, in any order of discovery', () => {
    const content = set(
      { w: module({ r: need('route', { params: { h: '${shared.d.host}' } }) }) },
      { d: need('dns') },
    )
    const graph = graphOf(
      content,
      definition('dns', 'dns', { provision: { 'tls-cert': { matchDependents: true, isDependent: true } } }),
      definition('cert', 'tls-cert', { provision: { config: { matchDependents: true } } }),
      definition('route', 'route'),
      definition('config', 'config'),
    )
    expect(edges(graph)).toEqual([
      'route.default#modules.w.externals.r -> config.default#shared.d',
      'route.default#modules.w.externals.r -> dns.default#shared.d',
      'route.default#modules.w.externals.r -> tls-cert.default#shared.d',
      'tls-cert.default#shared.d -> dns.default#shared.d',
    ])
  })

  test('a selector returns nodes one edge away, in a stable order, and never creates a node', () => {
    const content = set({ w: module({ b: need('s3'), a: need('s3'), c: need('postgres') }) })
    const graph = graphOf(
      content,
      s3,
      definition('pg', 'postgres', { provision: { 'base-env#modules.w': {} } }),
      reading(
        'env',
        'base-env',
        { all: "${resources['workload>s3'].outputs.bucket}", none: "${resources['dns<route'].outputs.path}" },
        { criteria: [{ resId: 'modules.w' }] },
      ),
    )
    expect(graph.problems).toEqual([])
    expect(references(graph, 'base-env.default#modules.w')).toEqual({
      'workload>s3': ['s3.default#modules.w.externals.a', 's3.default#modules.w.externals.b'],
      'dns<route': [],
    })
  })

  test('a workload that nothing provisions cannot be read', () => {
    const graph = graphOf(
      set({ w: module({ b: need('s3') }) }),
      reading('s3', 's3', { a: "${resources['workload#modules.w'].outputs.x}" }),
    )
    expect(problems(graph)).toContain('NoMatchingDefinition s3.default#modules.w.externals.b')
  })
})

describe('the patterns', () => {
  test('propagate-id: one more resource for each, with its id', () => {
    const graph = graphOf(
      set({ w: module({ a: need('s3'), b: need('s3') }) }),
      reading('s3', 's3', { policy: '${resources.aws-policy.outputs.arn}' }),
      definition('policy', 'aws-policy'),
    )
    expect(edges(graph)).toEqual([
      's3.default#modules.w.externals.a -> aws-policy.default#modules.w.externals.a',
      's3.default#modules.w.externals.b -> aws-policy.default#modules.w.externals.b',
    ])
  })

  test('propagate-class: one definition for several classes, each with a config of its class', () => {
    const classes = { criteria: [{ class: 'one' }, { class: 'two' }] }
    const graph = graphOf(
      set({}, { a: need('s3', { class: 'one' }), b: need('s3', { class: 'two' }) }),
      reading('s3', 's3', { region: "${resources['config#example'].outputs.region}" }, classes),
      definition('config', 'config', classes),
    )
    expect(edges(graph)).toEqual([
      's3.one#shared.a -> config.one#example',
      's3.two#shared.b -> config.two#example',
    ])
  })

  test('config: defaults of the platform, overridden by developers', () => {
    const graph = graphOf(
      set({}, { a: need('s3') }),
      reading('s3', 's3', { tags: "${resources['config.s3'].outputs.tags}" }),
      reading(
        'defaults',
        'config',
        { tags: "${resources['config.developer-overrides'].outputs.tags}" },
        { criteria: [{ class: 's3' }] },
      ),
      definition('overrides', 'config', { criteria: [{ class: 'developer-overrides' }] }),
    )
    expect(resources(graph)).toEqual([
      'config.developer-overrides#shared.a',
      'config.s3#shared.a',
      's3.default#shared.a',
    ])
  })

  test('delegator: two views on one bucket, each with a policy for the workloads that use it', () => {
    const view = (name: string) =>
      reading(
        name,
        's3',
        { bucket: "${resources['s3.concrete'].outputs.bucket}" },
        {
          criteria: [{ class: name }],
          provision: { [`aws-policy.${name}`]: { matchDependents: true } },
        },
      )
    const graph = graphOf(
      set(
        {
          r: module({ sa: need('aws-role') }, { x: '${shared.reader.bucket}' }),
          w: module({ sa: need('aws-role') }, { x: '${shared.writer.bucket}' }),
        },
        {
          reader: need('s3', { class: 'read-only', id: 'shared.main-s3' }),
          writer: need('s3', { class: 'admin', id: 'shared.main-s3' }),
        },
      ),
      view('admin'),
      view('read-only'),
      definition('concrete', 's3', { criteria: [{ class: 'concrete' }] }),
      definition('policies', 'aws-policy', { criteria: [{ class: 'admin' }, { class: 'read-only' }] }),
      definition('r', 'aws-role', {
        criteria: [{ resId: 'modules.r.externals.sa' }],
        driverInputs: { values: { p: "${resources['workload#modules.r>aws-policy'].outputs.arn}" } },
      }),
      definition('w', 'aws-role', {
        criteria: [{ resId: 'modules.w.externals.sa' }],
        driverInputs: { values: { p: "${resources['workload#modules.w>aws-policy'].outputs.arn}" } },
      }),
    )
    expect(graph.problems).toEqual([])
    expect(edges(graph)).toEqual([
      'aws-role.default#modules.r.externals.sa -> aws-policy.read-only#shared.main-s3',
      'aws-role.default#modules.w.externals.sa -> aws-policy.admin#shared.main-s3',
      's3.admin#shared.main-s3 -> s3.concrete#shared.main-s3',
      's3.read-only#shared.main-s3 -> s3.concrete#shared.main-s3',
    ])
  })

  test('break-a-loop: two that need each other read a third', () => {
    const looping = [
      reading('a', 's3', { x: '${resources.sqs.outputs.arn}' }),
      reading('b', 'sqs', { x: '${resources.s3.outputs.arn}' }),
    ]
    const broken = [
      reading('a', 's3', { x: '${resources.config.outputs.queue}' }, { provision: { sqs: {} } }),
      reading('b', 'sqs', { x: '${resources.config.outputs.bucket}' }),
      definition('config', 'config'),
    ]
    const content = set({}, { files: need('s3') })
    expect(problems(graphOf(content, ...looping))).toEqual(['Cycle s3.default#shared.files'])
    expect(graphOf(content, ...looping).problems[0]?.message).toBe(
      's3.default#shared.files -> sqs.default#shared.files -> s3.default#shared.files',
    )
    expect(graphOf(content, ...broken).problems).toEqual([])
    expect(resources(graphOf(content, ...broken))).toEqual([
      'config.default#shared.files',
      's3.default#shared.files',
      'sqs.default#shared.files',
    ])
  })
})

describe('dns, route and ingress', () => {
  const dns = definition('dns', 'dns', { provision: { ingress: { isDependent: false } } })
  const route = definition('route', 'route')
  const ingress = definition('ingress', 'ingress', { driverType: 'humanitec/ingress' })
  const routed = (path: string) =>
    module({ r: need('route', { params: { host: '${shared.main.host}', path, port: 80 } }) })

  test('the ingress is after its dns and after every route that depends on that', () => {
    const graph = graphOf(
      set({ a: routed('/a'), b: routed('/b') }, { main: need('dns'), other: need('dns') }),
      dns,
      route,
      ingress,
    )
    expect(graph.problems).toEqual([])
    expect(references(graph, 'ingress.default#shared.main')).toEqual({
      dns: ['dns.default#shared.main'],
      'dns<route': ['route.default#modules.a.externals.r', 'route.default#modules.b.externals.r'],
    })
    expect(references(graph, 'ingress.default#shared.other')).toEqual({ dns: ['dns.default#shared.other'] })
    expect(edges(graph)).toContain('ingress.default#shared.main -> route.default#modules.a.externals.r')
    expect(resources(graph).at(-2)).toBe('ingress.default#shared.main')
  })

  test('the same from references in the definition', () => {
    const reads = reading('ingress', 'ingress', {
      host: '${resources.dns.outputs.host}',
      paths: "${resources['dns<route'].outputs.path}",
    })
    const content = set({ a: routed('/a'), b: routed('/b') }, { main: need('dns') })
    expect(edges(graphOf(content, dns, route, reads))).toEqual(edges(graphOf(content, dns, route, ingress)))
  })

  const rules = (key: string, ...paths: string[]) =>
    module(
      { d: need('dns') },
      {
        ingress: {
          rules: {
            [key]: { http: Object.fromEntries(paths.map((path) => [path, { type: 'exact', port: 8080 }])) },
          },
        },
      },
    )
  const paramsOf = (content: SetContent, id: string) =>
    graphOf(content, dns, ingress).nodes.find(
      ({ descriptor }) => descriptor.type === 'ingress' && descriptor.resourceId === id,
    )?.params

  test('the ingress sections of the workloads become the rules of the ingress of the dns that they name', () => {
    const content = set(
      { a: rules('shared.main', '/b', '/a'), b: rules('externals.d', '/') },
      { main: need('dns') },
    )
    expect(paramsOf(content, 'shared.main')).toEqual({
      rules: {
        http: {
          '/a': { type: 'exact', name: 'a', port: 8080 },
          '/b': { type: 'exact', name: 'a', port: 8080 },
        },
      },
    })
    expect(paramsOf(content, 'modules.b.externals.d')).toEqual({
      rules: { http: { '/': { type: 'exact', name: 'b', port: 8080 } } },
    })
    expect(paramsOf(content, 'modules.a.externals.d')).toBeUndefined()
  })

  test('two workloads cannot have one path', () => {
    const content = set({ a: rules('shared.main', '/'), b: rules('shared.main', '/') }, { main: need('dns') })
    expect(problems(graphOf(content, dns, ingress))).toEqual(['ConflictingPath ingress.default#shared.main'])
  })

  test.each(['dns<ingress', 'ingress>dns'])(
    "the selector '%s' follows the edge to a driver's neighbour",
    (text) => {
      const own = definition('dns', 'dns', { provision: { ingress: {}, config: {} } })
      const config = reading('config', 'config', { ids: `\${resources['${text}'].guresid}` })
      const graph = graphOf(set({}, { main: need('dns') }), own, ingress, config)
      const [found] = text === 'dns<ingress' ? ['ingress'] : ['dns']
      expect(references(graph, 'config.default#shared.main')).toEqual({
        [text]: [`${found}.default#shared.main`],
      })
      expect(problems(graph)).toEqual([])
    },
  )

  test.each<[what: string, target: FreeForm, isConnected: boolean]>([
    ['is connected to the cluster', {}, true],
    ['with a target is not', { target: '192.0.2.1' }, false],
    ['with an empty target is', { target: '' }, true],
    ['with a target that can be empty is', { target: '${context.env.id}' }, true],
  ])('a dns resource of Cloudflare %s', (_, target, isConnected) => {
    const driverType = 'quartermaster/dns-cloudflare'
    const cloudflare = reading('dns', 'dns', target, { driverType, accountName: 'cloud' })
    const cluster = definition('cluster', 'k8s-cluster')
    const input = graphInput(set({}, { main: need('dns') }), [cloudflare, cluster], { catalogue })
    expect(edges(buildGraph(input))).toEqual(
      isConnected ? ['dns.default#shared.main -> k8s-cluster.default#k8s-cluster'] : [],
    )
  })

  test("the driver's neighbour may be an override", () => {
    const own = definition('dns', 'acme/dns', { provision: { ingress: {} } })
    const graph = graphOf(set({}, { main: need('dns') }), own, ingress)
    expect(edges(graph)).toEqual(['ingress.default#shared.main -> acme/dns.default#shared.main'])
  })
})

describe('problems', () => {
  const shared = (type: string) => set({}, { x: need(type) })
  test.each<[string, SetContent, ResourceDefinition[], string[]]>([
    ['no definition', shared('s3'), [], ['NoMatchingDefinition s3.default#shared.x']],
    ['an unknown type', shared('postgress'), [], ['TypeNotFound postgress.default#shared.x']],
    [
      'an unknown type of the organization, even where a definition provisions it',
      shared('acme/ghost'),
      [definition('ghost', 'acme/ghost')],
      ['TypeNotFound acme/ghost.default#shared.x'],
    ],
    [
      'an unknown type of the organization by its simple name',
      shared('ghost'),
      [definition('ghost', 'acme/ghost')],
      ['TypeNotFound acme/ghost.default#shared.x'],
    ],
    [
      'an override whose type does not exist, though the built-in one does',
      shared('redis'),
      [definition('redis', 'redis'), definition('own', 'acme/redis')],
      ['TypeNotFound acme/redis.default#shared.x'],
    ],
    [
      'an unknown type that a definition refers to',
      shared('s3'),
      [reading('s3', 's3', { a: "${resources['acme/ghost'].outputs.x}" }), definition('g', 'acme/ghost')],
      ['TypeNotFound acme/ghost.default#shared.x'],
    ],
    [
      'an unknown type that a definition provisions along',
      shared('s3'),
      [definition('s3', 's3', { provision: { 'acme/ghost': {} } }), definition('g', 'acme/ghost')],
      ['TypeNotFound acme/ghost.default#shared.x'],
    ],
    ['no type', set({}, { x: {} }), [], ['InvalidDependency shared.x']],
    ['a class that is no text', set({}, { x: need('s3', { class: 7 }) }), [], ['InvalidDependency shared.x']],
    ['an id that is no text', set({}, { x: need('s3', { id: 7 }) }), [], ['InvalidDependency shared.x']],
    [
      'params that are no object',
      set({}, { x: need('s3', { params: 7 }) }),
      [],
      ['InvalidDependency shared.x'],
    ],
    [
      'a shared dependency without a name',
      set({}, { '': need('s3') }),
      [],
      ['InvalidName s3.default#shared.'],
    ],
    ['a workload without a name', set({ '': module() }), [], ["InvalidName workload ''"]],
    [
      'a class that cannot be one',
      set({}, { x: need('s3', { class: 'a b' }) }),
      [],
      ['InvalidName s3.a b#shared.x'],
    ],
    ['a workload id with a dot', set({ 'a.b': module() }), [], ["InvalidName workload 'a.b'"]],
    [
      'an unknown driver',
      shared('s3'),
      [definition('s3', 's3', { driverType: 'quartermaster/none' })],
      ['UnknownDriver s3.default#shared.x'],
    ],
    [
      "another vendor's driver",
      shared('s3'),
      [definition('s3', 's3', { driverType: 'other/echo' })],
      ['UnknownDriver s3.default#shared.x'],
    ],
    [
      'a driver of other types',
      shared('s3'),
      [definition('s3', 's3', { driverType: 'quartermaster/ingress' })],
      ['WrongType s3.default#shared.x'],
    ],
    [
      'an account that does not exist',
      shared('s3'),
      [definition('s3', 's3', { accountName: 'none' })],
      ['AccountNotFound s3.default#shared.x'],
    ],
    [
      'a driver without the account that it needs',
      shared('dns'),
      [definition('dns', 'dns', { driverType: 'quartermaster/dns-cloudflare' })],
      ['AccountRequired dns.default#shared.x'],
    ],
    [
      'an unknown root',
      shared('s3'),
      [reading('s3', 's3', { a: '${nothing.x}' })],
      ['InvalidPlaceholder s3.default#shared.x'],
    ],
    [
      'an unknown name of the context',
      shared('s3'),
      [reading('s3', 's3', { a: '${context.ap.id}' })],
      ['InvalidPlaceholder s3.default#shared.x'],
    ],
    [
      'an unknown tail',
      shared('s3'),
      [reading('s3', 's3', { a: '${resources.dns.host}' })],
      ['InvalidPlaceholder s3.default#shared.x'],
    ],
    [
      'a bad reference',
      shared('s3'),
      [reading('s3', 's3', { a: "${resources['a b'].outputs.x}" })],
      ['InvalidPlaceholder s3.default#shared.x'],
    ],
    [
      'a placeholder without end',
      shared('s3'),
      [reading('s3', 's3', { a: '${resources' })],
      ['InvalidPlaceholder s3.default#shared.x'],
    ],
    [
      'a bad key of provision',
      shared('s3'),
      [definition('s3', 's3', { provision: { 'a b': {} } })],
      ['InvalidReference s3.default#shared.x'],
    ],
    [
      'a resource that needs itself',
      shared('s3'),
      [reading('s3', 's3', { a: '${resources.s3.outputs.x}' })],
      ['Cycle s3.default#shared.x'],
    ],
    [
      'all bad nodes at once',
      set({}, { a: need('s3'), b: need('dns'), c: need('none'), d: need('redis') }),
      [
        reading('s3', 's3', { a: '${resources.postgres.outputs.x}' }),
        definition('redis', 'redis', { driverType: 'x/y' }),
      ],
      [
        'NoMatchingDefinition dns.default#shared.b',
        'TypeNotFound none.default#shared.c',
        'NoMatchingDefinition postgres.default#shared.a',
        'UnknownDriver redis.default#shared.d',
      ],
    ],
  ])('%s', (_, content, definitions, expected) => {
    expect(problems(graphOf(content, ...definitions))).toEqual(expected)
  })

  test('the nearest miss is named', () => {
    expect(graphOf(shared('postgress')).problems[0]?.message).toContain("did you mean 'postgres'")
    expect(
      graphOf(shared('s3'), definition('s3', 's3', { criteria: [{ appId: 'other' }] })).problems[0]?.message,
    ).toContain("needs app_id 'other' (is 'shop')")
    expect(
      graphOf(shared('s3'), definition('s3', 's3', { driverType: 'quartermaster/ehco' })).problems[0]
        ?.message,
    ).toContain("did you mean 'quartermaster/echo'")
  })

  test('a graph that grows without end is stopped', () => {
    const step = (id: number) =>
      reading(
        `d${id}`,
        's3',
        { a: `\${resources['s3#n${id + 1}'].outputs.x}` },
        { criteria: [{ resId: id === 0 ? 'shared.x' : `n${id}` }] },
      )
    const graph = graphOf(shared('s3'), ...Array.from({ length: 10_500 }, (_, i) => step(i)))
    expect(problems(graph)[0]).toBe('TooManyResources ')
  })
})

describe('laws of graphs', () => {
  const types = ['s3', 'postgres', 'redis', 'dns', 'config'] as const
  const type = fc.constantFrom(...types)
  const reference = fc
    .tuple(type, fc.constantFrom('', '.x'), fc.constantFrom('', '#shared.a', '#n'))
    .map((parts) => parts.join(''))
  const text = fc.oneof(
    reference.map((each) => `\${resources['${each}'].outputs.o}`),
    fc
      .tuple(reference, fc.constantFrom('<', '>'), type)
      .map(([anchor, sign, of]) => `\${resources['${anchor}${sign}${of}'].outputs.o}`),
  )
  const entry = fc.record(
    {
      isDependent: fc.boolean(),
      matchDependents: fc.boolean(),
      params: fc.constantFrom({ a: 1 }, { a: 2 }, {}),
    },
    { requiredKeys: [] },
  )
  const definitionsOf = fc.array(
    fc.record({
      type,
      values: fc.array(text, { maxLength: 2 }),
      provision: fc.dictionary(reference, entry, { maxKeys: 2 }),
      class: fc.constantFrom('default', 'x'),
      resId: fc.constantFrom('*', 'n', 'shared.a'),
    }),
    { minLength: 3, maxLength: 12 },
  )
  const needs = fc.dictionary(
    fc.constantFrom('a', 'b', 'c'),
    fc.record({ type, class: fc.constantFrom('default', 'x') }),
  )
  const contents = fc.record({
    modules: fc.dictionary(
      fc.constantFrom('v', 'w'),
      fc
        .tuple(needs, fc.constantFrom('', '${shared.a.o}', '${externals.b.o}'))
        .map(([own, x]) => module(own, { x })),
    ),
    shared: needs,
  })

  test('shuffled input gives an equal graph', () => {
    fc.assert(
      fc.property(definitionsOf, contents, fc.infiniteStream(fc.nat()), (parts, content, stream) => {
        const all = parts.map((each, i) =>
          definition(`d${i}`, each.type, {
            criteria: [{ class: each.class, resId: each.resId }],
            driverInputs: { values: { list: each.values } },
            provision: each.provision,
          }),
        )
        const shuffle = <T>(list: readonly T[]): T[] =>
          list
            .map((item) => ({ item, key: stream.next().value ?? 0 }))
            .sort((a, b) => a.key - b.key)
            .map(({ item }) => item)
        const shuffled = (map: Readonly<Record<string, FreeForm>>): Record<string, FreeForm> =>
          Object.fromEntries(shuffle(Object.entries(map)))
        const plain = (input: ReturnType<typeof graphInput>) => {
          const { nodes, problems: found } = buildGraph(input)
          return {
            found,
            nodes: nodes.map(({ match, ...node }) => ({
              ...node,
              params: found.length > 0 ? undefined : node.params,
              definition: match?.definition.metadata.name,
            })),
          }
        }
        const one = plain(graphInput(content, all))
        const turned = shuffle(all).map((each) => ({
          ...each,
          spec: {
            ...each.spec,
            provision: Object.fromEntries(shuffle(Object.entries(each.spec.provision ?? {}))),
          },
        }))
        const other = plain(
          graphInput({ modules: shuffled(content.modules), shared: shuffled(content.shared) }, turned),
        )
        expect(other).toEqual(one)
        const seen = new Set<string>()
        for (const node of one.nodes) {
          if (!one.found.some(({ reason }) => reason === 'Cycle'))
            expect(node.dependsOn.filter((id) => !seen.has(id))).toEqual([])
          seen.add(node.guResId)
        }
      }),
      { numRuns: casesOf(500) },
    )
  })

  test('a chain of thousands needs no recursion', () => {
    const chain = Array.from({ length: 5000 }, (_, i) =>
      reading(
        `d${i}`,
        's3',
        { a: i === 4999 ? '' : `\${resources['s3#n${i + 1}'].outputs.x}` },
        { criteria: [{ resId: i === 0 ? 'shared.x' : `n${i}` }] },
      ),
    )
    const graph = graphOf(set({}, { x: need('s3') }), ...chain)
    expect(graph.problems).toEqual([])
    expect(graph.nodes).toHaveLength(5000)
  })

  test('the work grows with the number of independent nodes', () => {
    const steps = (count: number) => {
      const needs = Array.from({ length: count }, (_, i) => [`x${i}`, need('s3')] as const)
      const input = graphInput(set({}, Object.fromEntries(needs)), [s3])
      return stepsOf(() => buildGraph(input))
    }
    steps(10)
    // 10 when it grows with the number, 100 when each node is compared with every other one.
    expect(steps(1000) / steps(100)).toBeLessThan(40)
  })
})
