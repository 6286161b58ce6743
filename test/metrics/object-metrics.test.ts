import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { EnvironmentDeployment } from '../../operator/api/environment-deployment.ts'
import { countObjects, reportDeployments } from '../../operator/metrics/object-metrics.ts'
import { createFakeCluster } from '../api-gateway/support/fake-cluster.ts'

const names = ['one', 'two', 'three']
const statuses = {
  none: {},
  ready: { observedGeneration: 1, conditions: [condition('Ready', 'True')] },
  running: { observedGeneration: 1, conditions: [condition('Ready', 'Unknown')] },
  stalled: {
    observedGeneration: 1,
    conditions: [condition('Ready', 'False'), condition('Stalled', 'True')],
    problems: [{ object: 'a', reason: 'NoMatchingDefinition', message: 'none' }],
  },
}
type State = keyof typeof statuses

function condition(type: string, status: string) {
  return { type, status, reason: 'Reconciled', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }
}

const steps = fc.array(
  fc.record({
    name: fc.constantFrom(...names),
    state: fc.constantFrom<State[]>('none', 'ready', 'running', 'stalled'),
  }),
  { maxLength: 40 },
)

test('for every order of events: each state is counted, and each deployment ends once', () => {
  fc.assert(
    fc.property(steps, (events) => {
      const cluster = createFakeCluster()
      cluster.addOrganization('acme')
      const ended: string[] = []
      reportDeployments(
        cluster.store,
        (result, seconds, reasons) => {
          expect(seconds).toBeGreaterThanOrEqual(0)
          ended.push([result, ...reasons].join(' '))
        },
        Date.now,
      )
      const counts = countObjects(cluster.store, EnvironmentDeployment)
      const states = new Map<string, State>()
      const expected: string[] = []
      for (const { name, state } of events) {
        const before = states.get(name)
        if (before === undefined)
          cluster.put(EnvironmentDeployment, {
            metadata: { namespace: 'acme', name },
            spec: { environmentName: 'development', setName: 'set' },
          } as never)
        else if (before === 'ready' || before === 'stalled') continue // a deployment that has ended does not change
        states.set(name, state)
        cluster.setStatus(EnvironmentDeployment, 'acme', name, statuses[state] as object)
        if (state === 'ready') expected.push('succeeded')
        if (state === 'stalled') expected.push('failed NoMatchingDefinition')
      }
      const all = [...states.values()]
      expect(ended).toEqual(expected)
      expect(counts()).toEqual({
        ready: all.filter((state) => state === 'ready').length,
        stalled: all.filter((state) => state === 'stalled').length,
        waiting: all.filter((state) => state === 'none' || state === 'running').length,
      })
    }),
  )
})

test.each([-60, 60])(
  'the seconds of a deployment are those of the API server, with a clock that is %s minutes ahead',
  (minutes) => {
    const cluster = createFakeCluster()
    cluster.addOrganization('acme')
    const now = Date.now() - minutes * 60_000
    const ended: number[] = []
    reportDeployments(
      cluster.store,
      (_, seconds) => ended.push(seconds),
      () => now,
    )
    const creationTimestamp = new Date(now - 90_000).toISOString()
    const spec = { environmentName: 'development', setName: 'set' }
    const metadata = { namespace: 'acme', name: 'one', creationTimestamp }
    cluster.put(EnvironmentDeployment, { metadata, spec } as never)
    cluster.setStatus(EnvironmentDeployment, 'acme', 'one', statuses.ready)
    expect(ended).toEqual([90])
  },
)

test('a deployment that ran before and is created again is not counted again', () => {
  const cluster = createFakeCluster()
  cluster.addOrganization('acme')
  const ended: string[] = []
  reportDeployments(cluster.store, (result) => ended.push(result), Date.now)
  const spec = { environmentName: 'development', setName: 'set' }
  for (const [name, outcome] of [
    ['one', statuses.ready],
    ['two', statuses.stalled],
  ] as const) {
    cluster.put(EnvironmentDeployment, { metadata: { namespace: 'acme', name }, spec } as never)
    const conditions = [...outcome.conditions, condition('AlreadyRan', 'True')]
    cluster.setStatus(EnvironmentDeployment, 'acme', name, { ...outcome, conditions })
  }
  expect(ended).toEqual([])
})

test('an object that was there before its namespace became an organization is counted once', () => {
  const cluster = createFakeCluster()
  const counts = countObjects(cluster.store, EnvironmentDeployment)
  const spec = { environmentName: 'development', setName: 'set' }
  cluster.put(EnvironmentDeployment, { metadata: { namespace: 'late', name: 'one' }, spec } as never)
  cluster.addOrganization('late')
  cluster.setStatus(EnvironmentDeployment, 'late', 'one', statuses.ready)
  expect(counts()).toEqual({ ready: 1, waiting: 0, stalled: 0 })
})
