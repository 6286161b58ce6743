import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { annotations } from '../../../operator/api/names.ts'
import { WorkloadPods } from '../../../operator/controllers/rollout/workload-pods.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import type { KubeClient } from '../../../operator/kube/client/client.ts'
import { silentLog } from '../../../operator/log.ts'

const list = JSON.stringify({
  type: 'BOOKMARK',
  object: {
    metadata: { resourceVersion: '5', annotations: { 'k8s.io/initial-events-end': 'true' } },
  },
})

/** A pod of a resource that has no node, as an event. */
const pendingPod = (resource: string) =>
  JSON.stringify({
    type: 'ADDED',
    object: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'p',
        namespace: 'n',
        uid: 'u',
        resourceVersion: '4',
        annotations: { [annotations.resource]: resource },
      },
      status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] },
    },
  })

/** An API server that allows the watch of pods until `revoke`. */
function podServer() {
  const revoked = new AbortController()
  const served = { isAllowed: true, open: 0, pods: [] as string[], revoke }
  function revoke() {
    served.isAllowed = false
    revoked.abort()
  }
  const client: KubeClient = {
    request: async () => undefined,
    async *watch(_, { signal }) {
      if (!served.isAllowed) throw new ApiError(403, 'Forbidden', 'pods is forbidden')
      served.open += 1
      try {
        yield* [...served.pods, list]
        const ends = revoked.signal.aborted ? [signal] : [signal, revoked.signal]
        await sleep(60_000, undefined, { signal: AbortSignal.any(ends.filter((each) => each !== undefined)) })
      } finally {
        served.open -= 1
      }
    },
    close: async () => {},
  }
  return { served, client }
}

test('pods are watched once, also after the right to watch them was lost for a time', async () => {
  const { served, client } = podServer()
  const pods = new WorkloadPods(client, silentLog)
  const awaitPods = () => pods.await('acme/web', 'f'.repeat(40))
  await awaitPods()
  served.revoke()
  while (served.open > 0) await sleep(1)
  for (const _ of [1, 2, 3]) {
    await sleep(20) // the watch learns that it is refused
    await expect(awaitPods()).rejects.toThrow('pods is forbidden')
  }
  served.isAllowed = true
  expect(await awaitPods()).toEqual([])
  await sleep(1500) // longer than the pause of a watch that was refused twice
  expect(served.open).toBe(1)
  pods.stop()
})

test('who waits hears of its pods when the right is back, also if no other asks again', async () => {
  const { served, client } = podServer()
  const pods = new WorkloadPods(client, silentLog)
  const heard: string[] = []
  pods.onEnqueue((key) => heard.push(key))
  await pods.await('acme/a', 'f'.repeat(40))
  await pods.await('acme/b', 'e'.repeat(40))
  served.revoke()
  while (served.open > 0) await sleep(1)
  await sleep(20)
  await expect(pods.await('acme/a', 'f'.repeat(40))).rejects.toThrow('pods is forbidden')
  pods.forget('acme/a')
  served.pods = [pendingPod('acme/b')]
  served.isAllowed = true
  while (heard.length === 0) await sleep(10)
  expect(heard).toEqual(['acme/b'])
  pods.stop()
})

test('of labels, those that rollouts read are kept: any user can give a pod very many', async () => {
  const { served, client } = podServer()
  const read = {
    'app.kubernetes.io/instance': 'a',
    'batch.kubernetes.io/controller-uid': 'b',
    'controller-revision-hash': 'c',
    'pod-template-hash': 'd',
  }
  const pod = JSON.parse(pendingPod('acme/a')) as { object: { metadata: object } }
  Object.assign(pod.object.metadata, { labels: { ...read, other: 'x'.repeat(63) } })
  served.pods.push(JSON.stringify(pod))
  const pods = new WorkloadPods(client, silentLog)
  const [kept] = await pods.await('acme/a', 'a')
  pods.stop()
  expect(kept?.metadata.labels).toEqual(read)
})
