import { describe, expect, test } from '@jest/globals'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { annotations } from '../../../operator/api/names.ts'
import {
  awaitSource,
  failure,
  planningFailure,
} from '../../../operator/controllers/deployment/deployment-failure.ts'
import { Stalled, Waiting } from '../../../operator/domain/base/errors.ts'
import type { ListedProblem } from '../../../operator/domain/graph/problems.ts'
import { storedObject } from '../../support/builders.ts'

const maxStatusBytes = 1_000_000
const settling = { settleSeconds: 60, serverNow: Date.now }
const problem = (message: string, object = 's3.default#shared.main') => ({
  object,
  reason: 'UnknownValue' as const,
  message,
})
const many = (count: number, message: string) =>
  Array.from({ length: count }, (_, i) => problem(`${i} ${message}`))

/** The problems as a status has them. */
function statedOf(problems: ListedProblem[]) {
  const { observed, message } = failure({ problems })
  const { problems: stated = [] } = observed as { problems?: typeof problems } // of a deployment
  return { stated, message }
}

describe('the problems of a deployment that failed', () => {
  test.each([
    ['a few are unchanged', many(3, 'x'), 3],
    ['of very many the first are kept, with the number of the others', many(1000, 'x'), 201],
    ['of large ones fewer are kept', many(200, 'x'.repeat(8000)), 62],
    ['of those that grow when they are kept even fewer', many(200, '<'.repeat(8000)), 11],
  ])('%s', (_, problems, count) => {
    const { stated } = statedOf(problems)
    expect(stated.slice(0, -1)).toEqual(problems.slice(0, stated.length - 1))
    expect(stated).toHaveLength(count)
    const [last] = stated.slice(-1)
    const more = problems.length - stated.length + 1
    if (more > 1) expect(last).toMatchObject({ object: '', reason: 'MoreProblems' })
    if (more > 1) expect(last?.message).toContain(String(more))
  })

  test.each([
    ['a long message', problem('x'.repeat(9000))],
    ['a long name', problem(`unknown '${'x'.repeat(9000)}'`)],
    ['a long object', problem('x', `workload '${'x'.repeat(9000)}'`)],
  ])('%s is cut to the limit of the schema', (_, given) => {
    const { stated } = statedOf([given])
    expect(stated).toHaveLength(1)
    expect(stated[0]?.message.length).toBeLessThanOrEqual(8192)
    expect(stated[0]?.object.length).toBeLessThanOrEqual(1024)
  })

  test('the largest lists and their conditions can be stored together', () => {
    const { stated, message } = statedOf(many(5000, '<'.repeat(8000)))
    const worst = 6 * 2 * Math.min(message.length, 32_000)
    expect(JSON.stringify(stated).replaceAll('<', '\\u003c').length + worst).toBeLessThan(maxStatusBytes)
  })

  test('those that planning did not list are counted', () => {
    const unlisted = {
      object: '',
      reason: 'MoreProblems' as const,
      message: '500 more problems, not listed',
      more: 500,
    }
    const { stated, message } = statedOf([...many(1000, 'x'), unlisted])
    expect(stated).toHaveLength(201)
    expect(stated.at(-1)).toEqual({
      object: '',
      reason: 'MoreProblems',
      message: '1300 more problems, not listed',
    })
    expect(message).toContain('1495 more')
  })

  test('the reason of one alone is the reason of the deployment', () => {
    expect(failure({ problems: [problem('x')] }).reason).toBe('UnknownValue')
    expect(failure({ problems: many(2, 'x') }).reason).toBe('DeploymentFailed')
  })
})

const overRest = { [annotations.createdBy]: 'ana', [annotations.triggeredBy]: 'ana' }

test.each([
  ['over REST is final', overRest, Stalled],
  ['by kubectl waits for its objects at first', {}, Waiting],
  [
    'from Git waits at first, also a copy of one over REST',
    { ...overRest, [annotations.triggeredBy]: 'system:serviceaccount:flux-system:kustomize-controller' },
    Waiting,
  ],
])('a deployment %s, its problems bounded', (_, given, expected) => {
  const metadata = { namespace: 'acme', name: 'shop.dev.1', creationTimestamp: new Date().toISOString() }
  const deployment = storedObject(
    EnvironmentDeployment,
    { ...metadata, annotations: given },
    { environmentName: 'shop.dev' },
  )
  const error = planningFailure(deployment, many(300, 'x'), {}, settling)
  expect(error).toBeInstanceOf(expected)
  expect((error as Stalled).observed).toMatchObject({ problems: { length: 201 } }) // both have it
})

test.each([-60, 60])(
  'a clock that is %s minutes ahead takes no time from a new deployment by kubectl',
  (minutes) => {
    const serverNow = () => Date.now() - minutes * 60_000
    const madeAgo = (ms: number) =>
      storedObject(
        EnvironmentDeployment,
        {
          namespace: 'acme',
          name: 'shop.dev.1',
          creationTimestamp: new Date(serverNow() - ms).toISOString(),
        },
        { environmentName: 'shop.dev' },
      )
    const failureOf = (ms: number) =>
      planningFailure(madeAgo(ms), many(1, 'x'), {}, { ...settling, serverNow })
    expect(failureOf(0)).toBeInstanceOf(Waiting)
    expect(failureOf(61_000)).toBeInstanceOf(Stalled)
  },
)

describe.each([
  ['by kubectl', {}],
  ['over REST', overRest],
])('an object that a deployment %s names and that is missing', (_, given) => {
  const missing = { reason: 'SetNotFound' as const, message: "the deployment set 'shop.one'" }
  const ageMs = (age: number) => new Date(Date.now() - age).toISOString()
  const deployment = (age: number) =>
    storedObject(
      EnvironmentDeployment,
      { namespace: 'acme', name: 'shop.dev.1', annotations: given, creationTimestamp: ageMs(age) },
      { environmentName: 'shop.dev', setName: 'shop.one' },
    )

  test('gets time to arrive', () => {
    const waiting = awaitSource(deployment(10_000), missing, settling)
    expect(waiting).toBeInstanceOf(Waiting)
    expect(waiting).toMatchObject({ reason: 'SetNotFound' })
    expect(waiting.message).toContain("waiting for the deployment set 'shop.one'")
  })

  test('fails it when that is over: nothing waits for ever', () => {
    const failed = awaitSource(deployment(61_000), missing, settling)
    expect(failed).toBeInstanceOf(Stalled)
    expect(failed).toMatchObject({ reason: 'SetNotFound' })
    expect(failed.message).toContain("the deployment set 'shop.one' not found")
  })
})
