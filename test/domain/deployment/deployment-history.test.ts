import { describe, expect, test } from '@jest/globals'
import { type Environment, pastDeploymentLimits } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import { nextDeploymentNumber, removableDeployments } from '../../../operator/domain/deployment/deployment.ts'
import { baseOf } from '../../../operator/domain/deployment/deployment-base.ts'
import {
  decideRun,
  historyOf,
  isRemembered,
  isRepetition,
  type RunDecision,
  runHash,
} from '../../../operator/domain/deployment/deployment-history.ts'
import { nextToRun } from '../../../operator/domain/deployment/deployment-order.ts'
import { ready, stalled } from '../../api-gateway/support/objects.ts'
import { fc } from '../../support/properties.ts'

type Status = NonNullable<Environment['status']>

const startTime = '2026-02-01T00:00:00Z'
const overRest = { [annotations.createdBy]: 'ann', [annotations.triggeredBy]: 'ann' }
const copied = { [annotations.createdBy]: 'ann', [annotations.triggeredBy]: 'system:flux' }

/** How far a deployment is: nothing known yet, planned, ended well or not, refused by planning. */
const statuses = {
  pending: {},
  running: { startTime },
  succeeded: { startTime, ...ready },
  failed: { startTime, ...stalled },
  refused: stalled,
} as const
type Phase = keyof typeof statuses

/** A deployment of the delta of the same name, whose set has that name too. */
function run(name: string, phase: Phase, metadata: object = {}, spec: object = {}): EnvironmentDeployment {
  const content = { environmentName: 'shop.dev', deltaName: name, ...spec }
  const object = newObject(EnvironmentDeployment, { namespace: 'acme', name, ...metadata }, content)
  const setName = phase === 'pending' || phase === 'refused' ? {} : { setName: `set-of-${name}` }
  return { ...object, status: { ...setName, ...statuses[phase] } } as EnvironmentDeployment // conditions as the API has them
}

const going = { deletionTimestamp: '2026-02-02T00:00:00Z' }
const environmentOf = (status?: Status, spec: object = {}) =>
  ({ spec: { applicationName: 'shop', typeName: 'dev', ...spec }, status }) as Environment // the fields that the rules read

/** The memory of the environment after it saw these deployments, one moment after the other. */
const after = (...moments: EnvironmentDeployment[][]): Status =>
  moments.reduce<Status>((status, each) => historyOf({ status }, each), {})

describe('the environment remembers', () => {
  test('the set of the deployment that passed planning last, although that is deleted', () => {
    const status = after([run('one', 'running')], [run('one', 'running', going)], [])
    expect(status.lastPlanned).toEqual({
      deploymentName: 'one',
      hash: runHash(run('one', 'running')),
      setName: 'set-of-one',
    })
    expect(baseOf(environmentOf(status), () => undefined)?.setName).toBe('set-of-one')
  })

  test('the set of its last start, when a process died in an earlier start and the delta has changed since', () => {
    const again = run('one', 'running')
    const changed = { ...again, status: { ...again.status, setName: 'set-of-changed' } }
    expect(after([run('one', 'running')], [changed]).lastPlanned?.setName).toBe('set-of-changed')
  })

  test('nothing of one that did not pass planning', () => {
    const status = after([run('one', 'running')], [run('one', 'succeeded'), run('two', 'refused')])
    expect(status.lastPlanned?.deploymentName).toBe('one')
  })

  test('of two that run at once the one that has its turn, which waits to be remembered', () => {
    const both = [run('one', 'running'), run('two', 'running')]
    for (const moment of [both, both.toReversed()])
      expect(after(moment).lastPlanned?.deploymentName).toBe(nextToRun(moment)?.metadata.name)
  })

  test('of two that run at once not the one that is being deleted', () => {
    const both = [run('one', 'running', going), run('two', 'running')]
    expect(after(both).lastPlanned?.deploymentName).toBe('two')
  })

  test.each([
    ['1', '01'],
    ['01', '1'],
    ['2', '10'],
  ])('of %s and %s of the same second the same one, in any order', (...names) => {
    const both = names.map((name) => run(name, 'running'))
    expect(nextToRun(both)?.metadata.name).toBe(nextToRun(both.toReversed())?.metadata.name)
  })

  test('the name of the last one while it exists', () => {
    expect(after([run('one', 'running')]).lastDeploymentName).toBe('one')
    expect(after([run('one', 'running')], []).lastDeploymentName).toBeUndefined()
    const other = run('one', 'pending', {}, { deltaName: 'other' })
    expect(after([run('one', 'running')], [other]).lastDeploymentName).toBeUndefined()
  })

  test('when it remembers nothing yet, the newest of those that exist', () => {
    const old = run('old', 'succeeded', { creationTimestamp: '2026-01-01T00:00:00Z' })
    const last = run('last', 'failed', { creationTimestamp: '2026-01-02T00:00:00Z' })
    expect(after([last, old]).lastPlanned?.deploymentName).toBe('last')
  })

  test('nothing new of deployments that stay as they are', () => {
    const moment = [run('one', 'succeeded'), run('two', 'failed', going), run('three', 'running')]
    const status = after(moment)
    expect(historyOf({ status }, moment)).toEqual(status)
  })
})

