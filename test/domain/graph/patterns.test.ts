import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import type { SetContent } from '../../../operator/domain/delta/delta.ts'
import { buildGraph } from '../../../operator/domain/graph/build-graph.ts'
import { catalogue } from '../../../operator/drivers/catalogue.ts'
import { definition, module, set } from '../../support/builders.ts'
import {
  edges,
  graphInput,
  graphOf,
  need,
  problems,
  reading,
  references,
  resources,
} from '../../support/graphs.ts'

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

  test.each<[what: string, params: FreeForm, expected: FreeForm]>([
    [
      'are added to the other params',
      { a: 1 },
      { a: 1, rules: { http: { '/': { type: 'exact', name: 'w', port: 8080 } } } },
    ],
    ['do not replace rules that are given', { rules: { http: {} } }, { rules: { http: {} } }],
  ])('the rules of an ingress %s', (_, params, expected) => {
    const own = definition('dns', 'dns', { provision: { ingress: { params } } })
    const { nodes } = graphOf(set({ w: rules('shared.main', '/') }, { main: need('dns') }), own, ingress)
    const made = nodes.find(
      ({ descriptor: { type, resourceId } }) => `${type} ${resourceId}` === 'ingress shared.main',
    )
    expect(made?.params).toEqual(expected)
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
