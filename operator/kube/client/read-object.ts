import type { StoredObject } from '../../api/kind.ts'
import { isNotFound } from './api-error.ts'
import type { KubeClient } from './client.ts'
import { pathOf, type Resource } from './resource.ts'

/** Reads one object of any kind; undefined when it does not exist. */
export async function readObject(
  client: KubeClient,
  resource: Resource,
  namespace: string | undefined,
  name: string,
  timeoutMs?: number,
): Promise<StoredObject | undefined> {
  try {
    return (await client.request('GET', pathOf(resource, namespace, name), { timeoutMs })) as StoredObject // what the API server serves
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