describe('a deployment that is created again', () => {
  test.each<[rule: string, moments: EnvironmentDeployment[][], expected: RunDecision]>([
    ['runs when it never began', [[run('one', 'pending', going)]], 'run'],
    ['succeeded, when it had', [[run('one', 'running')], [run('one', 'succeeded', going)]], 'succeeded'],
    ['failed, when it had', [[run('one', 'running')], [run('one', 'failed', going)]], 'failed'],
    ['failed, when planning had refused it', [[run('one', 'refused', going)]], 'failed'],
    [
      'continues when it was deleted while it ran',
      [[run('one', 'running')], [run('one', 'running', going)]],
      'run',
    ],
    [
      'is over when it was deleted on its way and another one was planned since',
      [[run('one', 'running')], [run('one', 'running', going)], [run('two', 'running')]],
      'superseded',
    ],
    [
      'keeps its outcome, after any number of others',
      [
        [run('one', 'running')],
        [run('one', 'succeeded', going)],
        [run('two', 'running')],
        [run('two', 'failed', going)],
      ],
      'succeeded',
    ],
    ['with another spec runs', [[run('one', 'succeeded', going, { deltaName: 'other' })]], 'run'],
    ['under another name runs', [[run('other', 'succeeded', going, { deltaName: 'one' })]], 'run'],
  ])('%s', (_, moments, expected) => {
    expect(decideRun({ status: after(...moments) }, run('one', 'pending'))).toBe(expected)
  })

  const condition = { type: 'AlreadyRan', status: 'True', reason: 'AlreadyRan', message: '' }
  test('leaves no other trace when it is deleted before it says that it ran', () => {
    const first = after([run('one', 'running')], [run('one', 'succeeded', going)])
    const again = run('one', 'pending', going)
    expect(historyOf({ status: first }, [again]).pastDeployments).toEqual(first.pastDeployments)
    expect(isRemembered({ status: first }, again)).toBe(true)
  })

  test('leaves no other trace when it is deleted again', () => {
    const first = after([run('one', 'running')], [run('one', 'succeeded', going)])
    const again = run('one', 'pending', going)
    const status = { conditions: [{ ...condition, lastTransitionTime: startTime }] }
    const repetition = { ...again, status } as EnvironmentDeployment
    expect(isRepetition(repetition)).toBe(true)
    expect(historyOf({ status: first }, [repetition]).pastDeployments).toEqual(first.pastDeployments)
    expect(isRemembered({ status: first }, repetition)).toBe(true)
  })
})

describe('a deployment whose deletion is hindered', () => {
  /** The conditions while its deletion waits or fails. */
  const hindered: object = {
    conditions: [
      { type: 'Ready', status: 'False' },
      { type: 'Reconciling', status: 'True' },
    ],
  }
  const finishTime = '2026-02-01T00:01:00Z'
  test.each<[end: RunDecision, status: object]>([
    ['succeeded', { startTime, finishTime }],
    ['failed', { startTime, finishTime, problems: [{ object: '', reason: 'Failed', message: 'no' }] }],
  ])('is remembered as %s, and does not run again', (end, status) => {
    const ended = {
      ...run('one', 'pending', going),
      status: { ...status, ...hindered },
    } as EnvironmentDeployment // as the API has them
    const memory = after([run('two', 'running')], [ended, run('two', 'succeeded')])
    expect(isRemembered({}, ended)).toBe(false)
    expect(isRemembered({ status: memory }, ended)).toBe(true)
    expect(decideRun({ status: memory }, run('one', 'pending'))).toBe(end)
  })
})

describe('a deployment that is being deleted may go', () => {
  test.each<[rule: string, moments: EnvironmentDeployment[][], phase: Phase, expected: boolean]>([
    ['at once when it never began', [], 'pending', true],
    ['at once when it passed planning and wrote nothing yet', [], 'running', true],
    ['not before its outcome is remembered', [[run('one', 'running')]], 'succeeded', false],
    ['not as one on its way when that is not remembered', [[run('one', 'running')]], 'running', false],
    ['when its outcome is', [[run('one', 'running')], [run('one', 'succeeded', going)]], 'succeeded', true],
  ])('%s', (_, moments, phase, expected) => {
    expect(isRemembered({ status: after(...moments) }, run('one', phase, going))).toBe(expected)
  })
})

