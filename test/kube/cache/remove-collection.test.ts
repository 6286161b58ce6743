import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { removeCollection } from '../../../operator/kube/cache/remove-collection.ts'
import type { KubeClient } from '../../../operator/kube/client/client.ts'
import { resourceOf } from '../../../operator/kube/client/resource.ts'
import { casesOf, fc } from '../../support/properties.ts'

/** An API server with so many pages of objects, the first of which has no name. Deletions take a while. */
function serverWith(pages: number, isBroken = (_request: string) => false) {
  const sent: string[] = []
  const done: string[] = []
  let deletions = 0
  let mostDeletions = 0
  const client: Pick<KubeClient, 'request'> = {
    async request(method, path, { query = {}, body } = {}) {
      const { labelSelector, limit, continue: page = 0 } = query
      expect({ path, labelSelector, limit }).toEqual({
        path: expect.stringMatching(/\/namespaces\/acme\/activeresources$/),
        labelSelector: 'a',
        limit: 100,
      })
      expect(body).toEqual(method === 'DELETE' ? { propagationPolicy: 'Background' } : undefined)
      const name = `${method} ${page}`
      sent.push(name)
      if (method === 'DELETE') {
        mostDeletions = Math.max(mostDeletions, (deletions += 1))
        await sleep(1)
        deletions -= 1
      }
      if (isBroken(name)) throw new Error(`${name} failed`)
      done.push(name)
      const next = Number(page) + 1
      return {
        metadata: next < pages ? { continue: `${next}` } : {},
        items: [{ metadata: { name: `object-${page}` } }],
      }
    },
  }
  const remove = (before = () => {}) =>
    removeCollection(client as KubeClient, resourceOf(ActiveResource), 'acme', { labelSelector: 'a' }, before)
  return { sent, done, remove, mostDeletions: () => mostDeletions }
}

describe('the deletion of a collection', () => {
  test('deletes each page of a hundred objects once, four at a time, reads where the next begins, and names all objects', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), async (pages) => {
        const { done, remove, mostDeletions } = serverWith(pages)
        const names = await remove()
        expect([...names].sort()).toEqual(Array.from({ length: pages }, (_, page) => `object-${page}`).sort())
        const further = Array.from({ length: pages - 1 }, (_, index) => index + 1)
        const expected = ['DELETE 0', ...further.flatMap((page) => [`GET ${page}`, `DELETE ${page}`])]
        expect([...done].sort()).toEqual(expected.sort())
        expect(done[0]).toBe('DELETE 0')
        expect(mostDeletions()).toBeLessThanOrEqual(4)
      }),
      { numRuns: casesOf(500) },
    )
  })

  test('sends one request for at most a hundred objects', async () => {
    const { sent, remove } = serverWith(1)
    await remove()
    expect(sent).toEqual(['DELETE 0'])
  })

  test('names nothing when the API server answers with a Status', async () => {
    const client = { request: async () => ({ kind: 'Status', metadata: {}, status: 'Success' }) }
    const selector = { labelSelector: 'a' }
    const removed = removeCollection(
      client as unknown as KubeClient, // deletes only
      resourceOf(ActiveResource),
      'acme',
      selector,
      () => {},
    )
    await expect(removed).resolves.toEqual([])
  })

  test('sends no further request once the process is to end', async () => {
    const { sent, remove } = serverWith(10)
    const stopped = remove(() => {
      if (sent.length === 4) throw new Error('stopping')
    })
    await expect(stopped).rejects.toThrow('stopping')
    expect(sent).toHaveLength(4)
  })

  test('begins no page after one has failed, and throws when the others are done', async () => {
    const { sent, done, remove } = serverWith(30, (name) => name === 'DELETE 2')
    await expect(remove()).rejects.toThrow('DELETE 2 failed')
    expect(sent.length).toBeLessThan(20)
    expect(done).toHaveLength(sent.length - 1)
  })
})
