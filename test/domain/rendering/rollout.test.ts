import { describe, expect, test } from '@jest/globals'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { podStateOf } from '../../../operator/domain/rendering/pod-state.ts'
import {
  type EarlierPod,
  isAvailable,
  jointRollout,
  type Rollout,
  rolloutOf,
} from '../../../operator/domain/rendering/rollout.ts'

const now = Date.parse('2026-01-01T00:01:00Z')
const object = (kind: string, status: object, spec: object = { replicas: 2 }): KubeObject => ({
  apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1',
  kind,
  metadata: { name: 'api', generation: 2 },
  spec,
  status,
})
const judged = (
  each: KubeObject,
  pods: readonly object[] = [],
  earlierPods: readonly EarlierPod[] = [],
): Rollout => rolloutOf({ object: each, pods: pods.map(podStateOf), earlierPods, now, schedulingSeconds: 30 })
const deployment = (counts: object, conditions: object[] = []) =>
  object('Deployment', {
    observedGeneration: 2,
    replicas: 2,
    updatedReplicas: 2,
    availableReplicas: 2,
    conditions,
    ...counts,
  })
const set = (status: object, spec?: object) =>
  object(
    'StatefulSet',
    {
      observedGeneration: 2,
      updatedReplicas: 2,
      readyReplicas: 2,
      currentRevision: 'b',
      updateRevision: 'b',
      ...status,
    },
    spec,
  )
const waiting = (reason: string, lastState = {}) => ({
  containerStatuses: [{ name: 'main', state: { waiting: { reason, message: 'why' } }, lastState }],
})
const unschedulable = (lastTransitionTime: string) => ({
  conditions: [
    {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: '0/1 nodes',
      lastTransitionTime,
    },
  ],
})

describe('a rollout ends when its pods do what the spec says', () => {
  test.each<[rule: string, each: KubeObject, state: string]>([
    ['all pods of a Deployment are new and available', deployment({}), 'complete'],
    ['no pods are wanted', object('Deployment', { observedGeneration: 2 }, { replicas: 0 }), 'complete'],
    ['the controller has not seen the change', deployment({ observedGeneration: 1 }), 'running'],
    ['a Job is suspended', object('Job', {}, { suspend: true }), 'complete'],
    ['no pod exists yet', deployment({ replicas: 0, updatedReplicas: 0, availableReplicas: 0 }), 'running'],
    ['an old pod is left', deployment({ replicas: 3 }), 'running'],
    ['a pod is not new', deployment({ updatedReplicas: 1 }), 'running'],
    ['a pod is not available', deployment({ availableReplicas: 1 }), 'running'],
    ['all pods of a StatefulSet are new and ready', set({}), 'complete'],
    ['a StatefulSet has an older revision', set({ currentRevision: 'a' }), 'running'],
    ['a pod of a StatefulSet that is rolled back is not replaced', set({ updatedReplicas: 1 }), 'running'],
    ['a pod of a StatefulSet is not ready', set({ readyReplicas: 1 }), 'running'],
    [
      'a partition keeps old pods',
      set(
        { currentRevision: 'a', updatedReplicas: 1 },
        { replicas: 2, updateStrategy: { rollingUpdate: { partition: 1 } } },
      ),
      'complete',
    ],
    [
      'all pods are ready, and a person deletes the old ones',
      set(
        { currentRevision: 'a', updatedReplicas: 0 },
        { replicas: 2, updateStrategy: { type: 'OnDelete' } },
      ),
      'complete',
    ],
    [
      'a person deletes the old pods, and a pod is not ready',
      set({ readyReplicas: 1 }, { replicas: 2, updateStrategy: { type: 'OnDelete' } }),
      'running',
    ],
    ['a Job is complete', object('Job', { conditions: [{ type: 'Complete', status: 'True' }] }), 'complete'],
    ['a Job runs', object('Job', { active: 1 }), 'running'],
  ])('%s', (_, each, state) => {
    expect(judged(each).state).toBe(state)
  })
})

