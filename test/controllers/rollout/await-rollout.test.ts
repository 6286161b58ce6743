import { expect, test } from '@jest/globals'
import type { WorkloadPods } from '../../../operator/controllers/rollout/workload-pods.ts'
import { podStateOf } from '../../../operator/domain/rendering/pod-state.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { activeResource, driver, storedMeta } from '../../support/builders.ts'
import { createWorld } from '../support/world.ts'

/** Makes a StatefulSet. */
const renderer: Driver = {
  descriptor: driver('renderer'),
  async provision() {
    const object = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'store' }, spec: {} }
    return { outputs: { values: {}, secrets: {} }, objects: [object] }
  },
  async deprovision() {},
}

const workload = activeResource(
  { type: 'workload', resourceId: 'modules.store' },
  { definition: { definitionName: 'workload', driverType: 'quartermaster/renderer' } },
)

/** Reconciles the workload while its StatefulSet updates from revision `a` to `b`, and a pod with these labels cannot run. */
async function updateWith(labels: Readonly<Record<string, string>>): Promise<unknown> {
  const waiting = { reason: 'ImagePullBackOff', message: 'no such image' }
  const pod = {
    metadata: storedMeta({ name: 'store-0', labels }),
    state: podStateOf({ containerStatuses: [{ name: 'main', state: { waiting } }] }),
  }
  const pods = { await: async () => [pod], forget() {} } as unknown as WorkloadPods // its public part
  const world = createWorld([renderer], { rollouts: { pods, policy: 'wait', schedulingSeconds: 30 } })
  world.put(workload)
  await world.reconcile(workload)
  const generation = world.objects.get('StatefulSet', 'store')?.metadata.generation
  world.objects.touchStatus('StatefulSet', 'store', {
    observedGeneration: generation,
    replicas: 1,
    currentRevision: 'a',
    updateRevision: 'b',
  })
  return world.reconcile(workload)
}

test.each<[pod: string, labels: Readonly<Record<string, string>>, reason: string]>([
  ['of the newest revision fails', { 'controller-revision-hash': 'b' }, 'ImagePullBackOff'],
  [
    'of an earlier revision, which is not replaced, fails',
    { 'controller-revision-hash': 'a' },
    'ImagePullBackOff',
  ],
  ['of a replaced Deployment continues', { 'pod-template-hash': 'a' }, 'Progressing'],
])('the rollout of a StatefulSet with a broken pod %s', async (_, labels, reason) => {
  expect(await updateWith(labels)).toMatchObject({ reason })
})
