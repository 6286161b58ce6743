import { describe, expect, test } from '@jest/globals'
import type { WorkloadPods } from '../../../operator/controllers/rollout/workload-pods.ts'
import { Stalled, Waiting } from '../../../operator/domain/base/errors.ts'
import { podStateOf } from '../../../operator/domain/rendering/pod-state.ts'
import { environmentNamespace } from '../../../operator/domain/resource/identity.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { activeResource, context, driver, storedMeta } from '../../support/builders.ts'
import { createWorld, type World } from '../support/world.ts'

/** Makes objects of the kind. */
const rendererOf = (kind: string, names: readonly string[]): Driver => ({
  descriptor: driver('renderer'),
  async provision() {
    const objects = names.map((name) => ({ apiVersion: 'apps/v1', kind, metadata: { name }, spec: {} }))
    return { outputs: { values: {}, secrets: {} }, objects }
  },
  async deprovision() {},
})

const workload = activeResource(
  { type: 'workload', resourceId: 'modules.store' },
  { definition: { definitionName: 'workload', driverType: 'quartermaster/renderer' } },
)

const namespace = environmentNamespace(context())

/** A world where the workload is an object of the kind, with these pods, or several. */
async function worldWith(
  kind: string,
  found: readonly object[],
  serverNow = Date.now,
  names: readonly string[] = ['store'],
): Promise<World> {
  const pods = { await: async () => found, forget() {} } as unknown as WorkloadPods // its public part
  const rollouts = { pods, policy: 'wait', schedulingSeconds: 30, serverNow } as const
  const world = createWorld([rendererOf(kind, names)], { rollouts })
  world.put(workload)
  await world.reconcile(workload)
  return world
}

/** Reconciles the workload while its StatefulSet updates from revision `a` to `b`, and a pod with these labels cannot run. */
async function updateWith(
  labels: Readonly<Record<string, string>>,
  inNamespace = namespace,
): Promise<unknown> {
  const waiting = { reason: 'ImagePullBackOff', message: 'no such image' }
  const pod = {
    metadata: storedMeta({ name: 'store-0', namespace: inNamespace, labels }),
    state: podStateOf({ containerStatuses: [{ name: 'main', state: { waiting } }] }),
  }
  const world = await worldWith('StatefulSet', [pod])
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

test.each(['a', 'b'])(
  'a pod that others label like one of revision %s changes no rollout',
  async (revision) => {
    expect(await updateWith({ 'controller-revision-hash': revision }, 'globex')).toMatchObject({
      reason: 'Progressing',
    })
  },
)

test.each([
  [-60, 10, Waiting],
  [-60, 40, Stalled],
  [60, 10, Waiting],
  [60, 40, Stalled],
])(
  'with a clock that is %s minutes ahead, a pod has had no node for %s of 30 seconds',
  async (minutes, seconds, expected) => {
    const serverNow = () => Date.now() - minutes * 60_000
    const lastTransitionTime = new Date(serverNow() - seconds * 1000).toISOString()
    const scheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', lastTransitionTime }
    const state = podStateOf({ conditions: [scheduled] })
    const labels = { 'controller-revision-hash': 'b' }
    const pod = { metadata: storedMeta({ name: 'store-0', namespace, labels }), state }
    const world = await worldWith('StatefulSet', [pod], serverNow)
    const observedGeneration = world.objects.get('StatefulSet', 'store')?.metadata.generation
    world.objects.touchStatus('StatefulSet', 'store', { observedGeneration, updateRevision: 'b' })
    const error = await world.reconcile(workload)
    expect(error).toBeInstanceOf(expected)
    expect(error).toMatchObject({ reason: 'Unschedulable' })
  },
)

/** Reconciles the workload while its Deployment reports refused pods, as the ReplicaSet of this revision does. */
async function refusedAt(revision: number): Promise<unknown> {
  const world = await worldWith('Deployment', [])
  const key = 'deployment.kubernetes.io/revision'
  const namespace = world.objects.get('Deployment', 'store')?.metadata.namespace ?? ''
  const { metadata } = world.objects.put({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'store', namespace, annotations: { [key]: '2' } },
  })
  const { uid, generation } = metadata
  const conditions = [{ type: 'ReplicaFailure', status: 'True', message: 'exceeded quota' }]
  world.objects.touchStatus('Deployment', 'store', { observedGeneration: generation, conditions })
  for (const each of [1, 2])
    world.objects.put({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        name: `store-${each}`,
        annotations: { [key]: `${each}` },
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'store', uid }],
      },
      status: each === revision ? { conditions } : {},
    })
  return world.reconcile(workload)
}

test('the rollout of a Deployment fails when the pods of its newest ReplicaSet are refused', async () => {
  expect(await refusedAt(2)).toMatchObject({ reason: 'PodQuotaExceeded' })
})

test('it continues when those of an earlier one are, and is judged again soon', async () => {
  expect(await refusedAt(1)).toMatchObject({ reason: 'Progressing', retryAfterSeconds: 5 })
})

describe('a workload of several objects, which a definition makes,', () => {
  const names = ['first', 'second']
  const complete = { replicas: 1, updatedReplicas: 1, availableReplicas: 1 }
  const overdue = {
    conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }],
  }
  const touch = (world: World, name: string, status: object, kind = 'Deployment') =>
    world.objects.touchStatus(kind, name, {
      observedGeneration: world.objects.get(kind, name)?.metadata.generation,
      ...status,
    })

  test.each<[rule: string, statuses: readonly object[], reason: string | undefined]>([
    ['waits for the first', [{}, complete], 'Progressing'],
    ['waits for the last', [complete, {}], 'Progressing'],
    ['is ready when all are complete', [complete, complete], undefined],
    ['fails when one cannot end', [{}, overdue], 'ProgressDeadlineExceeded'],
  ])('%s', async (_, statuses, reason) => {
    const world = await worldWith('Deployment', [], Date.now, names)
    for (const [i, name] of names.entries()) touch(world, name, statuses[i] ?? {})
    const error = (await world.reconcile(workload)) as { readonly reason: string } | undefined
    expect(error?.reason).toBe(reason)
  })

  test('is enqueued when any of them changes', async () => {
    const world = await worldWith('Deployment', [], Date.now, names)
    touch(world, 'first', complete)
    await world.reconcile(workload)
    world.enqueued.length = 0
    touch(world, 'second', complete)
    expect(world.enqueued).toHaveLength(1)
  })

  test('takes no pod of one for an earlier one of another', async () => {
    const waiting = { reason: 'ImagePullBackOff', message: 'no such image' }
    const pod = {
      metadata: storedMeta({ name: 'first-0', labels: { 'controller-revision-hash': 'first-1' } }),
      state: podStateOf({ containerStatuses: [{ name: 'main', state: { waiting } }] }),
    }
    const world = await worldWith('StatefulSet', [pod], Date.now, names)
    const revision = (name: string) => ({ currentRevision: `${name}-1`, updateRevision: `${name}-1` })
    touch(world, 'first', { ...revision('first'), updatedReplicas: 1, readyReplicas: 1 }, 'StatefulSet')
    touch(world, 'second', revision('second'), 'StatefulSet')
    expect(await world.reconcile(workload)).toMatchObject({ reason: 'Progressing' })
  })
})
