import { describe, expect, test } from '@jest/globals'
import { Application } from '../../../../operator/api/application.ts'
import { AutomationRule } from '../../../../operator/api/automation-rule.ts'
import { DeploymentDelta } from '../../../../operator/api/deployment-delta.ts'
import { Environment } from '../../../../operator/api/environment.ts'
import type { Kind } from '../../../../operator/api/kind.ts'
import { finalizer } from '../../../../operator/api/names.ts'
import { SharedValue } from '../../../../operator/api/shared-value.ts'
import { Webhook } from '../../../../operator/api/webhook.ts'
import { ApiError, NoAnswer } from '../../../../operator/kube/client/api-error.ts'
import { addEnvironment } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'
import { behindItsBack } from '../../support/stale-objects.ts'

const gateway = await setUpGateway(() => {
  addEnvironment(gateway)
})

const app = '/orgs/acme/apps/shop'
const environment = `${app}/envs/development`
const value = { key: 'COLOUR', description: 'd', value: 'blue' }

interface Creation {
  readonly path: string
  readonly body: object
  readonly kind: Kind
  /** Kind of the object that the new one belongs to. */
  readonly target: Kind
}

const creations: readonly Creation[] = [
  { path: `${app}/webhooks`, body: { id: 'hook', url: 'h.example.com' }, kind: Webhook, target: Application },
  { path: `${app}/values`, body: value, kind: SharedValue, target: Application },
  { path: `${app}/values`, body: { ...value, is_secret: true }, kind: SharedValue, target: Application },
  { path: `${app}/deltas`, body: {}, kind: DeploymentDelta, target: Application },
  { path: `${app}/envs`, body: { id: 'qa', name: 'QA' }, kind: Environment, target: Application },
  { path: `${environment}/values`, body: value, kind: SharedValue, target: Environment },
  { path: `${environment}/rules`, body: { type: 'update' }, kind: AutomationRule, target: Environment },
]

/** What happens to the target without the knowledge of the gateway, and how it answers. */
const events: readonly [
  event: string,
  happen: (kind: Kind, namespace: string, name: string) => void,
  status: number,
][] = [
  ['is gone', (...of) => gateway.cluster.drop(...of), 404],
  [
    'is being deleted',
    (kind, ...of) => {
      const object = gateway.cluster.store.get<Kind>(kind, ...of)
      const going = { deletionTimestamp: '2026-03-01T00:00:00Z', finalizers: ['x/y'] }
      if (object) gateway.cluster.put<Kind>(kind, { ...object, metadata: { ...object.metadata, ...going } })
    },
    409,
  ],
  [
    'is another one of the same id',
    (kind, ...of) => {
      const object = gateway.cluster.store.get<Kind>(kind, ...of)
      gateway.cluster.drop(kind, ...of)
      const { uid: _, ...metadata } = object?.metadata ?? { namespace: '', name: '' }
      if (object) gateway.cluster.put<Kind>(kind, { ...object, metadata })
    },
    404,
  ],
]

/** Names of the objects of a kind that are not being deleted. */
const namesOf = (kind: Kind) =>
  gateway.cluster.store
    .list(kind, 'acme')
    .filter(({ metadata }) => !metadata.deletionTimestamp)
    .map(({ metadata }) => metadata.name)

