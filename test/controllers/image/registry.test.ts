import { beforeEach, describe, expect, test } from '@jest/globals'
import { Registry } from '../../../operator/api/registry.ts'
import { givesCredentials } from '../../../operator/controllers/image/pull-credentials.ts'
import { registryController } from '../../../operator/controllers/image/registry.ts'
import { ReconcileError, Stalled, Waiting } from '../../../operator/domain/base/errors.ts'
import { conditionsAfter, outcomeOf } from '../../../operator/kube/loop/outcome.ts'
import { createFakeCluster, type FakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { storedObject } from '../../support/builders.ts'
import { silentContext } from '../support/context.ts'
import { createFakeObjects, type FakeObjects } from '../support/fake-objects.ts'

let fake: FakeCluster
let objects: FakeObjects

beforeEach(() => {
  fake = createFakeCluster()
  objects = createFakeObjects()
  fake.addOrganization('acme')
})

function putSecret(data: Readonly<Record<string, string>>): void {
  const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])
  const metadata = { name: 'regcred', namespace: 'acme' }
  objects.put({ apiVersion: 'v1', kind: 'Secret', metadata, data: Object.fromEntries(encoded) })
}

/** Reconciles a registry; returns the reason why it is not ready, with `waiting` or `stalled`. */
async function reasonOf(spec: Registry['spec'], name = 'builds', age = '2026-01-02T00:00:00Z') {
  const metadata = { name, creationTimestamp: age }
  const registry = fake.put(Registry, storedObject(Registry, metadata, spec))
  const controller = registryController({ ...fake, client: objects.client })
  try {
    await controller.reconcile(registry, silentContext())
    return undefined
  } catch (error) {
    if (error instanceof Stalled) return `stalled: ${error.reason}`
    if (error instanceof Waiting) return `waiting: ${error.reason}`
    throw error
  }
}

const basic = { registry: 'r.test', type: 'basic', credentialsSecretName: 'regcred' } as const
const referring = (namespace = 'acme') =>
  ({ registry: 'r.test', type: 'secret_ref', secrets: { '*': { namespace, secret: 'regcred' } } }) as const
const logins = (...keys: readonly string[]) => ({
  '.dockerconfigjson': JSON.stringify({ auths: Object.fromEntries(keys.map((key) => [key, {}])) }),
})
const login = { username: 'puller', password: 'secret' }

test.each<[what: string, error: Error | undefined, gives: boolean]>([
  ['no error', undefined, true],
  ['an unexpected error', new Error('etcd is away'), true],
  ['a webhook that does not answer', new ReconcileError('Rejected', 'failed calling webhook'), true],
  ['a missing right', new ReconcileError('NotAllowed', 'cannot delete resource "secrets"'), true],
  ['a missing Secret', new Waiting('SecretNotFound', "waiting for the Secret 'regcred'"), false],
  ['an unfit Secret', new Stalled('InvalidSecret', 'has no login'), false],
])('whether a registry gives credentials after %s', (_, error, gives) => {
  const conditions = conditionsAfter([], outcomeOf(error), [], 1, '2026-01-01T00:00:00Z')
  const registry = storedObject(Registry, { name: 'builds', generation: 1 }, basic)
  expect(givesCredentials({ ...registry, status: { observedGeneration: 1, conditions } })).toBe(gives)
})

describe('a registry', () => {
  test.each<[rule: string, spec: Registry['spec'], data: object | undefined, reason: string | undefined]>([
    ['without credentials is ready', { registry: 'r.test', type: 'public' }, undefined, undefined],
    ['with user name and password is ready', basic, login, undefined],
    ['waits for its Secret', basic, undefined, 'waiting: SecretNotFound'],
    ['needs both parts', basic, { username: 'puller' }, 'stalled: InvalidSecret'],
    ['needs credentials', { registry: 'r.test', type: 'basic' }, undefined, 'stalled: RegistryNotSupported'],
    [
      'whose tokens expire is not supported',
      { ...basic, type: 'amazon_ecr' },
      login,
      'stalled: RegistryNotSupported',
    ],
    ['with an existing Secret is ready', referring(), logins('https://r.test/v2/'), undefined],
    ['with a login to all of its hosts is ready', referring(), logins('*.test'), undefined],
    ['needs a login', referring(), logins(), 'stalled: InvalidSecret'],
    ['needs a login to itself', referring(), logins('other.test'), 'stalled: InvalidSecret'],
    ['needs a Secret of the right type', referring(), login, 'stalled: InvalidSecret'],
    [
      'needs credentials that can be read',
      referring(),
      { '.dockerconfigjson': 'x' },
      'stalled: InvalidSecret',
    ],
    [
      'reads no Secret of another namespace',
      referring('kube-system'),
      undefined,
      'stalled: RegistryNotSupported',
    ],
  ])('%s', async (_, spec, data, reason) => {
    if (data) putSecret(data as Record<string, string>)
    expect(await reasonOf(spec)).toBe(reason)
  })

  test.each<[change: string, before: string | undefined, after: string | undefined]>([
    ['is created', undefined, 'r.test'],
    ['changes to it', 'other.test', 'https://r.test/'],
    ['changes from it', 'r.test', 'other.test'],
    ['is deleted', 'r.test', undefined],
  ])('is reconciled when another one for its address %s', (_, before, after) => {
    const put = (registry: string, name: string) =>
      fake.put(Registry, storedObject(Registry, { name }, { registry, type: 'public' }))
    put('r.test', 'second')
    put('third.test', 'third')
    if (before) put(before, 'first')
    const keys: string[] = []
    const { watches = [] } = registryController({ ...fake, client: objects.client })
    for (const each of watches) each.subscribe((some) => keys.push(...some))
    if (after) put(after, 'first')
    else fake.drop(Registry, 'acme', 'first')
    expect(keys).toEqual(['acme/second'])
  })

  test('is the older of two for one address', async () => {
    putSecret(login)
    expect(await reasonOf(basic, 'first', '2026-01-01T00:00:00Z')).toBeUndefined()
    expect(await reasonOf({ ...basic, registry: 'https://r.test/' }, 'second')).toBe(
      'stalled: DuplicateRegistry',
    )
    expect(await reasonOf(basic, 'first', '2026-01-01T00:00:00Z')).toBeUndefined()
  })
})