describe('a rollout that cannot end has the reason of the pods', () => {
  const partly = deployment({ availableReplicas: 1 })
  const ended = { terminated: { exitCode: 137, reason: 'OOMKilled', message: ' too much\n' } }
  test.each<[rule: string, each: KubeObject, pods: object[], reason: string, message: string]>([
    [
      'an image',
      partly,
      [{}, waiting('ImagePullBackOff')],
      'ImagePullBackOff',
      "container 'main': ImagePullBackOff: why",
    ],
    [
      'the name of an image',
      partly,
      [waiting('InvalidImageName')],
      'ImagePullBackOff',
      "container 'main': InvalidImageName: why",
    ],
    [
      'a container that ends',
      partly,
      [waiting('CrashLoopBackOff', ended)],
      'CrashLoopBackOff',
      "container 'main' ended with exit code 137 (OOMKilled): too much",
    ],
    ...['RunContainerError', 'CrashLoopBackOff'].map(
      (waitingFor): [string, KubeObject, object[], string, string] => [
        `a command that the image does not have, in ${waitingFor}`,
        partly,
        [waiting(waitingFor, { terminated: { exitCode: 128, reason: 'StartError', message: 'why' } })],
        'ContainerNotStarted',
        "container 'main': RunContainerError: why",
      ],
    ),
    [
      'a missing key',
      partly,
      [waiting('CreateContainerConfigError')],
      'ContainerNotStarted',
      "container 'main': CreateContainerConfigError: why",
    ],
    ['no node, for too long', partly, [unschedulable('2026-01-01T00:00:00Z')], 'Unschedulable', '0/1 nodes'],
    [
      'a quota',
      deployment({ availableReplicas: 0 }, [
        { type: 'ReplicaFailure', status: 'True', message: 'pods "a" is forbidden: exceeded quota: q' },
      ]),
      [],
      'PodQuotaExceeded',
      'no pod can be made: pods "a" is forbidden: exceeded quota: q',
    ],
    [
      'a policy',
      deployment({ availableReplicas: 0 }, [
        { type: 'ReplicaFailure', status: 'True', message: 'violates PodSecurity' },
      ]),
      [],
      'PodsRefused',
      'no pod can be made: violates PodSecurity',
    ],
    [
      'no progress',
      deployment({ availableReplicas: 1 }, [
        { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' },
      ]),
      [],
      'ProgressDeadlineExceeded',
      "the pods of the Deployment 'api' are not ready in time",
    ],
    [
      'an image, although another pod waits for a node',
      partly,
      [unschedulable('2026-01-01T00:00:50Z'), waiting('ImagePullBackOff')],
      'ImagePullBackOff',
      "container 'main': ImagePullBackOff: why",
    ],
    [
      'a Job that failed',
      object('Job', { conditions: [{ type: 'Failed', status: 'True', message: 'too often' }] }),
      [
        {
          containerStatuses: [
            { name: 'main', state: { terminated: { exitCode: 7, reason: 'Error', message: 'no table' } } },
          ],
        },
      ],
      'JobFailed',
      "too often; container 'main' ended with exit code 7: no table",
    ],
  ])('%s', (_, each, pods, reason, message) => {
    expect(judged(each, pods)).toEqual({ state: 'failed', reason, message })
  })

  test.each<[rule: string, each: KubeObject, pods: object[]]>([
    ['the first failed pull of an image', partly, [waiting('ErrImagePull')]],
    ['a container that is created', partly, [waiting('ContainerCreating')]],
    [
      'a problem of pods before the controller has seen the change',
      deployment({ observedGeneration: 1 }),
      [waiting('ImagePullBackOff')],
    ],
    [
      'a pod that may not be scheduled yet',
      partly,
      [{ conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] }],
    ],
    [
      'a ReplicaSet that could not be made at once',
      deployment({ availableReplicas: 1 }, [
        { type: 'Progressing', status: 'False', reason: 'ReplicaSetCreateError' },
      ]),
      [],
    ],
  ])('but not for %s', (_, each, pods) => {
    expect(judged(each, pods).state).toBe('running')
  })

  test('a pod may wait for a node for some time, and is judged again at its end', () => {
    expect(judged(partly, [unschedulable('2026-01-01T00:00:50Z')])).toEqual({
      state: 'running',
      reason: 'Unschedulable',
      message: '0/1 nodes',
      retryAfterSeconds: 20,
    })
  })
})

describe('a Deployment that reports refused pods', () => {
  const refused = (message: string) => [{ type: 'ReplicaFailure', status: 'True', message }]
  const replicaSet = (conditions: object[] = []) => object('ReplicaSet', { conditions })
  const judgedWith = (newest: KubeObject | undefined) =>
    rolloutOf({
      object: deployment({ updatedReplicas: 0 }, refused('an earlier pod is forbidden')),
      replicaSet: newest,
      pods: [],
      now,
      schedulingSeconds: 30,
    })

  test('fails for the reason of its newest ReplicaSet', () => {
    expect(judgedWith(replicaSet(refused('this pod is forbidden')))).toEqual({
      state: 'failed',
      reason: 'PodsRefused',
      message: 'no pod can be made: this pod is forbidden',
    })
  })

  test('continues without one, and is judged again: it does not change when the new pods are refused too', () => {
    expect(judgedWith(replicaSet())).toMatchObject({ state: 'running', retryAfterSeconds: 5 })
  })

  test('fails when its newest ReplicaSet is not known', () => {
    expect(judgedWith(undefined)).toMatchObject({ state: 'failed', reason: 'PodsRefused' })
  })
})

