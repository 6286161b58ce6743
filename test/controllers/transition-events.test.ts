import { expect, test } from '@jest/globals'
import type { Condition } from '../../operator/api/kind.ts'
import { ResourceType } from '../../operator/api/resource-type.ts'
import { Failures, TransitionEvents } from '../../operator/controllers/transition-events.ts'
import { silentLog } from '../../operator/log.ts'
import { createFakeCluster } from '../api-gateway/support/fake-cluster.ts'
import { fc } from '../support/properties.ts'

type State = readonly [status: Condition['status'], reason: string]
const states = fc.constantFrom<State>(
  ['True', 'Reconciled'],
  ['False', 'DriverFailed'],
  ['False', 'Invalid'],
  ['Unknown', 'DependencyNotReady'],
)
const statusOf = ([status, reason]: State) => ({
  observedGeneration: 1,
  conditions: [
    {
      type: 'Ready',
      status,
      reason,
      message: `because ${reason}`,
      lastTransitionTime: '2030-01-01T00:00:00Z',
    },
  ],
})

test('for any order of states of any objects: an Event for each new failure and each recovery, and for nothing else', () => {
  const steps = fc.array(fc.tuple(fc.constantFrom('one', 'two'), states), { maxLength: 40 })
  fc.assert(
    fc.property(steps, (all) => {
      const failures = new Failures()
      const failing = new Map<string, string>()
      for (const [uid, [status, reason]] of all) {
        const event = failures.eventOf({
          metadata: { name: uid, uid },
          status: statusOf([status, reason]) as never,
        })
        const known = failing.get(uid)
        if (status === 'False') failing.set(uid, reason)
        if (status === 'True') failing.delete(uid)
        const isNew = status === 'False' && reason !== known
        const isRecovery = status === 'True' && known !== undefined
        expect(event?.type).toBe(isNew ? 'Warning' : isRecovery ? 'Normal' : undefined)
        if (event) expect(event.reason).toBe(reason)
      }
    }),
  )
})

/** A cluster whose Events are kept. */
function withEvents(isActive = () => true) {
  const cluster = createFakeCluster()
  cluster.addOrganization('acme')
  const events: { reason: string; involvedObject: { kind: string; name: string } }[] = []
  const client = {
    ...cluster.client,
    request: async (_method: string, _path: string, { body }: { body: never }) => void events.push(body),
  }
  const add = (name: string, state?: State) => {
    cluster.put(ResourceType, { metadata: { namespace: 'acme', name }, spec: { use: 'direct' } } as never)
    if (state) set(name, state)
  }
  const set = (name: string, state: State) =>
    cluster.setStatus(ResourceType, 'acme', name, statusOf(state) as object)
  const watch = () =>
    new TransitionEvents({ ...cluster, client } as never, { log: silentLog, isActive }).watch(ResourceType)
  return { add, set, watch, events }
}

test('an Event names its object', () => {
  const { add, set, watch, events } = withEvents()
  watch()
  add('search')
  set('search', ['False', 'Invalid'])
  expect(events).toMatchObject([
    {
      type: 'Warning',
      reason: 'Invalid',
      message: 'because Invalid',
      involvedObject: { kind: 'ResourceType', name: 'search' },
    },
  ])
})

test('what failed before this process began is not recorded again, but its recovery is', () => {
  const { add, set, watch, events } = withEvents()
  add('search', ['False', 'Invalid'])
  watch()
  set('search', ['False', 'Invalid'])
  expect(events).toEqual([])
  set('search', ['True', 'Reconciled'])
  expect(events).toMatchObject([{ type: 'Normal', message: 'ready again after Invalid' }])
})

test('a process that does not lead records nothing', () => {
  const { add, set, watch, events } = withEvents(() => false)
  watch()
  add('search')
  set('search', ['False', 'Invalid'])
  expect(events).toEqual([])
})

test('of a thousand failures of an organization at once, the first fifty have an Event', () => {
  const { add, watch, events } = withEvents()
  watch()
  for (let index = 0; index < 1000; index += 1) add(`type-${index}`, ['False', 'Invalid'])
  expect(events.length).toBeGreaterThanOrEqual(50)
  expect(events.length).toBeLessThan(100)
})
