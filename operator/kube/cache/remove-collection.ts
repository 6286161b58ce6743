import type { KubeClient } from '../client/client.ts'
import { pathOf, type Resource } from '../client/resource.ts'
import { metadataListAccept } from './watch-protocol.ts'

/** The API server deletes the objects of a collection one by one: all of them must be done before the client stops waiting. */
const collectionPage = 100

/**
 * Deletes the selected objects in a namespace, with one request for each 100; finalizers may keep some of them. Calls `before`
 * each request, which may throw to leave the others.
 */
export async function removeCollection(
  client: KubeClient,
  resource: Resource,
  namespace: string,
  selector: { readonly fieldSelector: string } | { readonly labelSelector: string },
  before: () => void,
): Promise<void> {
  let next: string | undefined
  do {
    before()
    const answer = (await client.request('DELETE', pathOf(resource, namespace), {
      query: { ...selector, limit: collectionPage, continue: next },
      body: { propagationPolicy: 'Background' },
      accept: metadataListAccept,
    })) as { readonly metadata?: { readonly continue?: string } } // a list, or a Status
    next = answer.metadata?.continue || undefined
  } while (next !== undefined)
}