describe('a pod of an earlier revision that cannot run', () => {
  const earlier = (name: string, status: object): EarlierPod => ({ name, state: podStateOf(status) })
  const broken = ['api-1', 'api-0'].map((name) => earlier(name, waiting('ImagePullBackOff')))
  const updating = (spec: object = {}) =>
    set({ currentRevision: 'a', readyReplicas: 0 }, { replicas: 2, ...spec })

  test('stops the update of a StatefulSet, until a person deletes the pod', () => {
    expect(judged(updating(), [], broken)).toEqual({
      state: 'failed',
      reason: 'ImagePullBackOff',
      message:
        "container 'main': ImagePullBackOff: why; delete the pod 'api-0': Kubernetes replaces no pod of an earlier revision before it is ready",
    })
  })

  test('stops a StatefulSet in any order, when Kubernetes never replaces pods', () => {
    const onDelete = { updateStrategy: { type: 'OnDelete' }, podManagementPolicy: 'Parallel' }
    expect(judged(updating(onDelete), [], broken)).toEqual({
      state: 'failed',
      reason: 'ImagePullBackOff',
      message:
        "container 'main': ImagePullBackOff: why; delete the pod 'api-0': with the update strategy 'OnDelete', Kubernetes replaces no pod of an earlier revision",
    })
    expect(judged(updating({ ...onDelete, replicas: 0 }), [], broken).state).toBe('complete')
  })

  test('that waits for a node stops it after some time', () => {
    const pods = (since: string) => [earlier('api-0', unschedulable(since))]
    const waits = judged(updating(), [], pods('2026-01-01T00:00:50Z'))
    expect(waits).toMatchObject({ state: 'running', reason: 'Unschedulable', retryAfterSeconds: 20 })
    expect(judged(updating(), [], pods('2026-01-01T00:00:00Z'))).toMatchObject({ state: 'failed' })
  })

  test.each<[rule: string, each: KubeObject, pods: readonly EarlierPod[]]>([
    ['that starts', updating(), [earlier('api-0', {})]],
    ['whose StatefulSet replaces pods in any state', updating({ podManagementPolicy: 'Parallel' }), broken],
    ['that a partition keeps', updating({ updateStrategy: { rollingUpdate: { partition: 1 } } }), broken],
    ['that fewer replicas remove', updating({ replicas: 1 }), broken.slice(0, 1)],
    ['of a Deployment', deployment({ availableReplicas: 1 }), broken],
  ])('but not one %s', (_, each, pods) => {
    expect(judged(each, [], pods)).toMatchObject({ state: 'running', reason: 'Progressing' })
  })
})

test.each<[rule: string, each: KubeObject, expected: boolean]>([
  [
    'a Deployment by its condition',
    deployment({ availableReplicas: 1 }, [{ type: 'Available', status: 'True' }]),
    true,
  ],
  ['a Deployment without it', deployment({}), false],
  [
    'no Deployment whose status is about an earlier generation',
    deployment({ observedGeneration: 1 }, [{ type: 'Available', status: 'True' }]),
    false,
  ],
  ['a StatefulSet by its ready pods', set({ currentRevision: 'a' }), true],
  ['a StatefulSet without one of them', set({ readyReplicas: 1 }), false],
  ['a Job by its end', object('Job', { conditions: [{ type: 'Complete', status: 'True' }] }), true],
])('availability: %s', (_, each, expected) => {
  expect(isAvailable(each)).toBe(expected)
})

describe('the rollouts of several objects', () => {
  const complete: Rollout = { state: 'complete' }
  const failed: Rollout = { state: 'failed', reason: 'JobFailed', message: 'too often' }
  const runs = (message: string, retryAfterSeconds?: number): Rollout => ({
    state: 'running',
    reason: 'Progressing',
    message,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
  test.each<[rule: string, all: Rollout[], expected: Rollout]>([
    ['are complete together', [complete, complete], complete],
    ['fail with one of them', [complete, runs('a'), failed], failed],
    ['run while one of them does', [complete, runs('a'), runs('b')], runs('a')],
    ['are judged again when the first is due', [runs('a'), runs('b', 20), runs('c', 5)], runs('a', 5)],
  ])('%s', (_, all, expected) => {
    expect(jointRollout(all)).toEqual(expected)
  })
})