describe.each(creations)('POST $path, whose target the gateway knows,', ({ path, body, kind, target }) => {
  const post = async () => (await gateway.send(`POST ${path}`, { body })).status

  test.each(events)('but that %s, leaves nothing', async (_, happen, status) => {
    const before = namesOf(kind)
    const restore = await behindItsBack(gateway, target, (...of) => happen(target, ...of))
    const answer = await post()
    restore()
    expect([answer, namesOf(kind)]).toEqual([status, before])
  })

  test.each(events.slice(1, 2))('and that %s, writes nothing', async (_, happen, status) => {
    happen(target, 'acme', target === Environment ? 'shop.development' : 'shop')
    gateway.cluster.writes.length = 0
    expect([await post(), gateway.cluster.writes]).toEqual([status, []])
  })

  test('but cannot read, leaves nothing', async () => {
    const before = namesOf(kind)
    gateway.cluster.failNext(`read ${target.kind}`, new ApiError(403, 'Forbidden', 'no right'))
    expect(await post()).toBe(500)
    expect(namesOf(kind)).toEqual(before)
    expect([200, 201]).toContain(await post())
  })

  describe('and the operator has not seen,', () => {
    const name = target === Environment ? 'shop.development' : 'shop'
    const finalizersOf = () => gateway.cluster.store.get<Kind>(target, 'acme', name)?.metadata.finalizers
    const setFinalizers = (finalizers: string[]) => {
      const object = gateway.cluster.store.get<Kind>(target, 'acme', name)
      const metadata = { namespace: 'acme', ...object?.metadata, name, finalizers }
      if (object) gateway.cluster.put<Kind>(target, { ...object, metadata })
    }

    test('keeps it until the operator has cleaned up', async () => {
      setFinalizers(['x/y'])
      expect([200, 201]).toContain(await post())
      expect(finalizersOf()).toEqual(['x/y', finalizer])
      gateway.cluster.writes.length = 0
      await post()
      expect(gateway.cluster.writes.filter((each) => each.startsWith(`patch ${target.kind}`))).toEqual([])
    })

    test('does so too when another client changes it at the same time', async () => {
      setFinalizers([])
      gateway.cluster.failNext(`patch ${target.kind}`, new ApiError(409, 'Conflict', 'modified'))
      expect([200, 201]).toContain(await post())
      expect(finalizersOf()).toEqual([finalizer])
    })
  })
})

describe.each(creations.filter(({ kind, body }) => kind === Webhook || 'is_secret' in body))(
  'POST $path that completes what an equal request began,',
  ({ path, body, kind, target }) => {
    const ends = new Set(['is gone', 'is being deleted'])

    test.each(events)('but whose target %s, leaves only what a later target may have', async (...row) => {
      const [event, happen, status] = row
      await gateway.send(`POST ${path}`, { body })
      gateway.cluster.secrets.length = 0
      const made = namesOf(kind)
      const restore = await behindItsBack(gateway, target, (...of) => happen(target, ...of))
      const answer = await gateway.send(`POST ${path}`, { body })
      restore()
      expect([answer.status, made.length, namesOf(kind)]).toEqual([status, 1, ends.has(event) ? [] : made])
    })
  },
)

test('a creation gives up when the cluster never lets its target be kept, and leaves nothing', async () => {
  const shop = gateway.cluster.store.get(Application, 'acme', 'shop')
  if (shop) gateway.cluster.put(Application, { ...shop, metadata: { ...shop.metadata, finalizers: [] } })
  const { patch } = gateway.cluster
  let patches = 0
  Object.assign(gateway.cluster, {
    async patch(...given: Parameters<typeof patch>) {
      if (++patches > 1000) return patch(...given)
      throw new ApiError(409, 'Conflict', 'modified')
    },
  })
  const { status } = await gateway.send(`POST ${app}/deltas`, { body: {} })
  Object.assign(gateway.cluster, { patch })
  expect([status, namesOf(DeploymentDelta)]).toEqual([409, []])
})

test('a role that may have been given, although its answer is lost, ends with its target', async () => {
  gateway.addUser('guest')
  gateway.addMember('acme', 'guest', { role: 'member' })
  const shop = gateway.cluster.store.get(Application, 'acme', 'shop')
  if (shop) gateway.cluster.put(Application, { ...shop, metadata: { ...shop.metadata, finalizers: [] } })
  gateway.cluster.failNext('replace Membership', new NoAnswer('reset'))
  const { status } = await gateway.send(`POST ${app}/users`, { body: { id: 'guest', role: 'viewer' } })
  const { finalizers } = gateway.cluster.store.get(Application, 'acme', 'shop')?.metadata ?? {}
  expect([status, finalizers]).toEqual([500, [finalizer]])
})
