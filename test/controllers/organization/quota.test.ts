import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import type { StoredMeta } from '../../../operator/api/kind.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { Webhook } from '../../../operator/api/webhook.ts'
import { startOrganizationQuotas } from '../../../operator/controllers/organization/quota.ts'
import type { ResourceQuota } from '../../../operator/domain/base/quota.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import type { KubeClient } from '../../../operator/kube/client/client.ts'
import { silentLog } from '../../../operator/log.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { quota, storedMeta } from '../../support/builders.ts'

const webhooks = 'count/webhooks.quartermaster.dev'
const resources = 'count/activeresources.quartermaster.dev'
const limits = { [webhooks]: 2, [resources]: 100 }
const hard = { [webhooks]: '2', [resources]: '100' }

function withSpec(name: string, limited: Readonly<Record<string, string>>): ResourceQuota {
  return { ...quota(name), spec: { hard: limited } }
}

/** An organization `acme`, and the requests of the task. */
function setUp(failures: readonly Error[] = []) {
  const requests: string[] = []
  const left = [...failures]
  const fake = createFakeCluster()
  const request: KubeClient['request'] = async (method, path, options = {}) => {
    const { metadata, spec } = options.body as ResourceQuota // the only request of the task
    requests.push(`${method} ${path} ${metadata.name} ${JSON.stringify(spec?.hard)}`)
    const failure = left.shift()
    if (failure) throw failure
    return { ...withSpec(metadata.name, spec?.hard ?? {}) }
  }
  const cluster = { ...fake, client: { request } as unknown as KubeClient } // the task watches nothing by itself
  cluster.addOrganization('acme')
  const put = (changes: Partial<StoredMeta> = {}) =>
    cluster.store.namespaces.set({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: storedMeta({ name: 'acme', ...changes }),
    })
  const start = (given: Readonly<Record<string, number>> = limits) =>
    startOrganizationQuotas(cluster, {
      limits: given,
      log: silentLog,
      isActive: () => true,
      graceMs: 0,
      startMs: 0,
    })
  return { cluster, requests, put, start }
}

const created = `POST /api/v1/namespaces/acme/resourcequotas quartermaster ${JSON.stringify(hard)}`

/** Long enough for the task to begin. */
const settled = () => sleep(30)

describe('the default quota', () => {
  test('is created once in an organization without limits', async () => {
    const { requests, put, start } = setUp()
    put()
    const task = start()
    await settled()
    put({ resourceVersion: '2' })
    await settled()
    expect(requests).toEqual([created])
    await task.stop()
  })

  test.each<[rule: string, prepare: (world: ReturnType<typeof setUp>) => void]>([
    ['with a quota of that name', ({ cluster }) => cluster.store.quotas.set(withSpec('quartermaster', {}))],
    [
      'with another quota that limits one of the kinds',
      ({ cluster }) => cluster.store.quotas.set(withSpec('team', { [webhooks]: '9' })),
    ],
    [
      'that is being deleted',
      ({ put }) => put({ deletionTimestamp: '2026-02-01T00:00:00Z', resourceVersion: '2' }),
    ],
    ['that is none any more', ({ cluster }) => cluster.reset()],
  ])('is not created in an organization %s', async (_, prepare) => {
    const world = setUp()
    world.put()
    const task = world.start()
    prepare(world)
    await settled()
    expect(world.requests).toEqual([])
    await task.stop()
  })

  test('is created beside a quota of other kinds, and again when it is deleted', async () => {
    const { cluster, requests, put, start } = setUp()
    cluster.store.quotas.set(withSpec('pods', { pods: '9' }))
    put()
    const task = start()
    await settled()
    const own = cluster.store.quotas.get('acme', 'quartermaster')
    if (own) cluster.store.quotas.remove(own)
    await settled()
    expect(requests).toHaveLength(2)
    await task.stop()
  })

  test('leaves out a kind of which the organization has more already', async () => {
    const { cluster, requests, put, start } = setUp()
    for (const name of ['a', 'b', 'c'])
      cluster.put(
        Webhook,
        newObject(Webhook, { namespace: 'acme', name }, { applicationName: 'shop', url: 'x' }),
      )
    put()
    const task = start()
    await settled()
    expect(requests).toEqual([created.replace(/"count.webhooks[^,]*,/, '')])
    await task.stop()
  })

  test('is not created without limits', async () => {
    const { requests, put, start } = setUp()
    put()
    const task = start({})
    await settled()
    expect(requests).toEqual([])
    await task.stop()
  })

  test('is left to a person who created it in the meantime', async () => {
    const { requests, put, start } = setUp([new ApiError(409, 'AlreadyExists', 'exists')])
    put()
    const task = start()
    await settled()
    expect(requests).toEqual([created])
    await task.stop()
  })
})
