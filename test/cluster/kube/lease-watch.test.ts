import { afterEach, expect, test } from '@jest/globals'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import { operatorLease, systemNamespace } from '../../../operator/api/names.ts'
import { createClient } from '../../../operator/kube/client/client.ts'
import { type Connection, loadConnection } from '../../../operator/kube/client/connection.ts'
import { startElection } from '../../../operator/kube/lease/leader.ts'
import { type LeaseWatch, watchLease } from '../../../operator/kube/lease/lease-watch.ts'
import { silentLog } from '../../../operator/log.ts'
import { startFaultProxy } from '../support/fault-proxy.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { connectionThrough, uniqueName } from './support.ts'

const { access, kubeconfigPath, operatorKubeconfig, gatewayKubeconfig } = sharedCluster()
const times = { leaseMs: 6000, renewDeadlineMs: 4000, retryMs: 200, stuckMs: 60_000 }
const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

function watching(connection: Connection, name: string): LeaseWatch {
  const client = createClient(connection)
  const watch = watchLease(client, silentLog, { namespace: systemNamespace, name })
  closing.push(async () => {
    watch.stop()
    await client.close()
  })
  return watch
}

function shows(watch: LeaseWatch, isHeld: boolean) {
  return eventually(`a lease that is ${isHeld ? '' : 'not '}held`, 60_000, async () =>
    watch.isHeld() === isHeld ? true : undefined,
  )
}

async function electedThroughProxy(name: string, identity: string) {
  const proxy = await startFaultProxy(access)
  const connection = await connectionThrough(proxy, operatorKubeconfig)
  const election = startElection({
    connection,
    log: silentLog,
    namespace: systemNamespace,
    name,
    identity,
    times,
  })
  closing.push(async () => {
    proxy.heal()
    await election.release()
    await proxy.close()
  })
  await election.elected
  return { election, proxy }
}

test('the gateway may watch the lease of the operator, and sees that it is held', async () => {
  const watch = watching(await loadConnection({ kubeconfig: gatewayKubeconfig }), operatorLease)
  expect(watch.isHeld()).toBeUndefined()
  await shows(watch, true)
})

test('a lease is held from the election to its release, and again by the next holder', async () => {
  const name = uniqueName('lease')
  const watch = watching(await loadConnection({ kubeconfig: kubeconfigPath }), name)
  await shows(watch, false)
  const { election } = await electedThroughProxy(name, 'first')
  await shows(watch, true)
  await election.release()
  await shows(watch, false)
  await electedThroughProxy(name, 'second')
  await shows(watch, true)
})

test('a lease that is no longer renewed has no holder, in spite of its spec', async () => {
  const name = uniqueName('lease')
  const watch = watching(await loadConnection({ kubeconfig: kubeconfigPath }), name)
  const { proxy } = await electedThroughProxy(name, 'first')
  await shows(watch, true)
  proxy.inject(() => true, { kind: 'freeze' }, 1_000_000)
  await shows(watch, false)
})

test('a watch that fails says nothing about a lease that is held', async () => {
  const name = uniqueName('lease')
  await electedThroughProxy(name, 'first')
  const proxy = await startFaultProxy(access)
  closing.push(() => proxy.close())
  const watch = watching(await connectionThrough(proxy, kubeconfigPath), name)
  await shows(watch, true)
  const before = proxy.requests.length
  proxy.silence((_, url) => url.includes('watch'))
  proxy.inject((_, url) => url.includes('watch'), { kind: 'answer', status: 500 }, 3)
  const seen = new Set<boolean | undefined>()
  // It fails three times to begin again, and then continues.
  await eventually('the watch continues', 90_000, async () => {
    seen.add(watch.isHeld())
    return proxy.requests.length > before + 3 ? true : undefined
  })
  await shows(watch, true)
  expect([...seen]).toEqual([true])
})
