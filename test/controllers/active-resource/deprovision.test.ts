import { setTimeout } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { ActiveResource, type ProvisionedInstance } from '../../../operator/api/active-resource.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { annotations, finalizer } from '../../../operator/api/names.ts'
import { ResourceAccount } from '../../../operator/api/resource-account.ts'
import { activeResourceController } from '../../../operator/controllers/active-resource/active-resource.ts'
import { ReconcileError, Stalled, Waiting } from '../../../operator/domain/base/errors.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import type { KubeClient, RequestOptions } from '../../../operator/kube/client/client.ts'
import { type Loop, startController } from '../../../operator/kube/loop/controller-loop.ts'
import { silentLog } from '../../../operator/log.ts'
import { createFakeCluster, type FakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { activeResource, driver } from '../../support/builders.ts'
import { resourceTools } from '../support/resource-tools.ts'

const canary = 'canary-token'
const fake = createFakeCluster()
let events: { reason: string; message: string }[] = []
let missing = false
/** The behaviour of the driver in a deprovision call. */
let deprovision: Driver['deprovision'] = async () => {}

const client = {
  async request(method: string, path: string, { body }: RequestOptions = {}) {
    if (path.endsWith('/events')) return events.push(body as (typeof events)[number]) // the only object that is created
    if (method !== 'GET' || missing) return answerMissing(path)
    return { metadata: { name: 'cf' }, data: { token: Buffer.from(canary).toString('base64') } }
  },
} as unknown as KubeClient // no other call is made

function answerMissing(path: string): never {
  throw new ApiError(404, 'NotFound', `'${path}' not found`)
}

const cluster: FakeCluster = {
  ...fake,
  client,
  async replaceStatus(kind, { metadata: { namespace, name } }, status) {
    fake.setStatus(kind, namespace, name, JSON.parse(JSON.stringify(status)) as object)
    return fake.store.get(kind, namespace, name) as never // just written
  },
}

const remote: Driver = {
  descriptor: driver('remote', { remote: true }),
  provision: async () => ({ outputs: { values: {}, secrets: {} }, objects: [] }),
  deprovision: (request) => deprovision(request),
}

/** The loop over resources, with pauses that a test can wait for. */
function start(): Loop {
  const controller = activeResourceController(resourceTools(cluster, [remote]))
  const backoffMs = { first: 5, most: 5 }
  return startController(cluster, controller, { log: silentLog, isActive: () => true, backoffMs })
}

const deletionTimestamp = '2026-01-01T00:00:00Z'

/** A resource that is being deleted, and its external object. */
function deletedResource(existing: Partial<ProvisionedInstance> = {}): ActiveResource {
  const provisioned = { driverType: 'quartermaster/remote', accountName: 'cf', credentialsSecretName: 'cf' }
  const made = activeResource(
    { type: 'dns', resourceId: 'shared.dns' },
    {},
    { generation: 2, deletionTimestamp, finalizers: [finalizer] },
  )
  return cluster.put(ActiveResource, {
    ...made,
    status: {
      observedGeneration: 1,
      conditions: [],
      provisioned: { ...provisioned, identity: { zone: 'z1' }, ...existing },
    },
  })
}

const now = () => cluster.store.list(ActiveResource, 'acme')[0]

/** Reconciles until the resource is as wanted; Waiting is written after two seconds. */
async function until(isWanted: (resource: ActiveResource | undefined) => boolean) {
  for (let tries = 0; tries < 1000 && !isWanted(now()); tries += 1) await setTimeout(5)
  expect(isWanted(now())).toBe(true)
  return now()
}

const readyOf = (resource: ActiveResource | undefined) =>
  resource?.status?.conditions?.find(({ type }) => type === 'Ready')

function detach(resource: ActiveResource, mark = 'true') {
  const metadata = { annotations: { [annotations.detach]: mark } }
  return cluster.patch(ActiveResource, resource, { metadata })
}

beforeEach(() => {
  fake.reset()
  cluster.addOrganization('acme')
  cluster.put(
    ResourceAccount,
    newObject(
      ResourceAccount,
      { name: 'cf', namespace: 'acme' },
      { type: 'cloudflare', credentialsSecretName: 'cf' },
    ),
  )
  events = []
  missing = false
})

describe('a deletion whose driver throws', () => {
  const refuses = async () => {
    throw new Error(`zone z1 answered 403 to 'Bearer ${canary}'`)
  }

  test('names the failed step, the reason and the way to detach; it contains no secret', async () => {
    deprovision = refuses
    const resource = deletedResource()
    const loop = start()
    const failed = await until((each) => (each?.status?.attempts ?? 0) >= 3)
    await loop.stop()
    const ready = readyOf(failed)
    expect(ready).toMatchObject({ status: 'False', reason: 'DeprovisionFailed' })
    expect(ready?.message).toContain('zone z1 answered 403')
    expect(ready?.message).toContain("'quartermaster/remote'")
    expect(ready?.message).toContain(
      `kubectl annotate activeresources.quartermaster.dev ${resource.metadata.name} -n acme quartermaster.dev/detach=true`,
    )
    expect(Date.parse(failed?.status?.nextAttemptTime ?? '')).not.toBeNaN()
    expect(JSON.stringify(failed)).not.toContain(canary)
  })

  test('keeps the data for a retry, and ends when the driver succeeds', async () => {
    let calls = 0
    const seen: unknown[] = []
    deprovision = async ({ identity, account }) => {
      seen.push([identity, account])
      calls += 1
      if (calls < 3) throw new Error('not yet')
    }
    deletedResource()
    const loop = start()
    await until((each) => each === undefined)
    await loop.stop()
    const reported = [{ zone: 'z1' }, { token: canary }]
    expect(seen).toEqual([reported, reported, reported])
  })
})

describe('a deletion that never ends is ended by detach, which records the objects that are left behind', () => {
  test.each<
    [why: string, reason: string, existing: Partial<ProvisionedInstance>, act: Driver['deprovision']]
  >([
    [
      'the driver throws',
      'DeprovisionFailed',
      {},
      async () => {
        throw new Error('no')
      },
    ],
    [
      'the driver cannot be reached',
      'DriverUnreachable',
      {},
      async () => {
        throw new ReconcileError('DriverUnreachable', 'no answer')
      },
    ],
    [
      'the driver needs a person',
      'NotAllowed',
      {},
      async () => {
        throw new Stalled('NotAllowed', 'the token may not')
      },
    ],
    [
      'the driver waits',
      'RateLimited',
      {},
      async () => {
        throw new Waiting('RateLimited', 'the zone is locked', 1)
      },
    ],
    ['no driver is named so any more', 'UnknownDriver', { driverType: 'acme/former' }, async () => {}],
    ['the credentials are missing', 'SecretNotFound', {}, async () => {}],
  ])('%s', async (_, reason, existing, act) => {
    deprovision = act
    missing = reason === 'SecretNotFound'
    const resource = deletedResource(existing)
    const loop = start()
    const stuck = await until((each) => readyOf(each)?.reason === reason)
    expect(readyOf(stuck)?.message).toContain('quartermaster.dev/detach=true')
    await detach(resource)
    await until((each) => each === undefined)
    await loop.stop()
    const [event] = events
    expect(event?.reason).toBe('Detached')
    for (const word of ['dns.default#shared.dns', 'shop.dev', "account 'cf'", 'z1'])
      expect(event?.message).toContain(word)
  })
})

test.each([
  ['a detached resource calls no driver', 'true', 0],
  [
    'a mark of an earlier request to detach, which did not delete the resource, has no effect',
    '2025-01-01T00:00:00.000Z',
    1,
  ],
])('%s', async (_, mark, expected) => {
  let calls = 0
  deprovision = async () => {
    calls += 1
  }
  await detach(deletedResource(), mark)
  const loop = start()
  await until((each) => each === undefined)
  await loop.stop()
  expect(calls).toBe(expected)
})
