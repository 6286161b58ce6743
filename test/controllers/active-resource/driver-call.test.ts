import { expect, test } from '@jest/globals'
import { withinDeadline, withReason } from '../../../operator/controllers/active-resource/driver-call.ts'
import { ReconcileError, Stalled, Waiting } from '../../../operator/domain/base/errors.ts'
import { ApiError, NoAnswer, QuotaError } from '../../../operator/kube/client/api-error.ts'

test.each<[what: string, error: Error]>([
  ['a driver', new Error('no: hunter22')],
  ['a driver with a reason', new ReconcileError('DriverFailed', 'no: hunter22')],
  ['a wait', new Waiting('DriverBusy', 'busy with hunter22')],
  ['a refusal', new Stalled('DriverRefused', 'no: hunter22')],
  ['the way to the API server', new NoAnswer('no answer of the API server to GET /api/v1/secrets/hunter22')],
  ['the API server', new ApiError(503, 'Unavailable', 'the API server answered 503 to GET /v1/hunter22', 7)],
])('an error of %s keeps its class, and neither its message nor its stack has a secret', async (_, error) => {
  const work = () => Promise.reject(error)
  const shown = await withReason('ProvisionFailed', 'provisioning', ['hunter22'], work).catch((each) => each)
  for (const each of [NoAnswer, ApiError, Waiting, Stalled])
    expect(shown instanceof each).toBe(error instanceof each)
  if (error instanceof ApiError)
    expect(shown).toMatchObject({ status: 503, reason: 'Unavailable', retryAfterSeconds: 7 })
  expect(shown).toMatchObject({ message: expect.stringContaining('…') })
  expect(shown.stack).not.toContain('hunter22')
})

test('a quota error keeps its namespace, which ends the wait for room', async () => {
  const error = new QuotaError('acme', { message: 'exceeded quota', uses: [] })
  const work = () => Promise.reject(error)
  await expect(withReason('ProvisionFailed', 'provisioning', ['hunter22'], work)).rejects.toBe(error)
})

test.each([
  ['passes during the call', AbortSignal.timeout(1)],
  ['has passed before', AbortSignal.abort()],
])('a call that never ends fails when its deadline %s', async (_, signal) => {
  const keepAlive = setTimeout(() => {}, 1000) // the time limit of a signal alone keeps no process alive
  const call = withinDeadline(new Promise(() => {}), signal)
  await expect(call).rejects.toThrow('the driver did not answer in time')
  clearTimeout(keepAlive)
})
