import { describe, expect, test } from '@jest/globals'
import { type Runtime, statusOfAll } from '../../../../api-gateway/endpoints/runtime/runtime-forms.ts'
import { runtimeModules } from '../../../../api-gateway/endpoints/runtime/runtime-info.ts'
import type { RuntimeObjects } from '../../../../api-gateway/endpoints/runtime/runtime-objects.ts'
import type { RuntimeStatus } from '../../../../api-gateway/endpoints/runtime/runtime-shape.ts'
import type { StoredObject } from '../../../../operator/api/kind.ts'
import { storedMeta } from '../../../support/builders.ts'
import { casesOf, fc } from '../../../support/properties.ts'

const none: RuntimeObjects = {
  pods: [],
  deployments: [],
  replicaSets: [],
  statefulSets: [],
  jobs: [],
  cronJobs: [],
}
const instance = 'app.kubernetes.io/instance'
const web = { id: 'web', guResId: 'a1', message: '' }

function object(kind: string, name: string, parts: object = {}, metadata: object = {}): StoredObject {
  const made = { name, uid: `uid-${name}`, labels: { [instance]: 'a1' }, generation: 1, ...metadata }
  return { apiVersion: 'v1', kind, metadata: storedMeta(made), ...parts }
}
const ownedBy = (name: string, more: object = {}) => ({
  ownerReferences: [{ apiVersion: 'v1', kind: 'X', name, uid: `uid-${name}`, controller: true }],
  ...more,
})
const revision = (number: number) => ({
  annotations: { 'deployment.kubernetes.io/revision': String(number) },
})

const running = {
  status: {
    phase: 'Running',
    containerStatuses: [
      {
        name: 'main',
        ready: true,
        restartCount: 1,
        state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
      },
    ],
  },
}
const waiting = (reason: string, message = 'said the kubelet') => ({
  status: {
    phase: 'Pending',
    containerStatuses: [
      { name: 'main', ready: false, restartCount: 0, state: { waiting: { reason, message } } },
    ],
  },
})
const ended = (exitCode: number, message = '') => ({
  status: {
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    containerStatuses: [
      {
        name: 'main',
        ready: false,
        restartCount: 0,
        state: { terminated: { exitCode, reason: 'Error', message, startedAt: null, finishedAt: null } },
      },
    ],
  },
})

const rolledOut = { observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 2 }
const deployment = (status: object = rolledOut, spec: object = { replicas: 2 }) =>
  object('Deployment', 'web', { spec, status }, revision(2))
const replicaSets = [
  object('ReplicaSet', 'web-new', {}, ownedBy('web', revision(2))),
  object('ReplicaSet', 'web-old', {}, ownedBy('web', revision(1))),
]
const pod = (name: string, owner: string, parts: object = running, labels: object = {}) =>
  object('Pod', name, parts, ownedBy(owner, { labels: { [instance]: 'a1', ...labels } }))

test('the pods of a Deployment are found by its ReplicaSets, with their revisions', () => {
  const objects = {
    ...none,
    deployments: [deployment()],
    replicaSets,
    pods: [pod('web-new-1', 'web-new'), pod('web-old-1', 'web-old')],
  }
  const one = {
    phase: 'Running',
    status: 'Success',
    containerStatuses: [
      {
        name: 'main',
        ready: true,
        restart_count: 1,
        status: 'Success',
        state: { running: { started_at: '2026-01-01T00:00:00Z' } },
      },
    ],
  }
  expect(runtimeModules([web], objects)).toEqual({
    web: {
      'deployment/web': {
        kind: 'Deployment',
        replicas: 2,
        status: 'Running',
        message: '',
        revision: 2,
        pods: [
          { podName: 'web-new-1', revision: 2, ...one },
          { podName: 'web-old-1', revision: 1, ...one },
        ],
      },
    },
  })
})

test('the pods of a CronJob are found by its Jobs, which are not shown beside it', () => {
  const objects = {
    ...none,
    cronJobs: [object('CronJob', 'web-nightly', { spec: {}, status: { active: [{}, {}] } })],
    jobs: [object('Job', 'web-nightly-1', {}, ownedBy('web-nightly'))],
    pods: [pod('web-nightly-1-x', 'web-nightly-1')],
  }
  const { web: found } = runtimeModules([web], objects)
  expect(Object.keys(found ?? {})).toEqual(['cronjob/web-nightly'])
  expect(found?.['cronjob/web-nightly']).toMatchObject({
    replicas: 2,
    pods: [{ podName: 'web-nightly-1-x', revision: 1 }],
  })
})

