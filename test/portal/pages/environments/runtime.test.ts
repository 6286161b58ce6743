import { describe, expect, test } from '@jest/globals'
import type { RuntimeControllerV2, RuntimePod } from '../../../../portal/api/types.ts'
import {
  controllerView,
  isScalable,
  podView,
  readinessOf,
  workloadsOf,
} from '../../../../portal/pages/environments/runtime.ts'

type Container = RuntimePod['containerStatuses'][number]

const container = (more: Partial<Container> = {}): Container => ({
  name: 'main',
  ready: true,
  restart_count: 0,
  status: 'Success',
  state: {},
  ...more,
})
const pod = (more: Partial<RuntimePod> = {}): RuntimePod => ({
  podName: 'web-1',
  revision: 1,
  phase: 'Running',
  status: 'Success',
  containerStatuses: [container()],
  ...more,
})
const controller = (more: Partial<RuntimeControllerV2> = {}): RuntimeControllerV2 => ({
  kind: 'Deployment',
  replicas: 2,
  status: 'Running',
  message: '',
  revision: 1,
  pods: [pod(), pod({ podName: 'web-2' })],
  ...more,
})

describe('a pod', () => {
  test.each<[string, Partial<RuntimePod>, string]>([
    ['whose containers are ready', {}, 'ready'],
    ['that runs, but is not ready', { status: 'Pending' }, 'starting'],
    ['whose container fails while it runs', { status: 'Failure' }, 'failing'],
    ['that has ended well', { phase: 'Succeeded' }, 'completed'],
    ['that nothing is known of', { phase: 'Unknown', status: 'Unknown' }, 'unknown'],
  ])('%s is %j', (_, more, state) => {
    expect(podView(pod(more)).state).toBe(state)
  })

  test.each<[Container['state'], readonly string[]]>([
    [{ running: {} }, []],
    [{ waiting: { reason: 'CrashLoopBackOff' } }, ['main: CrashLoopBackOff']],
    [
      { waiting: { reason: 'ErrImagePull', message: 'no such image' } },
      ['main: ErrImagePull: no such image'],
    ],
    [{ waiting: {} }, []],
    [{ terminated: { exit_code: 0, reason: 'Completed' } }, []],
    [{ terminated: { exit_code: 1, reason: 'Error' } }, ['main: ended with exit code 1']],
    [{ terminated: { exit_code: 137, reason: 'OOMKilled' } }, ['main: ended with exit code 137 (OOMKilled)']],
    [{ terminated: {} }, ['main: ended with exit code unknown']],
  ])('with a container in the state %j says why: %j', (state, reasons) => {
    expect(podView(pod({ containerStatuses: [container({ state })] })).reasons).toEqual(reasons)
  })

  test('counts the restarts of all its containers', () => {
    const containerStatuses = [container({ restart_count: 2 }), container({ restart_count: 3 })]
    expect(podView(pod({ containerStatuses })).restarts).toBe(5)
  })
})

test.each<[string, Partial<RuntimeControllerV2>, string]>([
  ['all ready', {}, '2 of 2 pods ready'],
  ['one of two ready', { pods: [pod(), pod({ status: 'Pending' })] }, '1 of 2 pods ready'],
  [
    'a rollout whose new pods are not ready: old ones do not count',
    { revision: 2, pods: [pod(), pod(), pod({ revision: 2, status: 'Failure' })] },
    '0 of 2 pods ready, 2 of an older revision',
  ],
  ['none wanted', { replicas: 0, pods: [] }, 'no pods wanted'],
  ['none wanted, one still ends', { replicas: 0, pods: [pod()] }, '1 of 0 pods ready'],
  [
    'a Job that has ended',
    { kind: 'Job', replicas: 1, pods: [pod({ phase: 'Succeeded' })] },
    '1 of 1 pods ready',
  ],
])('the pods of a workload, %s', (_, more, text) => {
  expect(readinessOf(controller(more))).toBe(text)
})

test.each<[RuntimeControllerV2['status'], string, string]>([
  ['Running', 'running', 'good'],
  ['Succeeded', 'succeeded', 'good'],
  ['Starting', 'starting', 'wait'],
  ['Partially Succeeded', 'partially succeeded', 'bad'],
  ['Failed', 'failed', 'bad'],
  ['Stopped', 'stopped', 'off'],
  ['Unknown', 'unknown', 'off'],
])('an object whose status is %s is shown as %s, in the tone %s', (status, state, tone) => {
  expect(controllerView('deployment/web', { status })).toEqual({ name: 'web', state, tone })
})

test('Deployments and StatefulSets have a number of pods, Jobs have none', () => {
  expect(['Deployment', 'StatefulSet', 'Job', 'CronJob'].filter((kind) => isScalable({ kind }))).toEqual([
    'Deployment',
    'StatefulSet',
  ])
})

test('workloads are those that are deployed, and those that still run', () => {
  const resources = [{ res_id: 'modules.api' }, { res_id: 'modules.api.externals.x' }]
  const web = { status: 'Running', status_class: 'Success', controllers: {} } as const
  expect(workloadsOf(resources, { web })).toEqual(['api', 'web'])
})
