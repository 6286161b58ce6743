import { describe, expect, test } from '@jest/globals'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { removeCollection } from '../../../operator/kube/cache/remove-collection.ts'
import type { KubeClient, RequestOptions } from '../../../operator/kube/client/client.ts'
import { resourceOf } from '../../../operator/kube/client/resource.ts'

/** An API server with so many pages of objects. */
function serverWith(pages: number) {
  const sent: RequestOptions['query'][] = []
  const client: Pick<KubeClient, 'request'> = {
    async request(_method, _path, { query } = {}) {
      sent.push(query)
      return { metadata: sent.length < pages ? { continue: `after-${sent.length}` } : {} }
    },
  }
  const remove = (before: () => void) =>
    removeCollection(client as KubeClient, resourceOf(ActiveResource), 'acme', { labelSelector: 'a' }, before)
  return { sent, remove }
}

describe('the deletion of a collection', () => {
  test('asks for a hundred objects at a time, until no page is left', async () => {
    const { sent, remove } = serverWith(3)
    await remove(() => {})
    expect(sent).toEqual(
      [undefined, 'after-1', 'after-2'].map((next) => ({ labelSelector: 'a', limit: 100, continue: next })),
    )
  })

  test('sends no further request once the process is to end', async () => {
    const { sent, remove } = serverWith(10)
    const stopped = remove(() => {
      if (sent.length === 2) throw new Error('stopping')
    })
    await expect(stopped).rejects.toThrow('stopping')
    expect(sent).toHaveLength(2)
  })
})