test('a pod of an older revision of a StatefulSet has the revision 0', () => {
  const status = { ...rolledOut, updateRevision: 'new' }
  const objects = {
    ...none,
    statefulSets: [object('StatefulSet', 'web', { spec: { replicas: 2 }, status })],
    pods: ['new', 'old'].map((hash, i) =>
      pod(`web-${i}`, 'web', running, { 'controller-revision-hash': hash }),
    ),
  }
  const pods = runtimeModules([web], objects)['web']?.['statefulset/web']?.pods
  expect(pods?.map((each) => each.revision)).toEqual([1, 0])
})

describe('the status of an object', () => {
  const job = (status: object, spec: object = {}) => object('Job', 'web', { spec, status })
  const condition = (type: string) => ({ conditions: [{ type, status: 'True', message: 'why' }] })
  const failed = { observedGeneration: 1, replicas: 2, updatedReplicas: 1, availableReplicas: 0 }
  const updating = object('StatefulSet', 'web', {
    spec: {},
    status: { observedGeneration: 1, currentRevision: 'old', updateRevision: 'new' },
  })
  const broken = pod('web-0', 'web', waiting('ImagePullBackOff'), { 'controller-revision-hash': 'old' })
  const deletionTimestamp = '2026-01-01T00:00:00Z'
  const unscheduled = {
    status: {
      phase: 'Pending',
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message: '0/3 nodes are available',
          lastTransitionTime: '2020-01-01T00:00:00Z',
        },
      ],
    },
  }
  const newPods = (parts: object) => ({ replicaSets, pods: [pod('web-new-1', 'web-new', parts)] })

  test.each<[status: RuntimeStatus, rule: string, objects: Partial<RuntimeObjects>]>([
    ['Running', 'when all pods of a Deployment run', { deployments: [deployment()] }],
    ['Starting', 'while pods start', { deployments: [deployment(failed)] }],
    [
      'Starting',
      'while a pod waits for a node',
      {
        deployments: [deployment(failed)],
        ...newPods(unscheduled),
      },
    ],
    [
      'Failed',
      'when no pod can run',
      { deployments: [deployment(failed)], ...newPods(waiting('ErrImageNeverPull')) },
    ],
    [
      'Partially Succeeded',
      'when new pods cannot run and old ones do',
      { deployments: [deployment({ ...failed, readyReplicas: 1 })], ...newPods(waiting('ImagePullBackOff')) },
    ],
    ['Stopped', 'when no pods are wanted', { deployments: [deployment({}, { replicas: 0 })] }],
    [
      'Starting',
      'when only an older pod fails',
      {
        deployments: [deployment(failed)],
        replicaSets,
        pods: [pod('web-old-1', 'web-old', waiting('ImagePullBackOff'))],
      },
    ],
    ...(
      [
        ['Failed', 'when new pods are refused', 'web-new'],
        ['Starting', 'when pods of an earlier revision are refused', 'web-old'],
      ] as const
    ).map(([status, rule, name]): [RuntimeStatus, string, Partial<RuntimeObjects>] => [
      status,
      rule,
      {
        deployments: [deployment({ ...failed, ...condition('ReplicaFailure') })],
        replicaSets: replicaSets.map((each) =>
          each.metadata.name === name ? { ...each, status: condition('ReplicaFailure') } : each,
        ),
      },
    ]),
    [
      'Failed',
      'when a pod of an earlier revision stops the update of a StatefulSet',
      { statefulSets: [updating], pods: [broken] },
    ],
    [
      'Starting',
      'when that pod is deleted',
      {
        statefulSets: [updating],
        pods: [{ ...broken, metadata: { ...broken.metadata, deletionTimestamp } }],
      },
    ],
    ['Starting', 'before anything is known', { statefulSets: [object('StatefulSet', 'web', { spec: {} })] }],
    ['Succeeded', 'when a Job is complete', { jobs: [job(condition('Complete'))] }],
    [
      'Succeeded',
      'of a complete Job that is suspended',
      { jobs: [job(condition('Complete'), { suspend: true })] },
    ],
    ['Stopped', 'when a Job is suspended', { jobs: [job({}, { suspend: true })] }],
    ['Failed', 'when a Job failed', { jobs: [job(condition('Failed'))] }],
    [
      'Partially Succeeded',
      'when some pods of a failed Job succeeded',
      { jobs: [job({ ...condition('Failed'), succeeded: 1 })] },
    ],
    ['Running', 'while a pod of a Job runs', { jobs: [job({ active: 1, ready: 1 })] }],
    ['Starting', 'while no pod of a Job runs', { jobs: [job({ active: 1 })] }],
    [
      'Running',
      'when the newest Job of a CronJob did not fail',
      {
        cronJobs: [object('CronJob', 'web', { spec: {} })],
        jobs: [
          object('Job', 'web-1', { status: condition('Failed') }, ownedBy('web')),
          object('Job', 'web-2', { status: condition('Complete') }, ownedBy('web')),
        ],
      },
    ],
    [
      'Running',
      'when the newest Job of a CronJob has not failed yet',
      {
        cronJobs: [object('CronJob', 'web', { spec: {} })],
        jobs: [
          object(
            'Job',
            'web-1',
            { status: { conditions: [{ type: 'Failed', status: 'False' }] } },
            ownedBy('web'),
          ),
        ],
      },
    ],
    ['Running', 'of a CronJob', { cronJobs: [object('CronJob', 'web', { spec: {} })] }],
    [
      'Stopped',
      'of a suspended CronJob',
      { cronJobs: [object('CronJob', 'web', { spec: { suspend: true } })] },
    ],
    [
      'Failed',
      'when the newest Job of a CronJob failed',
      {
        cronJobs: [object('CronJob', 'web', { spec: {} })],
        jobs: [
          object('Job', 'web-1', { status: condition('Complete') }, ownedBy('web')),
          object('Job', 'web-2', { status: condition('Failed') }, ownedBy('web')),
        ],
      },
    ],
  ])('is %s %s', (status, _, objects) => {
    const found = Object.values(runtimeModules([web], { ...none, ...objects })['web'] ?? {})
    expect(found.map((each) => each.status)).toEqual([status])
    const isFailure = status === 'Failed' || status === 'Partially Succeeded'
    expect(found.map(({ message }) => message !== '')).toEqual([isFailure])
  })

  test.each<[rule: string, deadline: boolean, parts: object, expected: string]>([
    ['that waited too long for a node', true, unscheduled, 'Unschedulable: 0/3 nodes are available'],
    ['that waits for a node is none', false, unscheduled, ''],
    [
      'that is not ready in time',
      true,
      { status: { phase: 'Pending' } },
      'ProgressDeadlineExceeded: see the status of the pods',
    ],
    [
      'whose image is missing',
      false,
      waiting('ErrImageNeverPull'),
      "ImagePullBackOff: container 'main': ErrImageNeverPull: said the kubelet",
    ],
  ])('says why, of a pod %s', (_, deadline, parts, expected) => {
    const late = {
      conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }],
    }
    const deployments = [deployment({ ...failed, ...(deadline ? late : {}) })]
    const [found] = Object.values(
      runtimeModules([web], { ...none, deployments, ...newPods(parts) })['web'] ?? {},
    )
    expect(found?.message).toBe(expected)
  })
})

