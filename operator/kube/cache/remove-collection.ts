import type { KubeClient } from '../client/client.ts'
import type { ListPage } from '../client/list-page.ts'
import { inParallel } from '../client/parallel.ts'
import { pathOf, type Resource } from '../client/resource.ts'
import { metadataListAccept } from './watch-protocol.ts'

/** The API server deletes the objects of a page one by one: all of them must be done before the client stops waiting. */
const limit = 100
/** Enough to use the processors of a small API server. */
const pagesAtOnce = 4

/**
 * Deletes the selected objects in a namespace, with one request for each 100; finalizers may keep some of them. Calls `before`
 * each request, which may throw to leave the others. Returns the names of the objects that were there.
 */
export async function removeCollection(
  client: KubeClient,
  resource: Resource,
  namespace: string,
  selector: { readonly fieldSelector: string } | { readonly labelSelector: string },
  before: () => void,
): Promise<readonly string[]> {
  const names: string[] = []
  /** Deletes a page, or only reads it; where the next one begins, of the same state of the cluster. */
  async function request(method: 'DELETE' | 'GET', page: string | undefined): Promise<string | undefined> {
    before()
    const answer = (await client.request(method, pathOf(resource, namespace), {
      query: { ...selector, limit, continue: page },
      body: method === 'DELETE' ? { propagationPolicy: 'Background' } : undefined,
      accept: metadataListAccept,
    })) as ListPage // the form of `accept`
    if (method === 'DELETE') names.push(...(answer.items ?? []).map(({ metadata }) => metadata.name))
    return answer.metadata.continue || undefined
  }
  async function* furtherPages(): AsyncGenerator<string> {
    let page = await request('DELETE', undefined)
    while (page !== undefined) {
      const next = await request('GET', page)
      yield page
      page = next
    }
  }
  await inParallel(furtherPages(), (page) => request('DELETE', page), pagesAtOnce)
  return names
}
