import { describe, expect, test } from '@jest/globals'
import type { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import type { SetContent } from '../../../operator/domain/delta/delta.ts'
import { guResId } from '../../../operator/domain/resource/identity.ts'
import { context, definition, module, set } from '../../support/builders.ts'
import {
  edges,
  graphOf,
  need,
  postgres,
  problems,
  reading,
  references,
  resources,
  s3,
} from '../../support/graphs.ts'

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
    const content = set({
      w: module({ b: need('s3'), aa: need('s3', { id: 'z' }), a: need('s3'), c: need('postgres') }),
    })
    const graph = graphOf(
      content,
      s3,
      definition('pg', 'postgres', { provision: { 'base-env#modules.w': {} } }),
      reading(
        'env',
        'base-env',
        {
          all: "${resources['workload>s3'].outputs.bucket}",
          none: "${resources['dns<route'].outputs.path}",
          ownWorkload: "${resources['postgres#modules.w.externals.c<workload'].outputs.x}",
        },
        { criteria: [{ resId: 'modules.w' }] },
      ),
    )
    expect(graph.problems).toEqual([])
    expect(references(graph, 'base-env.default#modules.w')).toEqual({
      'workload>s3': [
        's3.default#modules.w.externals.a',
        's3.default#modules.w.externals.b',
        's3.default#shared.z',
      ],
      'dns<route': [],
      'postgres#modules.w.externals.c<workload': ['workload.default#modules.w'],
    })
  })

  test.each([
    ['a', 'b'],
    ['b', 'a'],
  ])('a selector returns what selectors of others connect: %s of %s', (first, second) => {
    const among = (from: string) => ({ all: `\${resources['${from}>postgres'].outputs.x}` })
    const graph = graphOf(
      set({}, { [first]: need('s3'), [second]: need('redis'), c: need('dns') }),
      reading('s3', 's3', among(`redis#shared.${second}`)),
      reading('redis', 'redis', among('dns#shared.c')),
      reading('dns', 'dns', { host: "${resources['postgres#shared.c'].outputs.host}" }),
      postgres,
    )
    expect(references(graph, `s3.default#shared.${first}`)).toEqual({
      [`redis#shared.${second}>postgres`]: ['postgres.default#shared.c'],
    })
  })

  test('a dependency cannot read the workload that needs it', () => {
    const graph = graphOf(
      set({ w: module({ b: need('s3') }) }),
      reading('s3', 's3', { a: "${resources['workload#modules.w'].outputs.x}" }),
    )
    expect(problems(graph)).toContain('Cycle s3.default#modules.w.externals.b')
  })
})
