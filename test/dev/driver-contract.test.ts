import { describe, expect, test } from '@jest/globals'
import { isObject } from '../../operator/domain/base/json.ts'
import { contractCases, password, sampleInputs } from '../support/contract-cases.ts'
import { bendOutputs, type Defects, hang, serveSampleDriver } from '../support/sample-driver.ts'
import { refusal } from '../support/serve-driver.ts'

/** The cases that a driver with such defects fails; they wait more than they compute. */
async function failedCases(defects: Defects, timeoutMs?: number): Promise<string[]> {
  const driver = await serveSampleDriver(defects)
  const failed = await contractCases('failed', driver.target, sampleInputs, timeoutMs)
  await driver.close()
  return failed
}

describe('a driver with a defect fails where it has it', () => {
  const everythingAfterCreate = ['create']
  const leak = bendOutputs((body) => {
    if (isObject(body.resource) && isObject(body.resource.values)) body.resource.values.login = password
    return body
  })

  test.concurrent.each<[defect: string, defects: Defects, failing: string[]]>([
    [
      'creates a second instance at every PUT',
      { forgets: 'always', answersAtOnce: true },
      ['concurrent', 'independent', 'lost-answer', 'repeat'],
    ],
    [
      'creates a second instance when the cookie was lost',
      { forgets: 'without cookie', answersAtOnce: true },
      ['concurrent', 'lost-answer'],
    ],
    ['shares its state between resources', { sharesOneState: true }, ['independent']],
    ['leaks a secret into the values', { put: leak }, ['secrets']],
    ['ignores changed inputs', { ignoresUpdates: true }, ['update']],
    [
      'never leaves 202',
      { put: (reply) => (reply.status === 200 ? { status: 202 } : reply) },
      everythingAfterCreate,
    ],
    [
      'gives nulls',
      { put: bendOutputs((body) => ({ ...body, resource: { values: { host: null } } })) },
      ['outputs'],
    ],
    [
      'has its outputs elsewhere',
      { put: bendOutputs(({ resource, ...body }) => ({ ...body, values: { host: 'a' } })) },
      ['outputs'],
    ],
    ['answers for another type', { put: bendOutputs((body) => ({ ...body, type: 'gcs' })) }, ['outputs']],
    [
      'answers text with 200',
      { put: (reply) => (reply.status === 200 ? { ...reply, body: 'done' } : reply) },
      everythingAfterCreate,
    ],
    [
      'answers 500 to invalid JSON',
      { put: (reply) => (reply.status === 400 ? refusal(500, 'RES-500', 'no JSON') : reply) },
      ['bad-id', 'bad-json'],
    ],
    [
      'takes inputs that are wrong',
      { put: (reply, { id }) => (reply.status === 422 ? { status: 200, body: { id } } : reply) },
      ['bad-inputs', 'missing-driver'],
    ],
    [
      'answers errors in HTML',
      {
        put: (reply) =>
          reply.status >= 400
            ? { ...reply, headers: { 'content-type': 'text/html' }, body: '<h1>no</h1>' }
            : reply,
      },
      ['error-bodies'],
    ],
    [
      'repeats a secret in its errors',
      {
        put: (reply, { text }) =>
          reply.status >= 400 ? refusal(reply.status, 'RES-101', `no: ${text}`) : reply,
      },
      ['error-bodies'],
    ],
    [
      'gives no reason for an error',
      { put: (reply) => (reply.status >= 400 ? { status: reply.status } : reply) },
      ['error-bodies'],
    ],
    [
      'sets a cookie of 20 KiB',
      { put: (reply) => ({ ...reply, headers: { 'set-humanitec-driver-cookie': 'x'.repeat(20_480) } }) },
      ['cookie'],
    ],
    [
      'sets a cookie with a tab',
      { put: (reply) => ({ ...reply, headers: { 'set-humanitec-driver-cookie': 'a\tb' } }) },
      ['cookie'],
    ],
    [
      'answers 500 to a second DELETE',
      { delete: (reply, { knewIt }) => (knewIt ? reply : { status: 500 }) },
      ['delete-during-create', 'delete-twice', 'delete-unknown'],
    ],
    ['answers 404 to the first DELETE', { delete: () => ({ status: 404 }) }, ['delete']],
    [
      'answers 500 to a DELETE without cookie',
      {
        delete: (reply, { request, knewIt }) =>
          knewIt && !request.headers['humanitec-driver-cookie'] ? { status: 500 } : reply,
      },
      ['delete-without-cookie'],
    ],
    [
      'never ends a DELETE',
      { delete: () => ({ status: 202 }) },
      [
        'create-after-delete',
        'delete',
        'delete-during-create',
        'delete-twice',
        'delete-unknown',
        'independent',
      ],
    ],
    [
      'answers 500 to large inputs',
      { put: (reply, { text }) => (text.length > 100_000 ? { status: 500 } : reply) },
      ['large-inputs'],
    ],
    [
      'breaks text that is not ASCII',
      { put: bendOutputs((body) => JSON.parse(JSON.stringify(body).replaceAll(/[^ -~]/g, '?'))) },
      ['unicode'],
    ],
    [
      'refuses keys that it does not know',
      {
        put: (reply, { text }) =>
          text.includes('added_later') ? refusal(400, 'RES-104', 'unknown key') : reply,
      },
      ['unknown-keys'],
    ],
    [
      'does everything at any method',
      { anything: (reply) => (reply.status === 405 ? { status: 200, body: {} } : reply) },
      ['wrong-method'],
    ],
    [
      'names its manifests without the id',
      {
        put: bendOutputs((body) => ({
          ...body,
          manifests: [
            { location: 'namespace', data: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } } },
          ],
        })),
      },
      ['manifests'],
    ],
    [
      'puts manifests nowhere',
      { put: bendOutputs((body) => ({ ...body, manifests: [{ location: 'moon', data: {} }] })) },
      ['manifests'],
    ],
    [
      'hints with an invalid time',
      {
        put: (reply) =>
          reply.status === 202 ? { ...reply, body: { estimated_completion_time: 'soon' } } : reply,
      },
      ['hints'],
    ],
  ])('%s', async (_, defects, failing) => {
    expect(await failedCases(defects)).toEqual(failing)
  })

  test.concurrent('never answers a PUT', async () => {
    const failing = ['bad-id', 'bad-inputs', 'bad-json', 'create', 'error-bodies', 'missing-driver']
    expect(await failedCases({ put: hang }, 1000)).toEqual(failing)
  })
})

test('a driver that answers 501 to unknown methods, as servers do that have no code for them, passes', async () => {
  const anything: Defects['anything'] = (reply) => (reply.status === 405 ? { status: 501 } : reply)
  expect(await failedCases({ anything })).toEqual([])
})
