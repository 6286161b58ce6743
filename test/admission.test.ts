import { expect, test } from '@jest/globals'
import { admitsObjects } from '../operator/admission.ts'
import { ApiError } from '../operator/kube/client/api-error.ts'
import type { KubeClient, RequestOptions } from '../operator/kube/client/client.ts'

const refused = (status: number) => new ApiError(status, 'Unknown', 'refused')

test.each([
  ['a new kind that admission does not know yet', [refused(503), refused(503), refused(422)], 3],
  ['a kind that is not served yet', [refused(404), refused(503), refused(422)], 3],
  ['rights that do not act yet', [refused(403), refused(422)], 2],
  ['an API server that is away', [new Error('connect ECONNREFUSED'), refused(422)], 2],
  ['a kind that is known', [refused(422)], 1],
  ['a webhook of others that fails', [refused(500)], 1],
  ['an object that is accepted', [], 1],
])('the operator waits for admission: %s', async (_, errors, requests) => {
  const sent: (readonly [method: string, path: string, options: RequestOptions])[] = []
  const answers = [...errors]
  const client: Pick<KubeClient, 'request'> = {
    async request(method, path, options = {}) {
      sent.push([method, path, options])
      const error = answers.shift()
      if (error) throw error
      return {}
    },
  }
  await admitsObjects(client, 1)
  expect(sent).toHaveLength(requests)
  for (const request of sent) {
    expect(request).toEqual([
      'POST',
      '/apis/quartermaster.dev/v1alpha1/namespaces/quartermaster-system/environmentdeployments',
      expect.objectContaining({ query: { dryRun: 'All' } }),
    ])
  }
})
