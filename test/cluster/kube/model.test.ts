import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { StoredObject } from '../../../operator/api/kind.ts'
import { labels } from '../../../operator/api/names.ts'
import { isObject } from '../../../operator/domain/base/json.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import { createClient, type KubeClient, type RequestOptions } from '../../../operator/kube/client/client.ts'
import { loadConnection } from '../../../operator/kube/client/connection.ts'
import { ApiServer } from '../../simulation/server/api-server.ts'
import { servedAs } from '../../simulation/server/resources.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { createNamespace, uniqueName } from './support.ts'

// The model of the API server, with which `test/simulation` runs the operator, answers as the real one does.

const shared = sharedCluster()
const namespace = uniqueName('model')
const ourGroup = '/apis/quartermaster.dev/v1alpha1'
const mergePatch = { contentType: 'application/merge-patch+json' }
const jsonPatch = { contentType: 'application/json-patch+json' }
const apply = {
  contentType: 'application/apply-patch+yaml',
  query: { fieldManager: 'quartermaster', force: true },
}
let admin: KubeClient
/** Only the operator may write the status. */
let operator: KubeClient
let model: ApiServer

beforeAll(async () => {
  await createNamespace(shared.access, namespace)
  admin = createClient(await loadConnection({ kubeconfig: shared.kubeconfigPath }))
  operator = createClient(await loadConnection({ kubeconfig: shared.operatorKubeconfig }))
  model = new ApiServer()
  const home = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
  model.create(servedAs('Namespace'), undefined, home)
})
afterAll(() => Promise.all([admin, operator].map((each) => each.close())))

/** What earlier answers of the sequence say about an object. */
interface Known {
  readonly uid: string
  readonly version: string
}
type Body = object | ((known: Known) => object)
type Step = readonly [method: string, path: string, body?: Body, options?: RequestOptions]

/** Sends the steps of a sequence; answers the facts of each answer. */
async function factsOf(
  send: (method: string, path: string, options: RequestOptions) => unknown,
  steps: readonly Step[],
) {
  let known: Known = { uid: '', version: '' }
  const facts: unknown[] = []
  for (const [method, path, body, options] of steps) {
    const sent = typeof body === 'function' ? body(known) : body
    const root = /^(?:secrets|configmaps)/.test(path) ? '/api/v1' : ourGroup
    try {
      const answer = await send(method, `${root}/namespaces/${namespace}/${path}`, { ...options, body: sent })
      facts.push(factsIn(answer, known))
      known = knownFrom(answer) ?? known
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      facts.push({ status: error.status, reason: error.reason })
    }
  }
  return facts
}

function isStored(answer: unknown): answer is StoredObject {
  return isObject(answer) && isObject(answer.metadata) && typeof answer.metadata.uid === 'string'
}

function knownFrom(answer: unknown): Known | undefined {
  return isStored(answer) ? { uid: answer.metadata.uid, version: answer.metadata.resourceVersion } : undefined
}

function factsIn(answer: unknown, known: Known): unknown {
  if (isObject(answer) && Array.isArray(answer.items))
    return { items: answer.items.map((each) => isStored(each) && each.metadata.name) }
  if (!isStored(answer)) return { kind: isObject(answer) && answer.kind }
  const { metadata, kind, spec, status, data } = answer
  const { uid, resourceVersion, deletionTimestamp, generation, finalizers } = metadata
  return {
    kind,
    spec,
    status,
    data,
    generation,
    finalizers,
    labels: metadata.labels,
    annotations: metadata.annotations,
    isDeleted: deletionTimestamp !== undefined,
    isSameObject: uid === known.uid,
    isSameVersion: resourceVersion === known.version,
  }
}

const valueSpec = (value: string) => ({ applicationName: 'shop', key: 'color', value })
const value = (name: string, metadata: object = {}, spec: object = valueSpec('red')) => ({
  apiVersion: 'quartermaster.dev/v1alpha1',
  kind: 'SharedValue',
  metadata: { name, namespace, ...metadata },
  spec,
})
const configMap = (name: string, data: object, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, ...metadata },
  data,
})
const status = { observedGeneration: 1, conditions: [] }
const finalizers = ['example.com/one']

