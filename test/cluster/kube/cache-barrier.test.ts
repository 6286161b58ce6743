import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { apiCall } from '../../../dev/control-plane/kubernetes.ts'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { createCacheBarrier } from '../../../operator/kube/cache/cache-barrier.ts'
import { type Cluster, openCluster } from '../../../operator/kube/cache/cluster.ts'
import { stored } from '../../../operator/kube/cache/store.ts'
import { createClient } from '../../../operator/kube/client/client.ts'
import { pathOf, resourceOf } from '../../../operator/kube/client/resource.ts'
import { silentLog } from '../../../operator/log.ts'
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { connectionThrough, createNamespace, uniqueName } from './support.ts'

const { access, kubeconfigPath } = sharedCluster()
const namespace = uniqueName('barrier')
const sets = resourceOf(DeploymentSet)
let proxy: FaultProxy
let cluster: Cluster

beforeAll(async () => {
  proxy = await startFaultProxy(access)
  await createNamespace(access, namespace)
  const client = createClient(await connectionThrough(proxy, kubeconfigPath))
  cluster = openCluster({ client, log: silentLog, kinds: [stored(DeploymentSet)] })
  await cluster.ready
})
afterAll(async () => {
  await cluster?.close()
  await proxy?.close()
})

const known = (name: string) => cluster.store.get(DeploymentSet, namespace, name) !== undefined

async function create(name: string): Promise<void> {
  const spec = { applicationName: 'shop', modules: {}, shared: {} }
  await apiCall(access, 'POST', pathOf(sets, namespace), newObject(DeploymentSet, { name, namespace }, spec))
}

test('writes and deletions of others are known after the barrier, every time', async () => {
  const awaitCache = createCacheBarrier(cluster, [DeploymentSet])
  for (let round = 0; round < 50; round += 1) {
    const name = `shop.round-${round}`
    await create(name)
    await awaitCache(namespace)
    expect(known(name)).toBe(true)
    await apiCall(access, 'DELETE', pathOf(sets, namespace, name))
    await awaitCache(namespace)
    expect(known(name)).toBe(false)
  }
})

test('a cache without contact does not pass its content off as complete', async () => {
  proxy.silence((_, url) => url.includes('watch=true'))
  await create('shop.unheard')
  const awaitCache = createCacheBarrier(cluster, [DeploymentSet], 300)
  await expect(awaitCache(namespace)).rejects.toMatchObject({ reason: 'CacheBehind' })
})
