import { afterEach, expect, jest, test } from '@jest/globals'
import { admitsObjects } from '../operator/admission.ts'
import { ApiError } from '../operator/kube/client/api-error.ts'
import type { KubeClient, RequestOptions } from '../operator/kube/client/client.ts'
import { silentLog } from '../operator/log.ts'

const refused = (status: number) => new ApiError(status, 'Unknown', 'refused')
const pauses = { soonMs: 1, soonForMs: 60_000, laterMs: 1, lineEveryMs: 60_000 }

afterEach(() => void jest.restoreAllMocks())

test.each([
  ['a new kind that admission does not know yet', [refused(503), refused(503), refused(422)], 3],
  ['a kind that is not served yet', [refused(404), refused(503), refused(422)], 3],
  ['rights that do not act yet', [refused(403), refused(422)], 2],
  ['an API server that is away', [new Error('connect ECONNREFUSED'), refused(422)], 2],
  ['a kind that is known', [refused(422)], 1],
  ['a webhook of others that fails', [refused(500)], 1],
  [
    'a webhook of others that denies it',
    [new ApiError(403, 'Forbidden', 'admission webhook "labels.example.test" denied the request: no owner')],
    1,
  ],
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
  await admitsObjects(client, silentLog, pauses)
  expect(sent).toHaveLength(requests)
  for (const request of sent) {
    expect(request).toEqual([
      'POST',
      '/apis/quartermaster.dev/v1alpha1/namespaces/quartermaster-system/environmentdeployments',
      expect.objectContaining({ query: { dryRun: 'All' } }),
    ])
  }
})

test.each([
  ['is refused at once', 1000, [10_000, 70_000]],
  ['has no answer for long', 30_000, [30_000, 90_000]],
])(
  'a long wait for admission says its cause in the log each minute: a request %s',
  async (_, requestMs, lines) => {
    let now = 0
    jest.spyOn(performance, 'now').mockImplementation(() => now)
    const warned: unknown[] = []
    const client: Pick<KubeClient, 'request'> = {
      async request() {
        now += requestMs
        if (now <= 120_000) throw new ApiError(404, 'Unknown', 'it does not serve this path')
        return {}
      },
    }
    const log = { warn: (...line: unknown[]) => void warned.push([now, ...line]) }
    await admitsObjects(client, log, { ...pauses, soonForMs: 10_000 })
    const words = 'not ready: the API server does not take objects of the kinds'
    const cause = 'it does not serve this path'
    expect(warned).toEqual(lines.map((at) => [at, words, { cause }]))
  },
)
