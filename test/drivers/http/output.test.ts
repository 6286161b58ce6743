import { describe, expect, test } from '@jest/globals'
import { readOutputData } from '../../../operator/drivers/http/output-data.ts'

const namespace = 'acme--shop--dev'
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } }
const inNamespace = { ...configMap, metadata: { name: 'a', namespace } }
const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'r' } }
const volume = { name: 'cache', emptyDir: {} }

function read(answer: unknown) {
  return readOutputData(JSON.stringify(answer), namespace)
}

describe('outputs', () => {
  test.each<[rule: string, answer: object, values: object, secrets: object]>([
    ['values and secrets', { resource: { values: { a: 1 }, secrets: { b: 'c' } } }, { a: 1 }, { b: 'c' }],
    ['values alone', { resource: { values: { a: 1 } } }, { a: 1 }, {}],
    ['secrets alone', { resource: { secrets: { b: 'c' } } }, {}, { b: 'c' }],
    ['null for none', { resource: { values: null, secrets: null }, manifests: null }, {}, {}],
    ['no resource', {}, {}, {}],
    ['null for the resource', { resource: null }, {}, {}],
    ['other fields beside them', { values: { b: 2 }, resource: { values: { a: 1 }, id: 'x' } }, { a: 1 }, {}],
    [
      'other fields that are no outputs',
      { values: {}, outputs: 'none', driver: { values: { a: 1 } } },
      {},
      {},
    ],
    ['id and type may be anything', { id: 5, type: 'other', resource: { values: { a: 1 } } }, { a: 1 }, {}],
  ])('%s', (_, answer, values, secrets) => {
    expect(read(answer)).toEqual({ outputs: { values, secrets }, objects: [] })
  })
})

describe('manifests', () => {
  test.each<[rule: string, answer: object, objects: object[]]>([
    ['data', { manifests: [{ location: 'namespace', data: configMap }] }, [inNamespace]],
    ['manifest', { manifests: [{ location: 'namespace', manifest: configMap }] }, [inNamespace]],
    [
      'within the resource',
      { resource: { manifests: [{ location: 'namespace', data: configMap }] } },
      [inNamespace],
    ],
    ['without a location', { manifests: [{ data: configMap }] }, [inNamespace]],
    ['with an empty location', { manifests: [{ location: '', data: configMap }] }, [inNamespace]],
    ['in capitals', { manifests: [{ location: 'Namespace', data: configMap }] }, [inNamespace]],
    ['of the cluster: without a namespace', { manifests: [{ location: 'cluster', data: role }] }, [role]],
    [
      'of another namespace: left to the caller',
      { manifests: [{ data: { ...configMap, metadata: { name: 'a', namespace: 'kube-system' } } }] },
      [{ ...configMap, metadata: { name: 'a', namespace: 'kube-system' } }],
    ],
    [
      'with the null fields that Go writes for a new object',
      {
        manifests: [
          { data: { ...configMap, metadata: { name: 'a', namespace: '', creationTimestamp: null } } },
        ],
      },
      [inNamespace],
    ],
    [
      'in both places, in order',
      { manifests: [{ data: configMap }], resource: { manifests: [{ location: 'cluster', data: role }] } },
      [inNamespace, role],
    ],
    [
      'twice the same, once',
      { manifests: [{ data: configMap }], resource: { manifests: [{ data: inNamespace }] } },
      [inNamespace],
    ],
    [
      'of one name in two namespaces',
      {
        manifests: [{ data: configMap }, { data: { ...configMap, metadata: { name: 'a', namespace: 'b' } } }],
      },
      [inNamespace, { ...configMap, metadata: { name: 'a', namespace: 'b' } }],
    ],
  ])('%s', (_, answer, objects) => {
    expect(read(answer)).toEqual({ outputs: { values: {}, secrets: {} }, objects })
  })

  test.each([
    ['containers', 'containers'],
    ['container', 'containers'],
    ['volumes', 'volumes'],
    ['volume', 'volumes'],
  ])('parts of pods at %s become the output `manifests`', (location, expected) => {
    const answer = {
      resource: { values: { a: 1 } },
      manifests: [{ location, data: volume }, { data: configMap }],
    }
    const { outputs, objects } = read(answer)
    expect(outputs.values).toEqual({ a: 1, manifests: [{ location: expected, data: volume }] })
    expect(objects).toEqual([inNamespace])
  })

  test('an output of that name stays without parts', () => {
    expect(read({ resource: { values: { manifests: 'mine' } } }).outputs.values).toEqual({
      manifests: 'mine',
    })
  })
})

describe('an answer that cannot be used', () => {
  const withManifest = (changes: object) => ({ manifests: [{ data: { ...configMap, ...changes } }] })
  const both = {
    resource: { values: { manifests: 'mine' } },
    manifests: [{ location: 'volume', data: volume }],
  }
  const texts: [string, string][] = [
    ['nothing', ''],
    ['white space', ' \n'],
    ['no JSON', '<html>'],
    ['half of it', '{"resource":'],
    ['a nest', `{"resource":{"values":{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}}}`],
    ['an integer that loses digits', '{"resource":{"values":{"account":9007199254740993}}}'],
    [
      'such an integer in a manifest',
      '{"manifests":[{"data":{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"size":-9007199254740993}}]}',
    ],
    ['a prototype', '{"resource":{"values":{"a":{"__proto__":{"b":1}}}}}'],
    ...[null, 'text', 5, [], true].map((value): [string, string] => [
      JSON.stringify(value),
      JSON.stringify(value),
    ]),
    ...Object.entries({
      'a resource that is a list': { resource: [] },
      'a resource that is a text': { resource: 'x' },
      'values that are a list': { resource: { values: [] } },
      'values that are a text': { resource: { values: 'x' } },
      'secrets that are a number': { resource: { secrets: 5 } },
      'values elsewhere': { values: { a: 1 } },
      'secrets elsewhere': { secrets: { a: 'b' }, resource: {} },
      'outputs under their name': { outputs: { a: 1 }, resource: { values: null } },
      'outputs in the resource': { resource: { outputs: { a: 1 } } },
      'manifests that are an object': { manifests: {} },
      'manifests that are a text': { resource: { manifests: 'x' } },
      'a manifest that is null': { manifests: [null] },
      'a manifest without data': { manifests: [{ location: 'namespace' }] },
      'a manifest that is YAML': { manifests: [{ location: 'namespace', data: 'kind: ConfigMap' }] },
      'an unknown location': { manifests: [{ location: 'moon', data: configMap }] },
      'a location of the prototype': { manifests: [{ location: 'constructor', data: configMap }] },
      'a location that is a number': { manifests: [{ location: 5, data: configMap }] },
      'no apiVersion': withManifest({ apiVersion: undefined }),
      'no kind': withManifest({ kind: '' }),
      'no metadata': withManifest({ metadata: undefined }),
      'no name': withManifest({ metadata: { generateName: 'a-' } }),
      'a name that is a number': withManifest({ metadata: { name: 5 } }),
      'a namespace that is a number': withManifest({ metadata: { name: 'a', namespace: 5 } }),
      'an output in the place of parts': both,
      'two manifests of one object': {
        manifests: [{ data: configMap }, { data: { ...configMap, data: { k: 'other' } } }],
      },
    }).map(([rule, answer]): [string, string] => [rule, JSON.stringify(answer)]),
  ]
  test.each(texts)('%s', (_, text) => {
    expect(() => readOutputData(text, namespace)).toThrow(
      expect.objectContaining({ reason: 'InvalidAnswer' }),
    )
  })
})
