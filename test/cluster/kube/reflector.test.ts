import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { type ApiAccess, apiCall, apiRequest, eventually } from '../../../dev/control-plane/kubernetes.ts'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { type Cluster, openCluster } from '../../../operator/kube/cache/cluster.ts'
import { stored } from '../../../operator/kube/cache/store.ts'
import { createClient } from '../../../operator/kube/client/client.ts'
import { pathOf, resourceOf } from '../../../operator/kube/client/resource.ts'
import { silentLog } from '../../../operator/log.ts'
import { createNamespace, type OwnControlPlane, startOwnControlPlane, uniqueName } from './support.ts'

const sets = resourceOf(DeploymentSet)
const isWatch = (_: string, url: string) => url.includes('deploymentsets?') && url.includes('watch=true')
let own: OwnControlPlane
let cluster: Cluster | undefined
let namespace = ''

beforeAll(async () => {
  own = await startOwnControlPlane()
  namespace = uniqueName('outage')
  await createNamespace(own.controlPlane, namespace)
})

afterEach(() => cluster?.close())
afterAll(() => own?.stop())

/** A store behind the proxy that records every notified change. */
async function openStore(idleMs = 20_000) {
  const reflector = { idleMs, pausesMs: { first: 50, most: 300 } }
  const opened = openCluster({
    client: createClient(own.connection),
    log: silentLog,
    kinds: [stored(DeploymentSet)],
    reflector,
  })
  cluster = opened
  await opened.ready
  const reported: string[] = []
  opened.store.cacheOf(DeploymentSet).subscribe(({ before, after }) => {
    reported.push(`${before ? '' : 'new '}${after ? '' : 'gone '}${(after ?? before)?.metadata.name}`)
  })
  const names = () =>
    opened.store
      .list(DeploymentSet, namespace)
      .map(({ metadata }) => metadata.name)
      .sort()
  return { reported, names }
}

async function create(name: string, access: ApiAccess = own.controlPlane): Promise<void> {
  const object = newObject(
    DeploymentSet,
    { name, namespace },
    { applicationName: 'shop', modules: {}, shared: {} },
  )
  // The answer is that it exists already: an earlier try was received.
  const { ok, status } = await apiRequest(access, 'POST', pathOf(sets, namespace), object)
  if (!ok && status !== 409) throw new Error(`answered with ${status}`)
}

test('after 410 a new list is read: a deletion during the gap is notified exactly once', async () => {
  for (const name of ['kept', 'deleted', 'made-anew']) await create(name)
  const { reported, names } = await openStore(500)
  expect(names()).toEqual(['deleted', 'kept', 'made-anew'])
  own.proxy.inject(isWatch, { kind: 'answer', status: 503 }, 1_000_000)
  own.proxy.silence(isWatch)
  for (const name of ['deleted', 'made-anew'])
    await apiCall(own.controlPlane, 'DELETE', pathOf(sets, namespace, name))
  for (const name of ['made-anew', 'added']) await create(name)
  // History ends here: neither etcd nor the API server knows the old versions any more.
  await own.controlPlane.compactEtcd()
  await own.controlPlane.restartApiServer()
  const listsBefore = own.proxy.requests.filter(
    (each) => isWatch('', each) && each.includes('sendInitialEvents'),
  ).length
  own.proxy.heal()
  await eventually(
    'the store holds what the cluster holds',
    30_000,
    async () => names().join() === 'added,kept,made-anew' || undefined,
  )
  await sleep(1500)
  // Another object of a name is two changes.
  expect(reported.sort()).toEqual(['gone deleted', 'gone made-anew', 'new added', 'new made-anew'])
  expect(
    own.proxy.requests.filter((each) => isWatch('', each) && each.includes('sendInitialEvents')).length,
  ).toBeGreaterThan(listsBefore)
})

test('an API server that dies and restarts during a stream of creates: every object is seen, once', async () => {
  const { reported, names } = await openStore()
  const wanted = Array.from({ length: 150 }, (_, i) => `stream-${i}`)
  const creating = (async () => {
    for (const name of wanted) {
      await eventually(`'${name}' is made`, 60_000, async () => {
        await create(name)
        return true
      })
    }
  })()
  await eventually('some are seen', 30_000, async () => reported.length > 20 || undefined)
  await own.controlPlane.restartApiServer()
  await creating
  await eventually(
    'all are seen',
    30_000,
    async () => wanted.every((name) => names().includes(name)) || undefined,
  )
  expect(reported.filter((each) => each.includes('stream-')).sort()).toEqual(
    wanted.map((name) => `new ${name}`).sort(),
  )
})
