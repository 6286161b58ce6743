import { expect, test } from '@jest/globals'
import { recordEvent } from '../../../operator/controllers/shared/events.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'

const environment = {
  apiVersion: 'quartermaster.dev/v1alpha1',
  kind: 'Environment',
  metadata: { name: 'shop.dev', namespace: 'acme' },
}
const denial =
  "events \"shop.dev.1\" is forbidden: ValidatingAdmissionPolicy 'owners' with binding 'owners' denied request: no owner"

/** Records an Event with an API server that answers so. */
function record(error: Error | undefined): Promise<void> {
  const request = async () => {
    if (error) throw error
    return {}
  }
  const client = { request, watch: async function* () {}, close: async () => {} }
  return recordEvent(client, environment, { type: 'Warning', reason: 'Detached', message: 'detached' })
}

test.each([
  ['is created', undefined],
  ['is in a namespace that is being deleted', new ApiError(403, 'Forbidden', 'it is being terminated')],
  ['is denied by a policy', new ApiError(422, 'Invalid', denial)],
  ['is denied by a webhook', new ApiError(400, 'BadRequest', 'admission webhook "x" denied the request: no')],
])('an Event holds up nothing when it %s', async (_, error) => {
  await expect(record(error)).resolves.toBeUndefined()
})

test.each([
  ['no answer', new Error('other side closed')],
  ['a refusal for now', new ApiError(429, 'TooManyRequests', 'limit reached', 1)],
  ['a failed webhook', new ApiError(500, 'InternalError', 'failed calling webhook "x"')],
])('an Event is tried again after %s', async (_, error) => {
  await expect(record(error)).rejects.toBe(error)
})