describe('the status of a pod and its container', () => {
  interface Parts {
    readonly status: { readonly containerStatuses: readonly object[] }
  }
  const both = (first: Parts, second: Parts, phase = 'Running') => ({
    status: { phase, containerStatuses: [first, second].flatMap((each) => each.status.containerStatuses) },
  })
  test.each<[pod: string, container: string | undefined, parts: object]>([
    ['Success', 'Success', running],
    ['Success', 'Success', ended(0)],
    ['Failure', 'Failure', ended(1)],
    ['Failure', 'Failure', waiting('CrashLoopBackOff')],
    ['Failure', 'Failure', waiting('ImagePullBackOff')],
    ['Failure', 'Failure', waiting('CreateContainerConfigError')],
    ['Failure', 'Failure', both(waiting('CrashLoopBackOff'), running)],
    ['Pending', 'Pending', both(waiting('PodInitializing'), running)],
    ['Pending', 'Success', both(running, running, 'Pending')],
    ['Failure', undefined, { status: { phase: 'Failed', reason: 'Evicted' } }],
    ['Pending', undefined, { status: { phase: 'Pending' } }],
    ['Pending', 'Pending', waiting('ContainerCreating')],
    [
      'Pending',
      'Pending',
      {
        status: {
          phase: 'Running',
          containerStatuses: [{ name: 'main', ready: false, state: { running: {} } }],
        },
      },
    ],
    ['Unknown', 'Success', { status: { ...running.status, phase: 'Unknown' } }],
  ])('are %s and %s', (status, container, parts) => {
    const objects = {
      ...none,
      deployments: [deployment()],
      replicaSets,
      pods: [pod('p', 'web-new', parts)],
    }
    const [found] = runtimeModules([web], objects)['web']?.['deployment/web']?.pods ?? []
    expect([found?.status, found?.containerStatuses[0]?.status]).toEqual([status, container])
  })
})