describe('an environment without room for more', () => {
  const past = (count: number, marks = {}) =>
    Array.from({ length: count }, (_, i) => ({
      hash: i.toString(16).padStart(16, '0'),
      state: 'succeeded' as const,
      ...marks,
    }))
  const full = { pastDeployments: past(pastDeploymentLimits.byOthers) }

  test('forgets nothing, and releases the ones that it cannot remember', () => {
    const one = run('one', 'succeeded', going)
    expect(historyOf({ status: full }, [one]).pastDeployments).toEqual(full.pastDeployments)
    expect(isRemembered({ status: full }, one)).toBe(true)
  })

  test.each<[rule: string, metadata: object, expected: RunDecision]>([
    ['refuses ones that it cannot distinguish from past ones', {}, 'full'],
    ['takes deployments over REST, whose names are new', { annotations: overRest }, 'run'],
  ])('%s', (_, metadata, expected) => {
    expect(decideRun({ status: full }, run('one', 'pending', metadata))).toBe(expected)
  })

  test('remembers as many as it has room for, and releases the others', () => {
    const status = { pastDeployments: past(pastDeploymentLimits.byOthers - 1) }
    const both = [run('one', 'succeeded', going), run('two', 'failed', going)]
    const memory = historyOf({ status }, both)
    expect(memory.pastDeployments).toHaveLength(pastDeploymentLimits.byOthers)
    expect(decideRun({ status: memory }, run('one', 'pending'))).toBe('succeeded')
    expect(isRemembered({ status: memory }, run('two', 'failed', going))).toBe(true)
  })

  test('learns how one ended that it knows, which does not run again', () => {
    const known = [run('one', 'running', going)]
    const pastDeployments = past(pastDeploymentLimits.byOthers - 1)
    const status = historyOf({ status: { ...after([run('one', 'running')]), pastDeployments } }, known)
    const memory = historyOf({ status }, [run('one', 'succeeded', going)])
    expect(decideRun({ status: memory }, run('one', 'pending'))).toBe('succeeded')
  })

  test('remembers deployments over REST, whose room is another', () => {
    const one = run('one', 'succeeded', { ...going, annotations: overRest })
    const memory = historyOf({ status: full }, [one, run('two', 'succeeded', going)])
    expect(decideRun({ status: memory }, run('one', 'pending'))).toBe('succeeded')
  })

  test('of deployments over REST remembers the newest, and of the others all', () => {
    const others = past(1)
    const [, ...newer] = past(pastDeploymentLimits.overRest + 1, { overRest: true })
    const status = { pastDeployments: [...others, ...newer] }
    const one = run('one', 'succeeded', { ...going, annotations: overRest })
    const hashes = historyOf({ status }, [one]).pastDeployments?.map(({ hash }) => hash)
    expect(hashes).toEqual([...[...others, ...newer.slice(1)].map(({ hash }) => hash), runHash(one)])
  })
})

test.each<[rule: string, marks: Record<string, string> | undefined, expected: string[]]>([
  ['over REST is deleted', overRest, ['one']],
  ['by a person or a tool stays', undefined, []],
  ['by a tool, as a copy of one over REST, stays', copied, []],
])('an old deployment that was made %s', (_, marks, expected) => {
  const old = run('one', 'succeeded', { creationTimestamp: '2026-01-01T00:00:00Z', annotations: marks })
  const last = run('two', 'succeeded', { creationTimestamp: '2026-01-02T00:00:00Z' })
  expect(removableDeployments([old, last], 0).map(({ metadata }) => metadata.name)).toEqual(expected)
})

test('a number that was given once is never given again', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.constantFrom('1', '2', '7', '12', 'x', '03', '1e3', '9'.repeat(20)))),
      (all) => {
        let status: Status = {}
        const seen = new Set<string>()
        for (const names of all) {
          const deployments = names.map((each) => run(`shop.dev.${each}`, 'pending'))
          for (const each of names) seen.add(each)
          status = historyOf({ status }, deployments)
          const next = String(nextDeploymentNumber({ status }, deployments))
          expect(seen).not.toContain(next)
          seen.add(next)
          status = historyOf({ status }, [run(`shop.dev.${next}`, 'pending')])
        }
      },
    ),
  )
})

/** The deployments of an environment, and their events: created, planned, ended and deleted in any order. */
test('with deployments created, deleted and created again in any order, each name and spec is planned once', () => {
  const action = fc.tuple(fc.constantFrom('create', 'step', 'fail', 'delete'), fc.constantFrom('a', 'b', 'c'))
  fc.assert(
    fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
      let status: Status = {}
      const phases = new Map<string, Phase>()
      const ended: string[] = []
      const all = () => [...phases].map(([name, phase]) => run(name, phase))
      for (const [what, name] of actions) {
        const phase = phases.get(name)
        if (what === 'create' && !phase && decideRun({ status }, run(name, 'pending')) === 'run')
          phases.set(name, 'pending')
        if (what === 'delete' && phase) {
          const last = run(name, phase, going)
          status = historyOf({ status }, [...all().filter((each) => each.metadata.name !== name), last])
          expect(isRemembered({ status }, last)).toBe(true)
          phases.delete(name)
        }
        const isFree = ![...phases.values()].includes('running')
        if (what === 'step' && phase === 'pending' && isFree) phases.set(name, 'running')
        if ((what === 'step' || what === 'fail') && phase === 'running') {
          phases.set(name, what === 'step' ? 'succeeded' : 'failed')
          ended.push(name)
        }
        status = historyOf({ status }, all())
      }
      expect(new Set(ended).size).toBe(ended.length)
    }),
  )
})