test.each<[rule: string, steps: readonly Step[]]>([
  [
    'creates, reads and lists',
    [
      ['GET', 'sharedvalues/a'],
      ['POST', 'sharedvalues', value('a', { labels: { one: '1' } })],
      ['POST', 'sharedvalues', value('a')],
      ['GET', 'sharedvalues/a'],
      ['GET', 'sharedvalues', undefined, { query: { labelSelector: 'one=1' } }],
      ['GET', 'sharedvalues', undefined, { query: { labelSelector: '!one' } }],
      ['GET', 'sharedvalues', undefined, { query: { fieldSelector: 'metadata.name=a' } }],
      ['GET', 'nothing'],
    ],
  ],
  [
    'updates: generation, version, and no status',
    [
      ['POST', 'sharedvalues', value('b')],
      [
        'PUT',
        'sharedvalues/b',
        ({ version }) => ({ ...value('b', { resourceVersion: version }, valueSpec('blue')), status }),
      ],
      ['PUT', 'sharedvalues/b', value('b', { resourceVersion: '1' })],
      [
        'PUT',
        'sharedvalues/b',
        ({ version }) => value('b', { resourceVersion: version, uid: 'another' }, valueSpec('green')),
      ],
      ['PUT', 'sharedvalues/none', value('none', { resourceVersion: '1' })],
    ],
  ],
  [
    'updates of the status, and nothing else',
    [
      ['POST', 'sharedvalues', value('c')],
      [
        'PUT',
        'sharedvalues/c/status',
        ({ version }) => ({ ...value('c', { resourceVersion: version }, valueSpec('blue')), status }),
      ],
      [
        'PUT',
        'sharedvalues/c/status',
        ({ version }) => ({ ...value('c', { resourceVersion: version }), status }),
      ],
      ['PUT', 'sharedvalues/c/status', { ...value('c', { resourceVersion: '1' }), status }],
    ],
  ],
  [
    'merge patches, with uid and version as preconditions',
    [
      ['POST', 'sharedvalues', value('d', { annotations: { one: '1' } })],
      ['PATCH', 'sharedvalues/d', { metadata: { annotations: { one: null, two: '2' } } }, mergePatch],
      ['PATCH', 'sharedvalues/d', { spec: { value: 'blue' } }, mergePatch],
      ['PATCH', 'sharedvalues/d', { spec: { value: 'blue' } }, mergePatch],
      ['PATCH', 'sharedvalues/d', { metadata: { uid: 'another' }, spec: { value: 'x' } }, mergePatch],
      ['PATCH', 'sharedvalues/d', { metadata: { resourceVersion: '1' }, spec: { value: 'x' } }, mergePatch],
      ['PATCH', 'sharedvalues/none', { spec: { value: 'x' } }, mergePatch],
    ],
  ],
  [
    'JSON patches that test the uid',
    [
      ['POST', 'sharedvalues', value('e')],
      [
        'PATCH',
        'sharedvalues/e',
        ({ uid }) => [
          { op: 'test', path: '/metadata/uid', value: uid },
          { op: 'add', path: '/spec', value: valueSpec('blue') },
        ],
        jsonPatch,
      ],
      [
        'PATCH',
        'sharedvalues/e',
        [
          { op: 'test', path: '/metadata/uid', value: 'another' },
          { op: 'add', path: '/spec', value: valueSpec('green') },
        ],
        jsonPatch,
      ],
    ],
  ],
  [
    'deletes at once without a finalizer, with preconditions',
    [
      ['POST', 'sharedvalues', value('f')],
      ['DELETE', 'sharedvalues/f', { preconditions: { uid: 'another' } }],
      ['DELETE', 'sharedvalues/f', { preconditions: { resourceVersion: '1' } }],
      ['DELETE', 'sharedvalues/f', ({ uid }) => ({ preconditions: { uid } })],
      ['DELETE', 'sharedvalues/f'],
      ['POST', 'sharedvalues', value('f')],
    ],
  ],
  [
    'keeps a deleted object until its last finalizer is removed, and accepts no new one',
    [
      ['POST', 'sharedvalues', value('g', { finalizers })],
      ['DELETE', 'sharedvalues/g'],
      ['DELETE', 'sharedvalues/g'],
      [
        'PATCH',
        'sharedvalues/g',
        { metadata: { finalizers: [...finalizers, 'example.com/two'] } },
        mergePatch,
      ],
      ['PATCH', 'sharedvalues/g', { spec: { value: 'blue' } }, mergePatch],
      ['PATCH', 'sharedvalues/g', { metadata: { finalizers: null } }, mergePatch],
      ['GET', 'sharedvalues/g'],
    ],
  ],
  [
    'server-side apply of one manager',
    [
      ['PATCH', 'configmaps/h', configMap('h', { one: '1', two: '2' }), apply],
      ['PATCH', 'configmaps/h', configMap('h', { one: '1', two: '2' }), apply],
      ['PATCH', 'configmaps/h', { data: { other: '3' } }, mergePatch],
      ['PATCH', 'configmaps/h', configMap('h', { one: '4' }, { labels: { [labels.resource]: 'x' } }), apply],
      ['PATCH', 'configmaps/h', configMap('h', { one: '4' }), apply],
      ['PATCH', 'configmaps/h', configMap('h', { one: '4' }, { uid: 'another' }), apply],
      ['PATCH', 'configmaps/i', configMap('i', { one: '4' }, { uid: 'another' }), apply],
    ],
  ],
  [
    'server-side apply over a version that was read',
    [
      ['POST', 'configmaps', configMap('m', { one: '1' }, { finalizers })],
      [
        'PATCH',
        'configmaps/m',
        ({ uid, version: resourceVersion }) =>
          configMap('m', { one: '2' }, { uid, resourceVersion, finalizers }),
        apply,
      ],
      [
        'PATCH',
        'configmaps/m',
        ({ uid, version: resourceVersion }) =>
          configMap('m', { one: '3' }, { uid, resourceVersion, finalizers }),
        apply,
      ],
      [
        'PATCH',
        'configmaps/m',
        ({ uid }) => configMap('m', { one: '4' }, { uid, resourceVersion: '1', finalizers }),
        apply,
      ],
      [
        'PATCH',
        'configmaps/none',
        configMap('none', { one: '4' }, { uid: 'another', resourceVersion: '1' }),
        apply,
      ],
      ['GET', 'configmaps/m'],
    ],
  ],
  [
    'Secrets, whose texts are encoded',
    [
      [
        'POST',
        'secrets',
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'j', namespace },
          stringData: { password: 'x' },
        },
      ],
      ['PATCH', 'secrets/j', { metadata: { finalizers } }, mergePatch],
      ['DELETE', 'secrets/j'],
      ['PATCH', 'secrets/j', { metadata: { finalizers: [] } }, mergePatch],
      ['GET', 'secrets/j'],
    ],
  ],
  [
    'deletes collections by selector',
    [
      ['POST', 'sharedvalues', value('k', { labels: { group: 'k' } })],
      ['POST', 'sharedvalues', value('l', { labels: { group: 'k' } })],
      ['DELETE', 'sharedvalues', undefined, { query: { labelSelector: 'group=k' } }],
      ['GET', 'sharedvalues', undefined, { query: { labelSelector: 'group=k' } }],
    ],
  ],
])('the model of the simulation answers as the API server: %s', async (_, steps) => {
  const answers = await factsOf((method, path, options) => {
    const client = path.endsWith('/status') ? operator : admin
    return client.request(method, path, options)
  }, steps)
  const modelled = await factsOf((method, path, options) => model.handle(method, path, options), steps)
  expect(modelled).toEqual(answers)
})