describe('texts that containers have a part in are left out', () => {
  const canary = 'canary-of-a-password'
  test.each([
    ['the termination message', ended(1, canary)],
    ['why a container cannot start', waiting('RunContainerError', `exec ${canary}: not found`)],
    ['why a container is not created', waiting('CreateContainerError', canary)],
  ])('%s', (_, parts) => {
    const late = {
      conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }],
    }
    const deployments = [deployment({ ...late, observedGeneration: 1 })]
    const objects = { ...none, deployments, replicaSets, pods: [pod('p', 'web-new', parts)] }
    expect(JSON.stringify(runtimeModules([web], objects))).not.toContain(canary)
  })

  test('but not why an image is not pulled', () => {
    const parts = waiting('ImagePullBackOff', 'no such image')
    const objects = { ...none, deployments: [deployment()], replicaSets, pods: [pod('p', 'web-new', parts)] }
    expect(JSON.stringify(runtimeModules([web], objects))).toContain('no such image')
  })
})

test('only objects of the workloads are shown, and each pod once', () => {
  const guResIds = ['a1', 'b2', 'foreign']
  const arbitrary = fc.record({
    owners: fc.uniqueArray(
      fc.record({ name: fc.stringMatching(/^[a-z]{1,4}$/), of: fc.constantFrom(...guResIds) }),
      {
        selector: ({ name }) => name,
        maxLength: 6,
      },
    ),
    pods: fc.array(fc.nat(9), { maxLength: 12 }),
  })
  fc.assert(
    fc.property(arbitrary, ({ owners, pods }) => {
      const labelled = (of: string) => ({ labels: { [instance]: of } })
      const objects: RuntimeObjects = {
        ...none,
        statefulSets: owners.map(({ name, of }) => object('StatefulSet', name, { spec: {} }, labelled(of))),
        pods: pods.flatMap((index, i) => {
          const owner = owners[index]
          return owner ? [object('Pod', `pod-${i}`, running, ownedBy(owner.name, labelled(owner.of)))] : []
        }),
      }
      const workloads = [web, { id: 'worker', guResId: 'b2', message: 'why' }]
      const modules = runtimeModules(workloads, objects)
      const shown = Object.values(modules).flatMap((each) => Object.values(each))
      const ours = owners.filter(({ of }) => of !== 'foreign')
      expect(shown).toHaveLength(ours.length)
      const names = shown.flatMap((each) => each.pods.map(({ podName }) => podName))
      const expected = objects.pods.filter(({ metadata }) => metadata.labels?.[instance] !== 'foreign')
      expect(names.sort()).toEqual(expected.map(({ metadata }) => metadata.name).sort())
      expect(Object.values(modules['worker'] ?? {}).every(({ message }) => message === 'why')).toBe(true)
    }),
    { numRuns: casesOf(500) },
  )
})

test.each<[expected: RuntimeStatus | undefined, statuses: RuntimeStatus[]]>([
  [undefined, []],
  ['Running', ['Running', 'Running']],
  ['Stopped', ['Stopped']],
  ['Running', ['Running', 'Stopped', 'Succeeded']],
  ['Succeeded', ['Stopped', 'Succeeded']],
  ['Starting', ['Running', 'Starting']],
  ['Partially Succeeded', ['Running', 'Failed']],
  ['Failed', ['Starting', 'Failed']],
])('all workloads together are %s: %j', (expected, statuses) => {
  const controllers = statuses.map((status, i) => [
    `deployment/${i}`,
    { kind: 'Deployment', replicas: 1, status, message: '', revision: 1, pods: [] },
  ])
  const modules = { web: Object.fromEntries(controllers) } as Runtime['modules'] // controllers by id
  expect(statusOfAll(modules)).toBe(expected)
})
