import type { Kind, ObjectOf, StoredObject } from '../../api/kind.ts'
import { ApiError } from '../client/api-error.ts'
import type { KubeClient } from '../client/client.ts'
import type { ListPage } from '../client/list-page.ts'
import { pathOf, resourceOf } from '../client/resource.ts'
import { type Cache, versionOf } from './cache.ts'

/** The API server has compacted this version, as it does after some minutes. */
export const compacted = Symbol('compacted')

/** Reads the object as it was at a resource version; undefined when it did not exist. */
export async function objectAt<K extends Kind>(
  client: KubeClient,
  kind: K,
  { namespace, name }: StoredObject['metadata'],
  version: bigint,
): Promise<ObjectOf<K> | undefined | typeof compacted> {
  const query = {
    fieldSelector: `metadata.name=${name}`,
    resourceVersion: String(version),
    resourceVersionMatch: 'Exact',
  }
  try {
    const path = pathOf(resourceOf(kind), namespace)
    const list = (await client.request('GET', path, { query })) as ListPage<ObjectOf<K>>
    return list.items?.[0]
  } catch (error) {
    if (error instanceof ApiError && error.status === 410) return compacted
    throw error
  }
}

/** Returns the resource version at which an object was first seen; its creation when the watch was there. */
export function createFirstVersions<T extends StoredObject>(cache: Cache<T>): (object: T) => bigint {
  const versions = new Map<string, bigint>()
  const note = (object: T) => {
    const { uid } = object.metadata
    if (!versions.has(uid)) versions.set(uid, versionOf(object))
  }
  for (const object of cache.all()) note(object)
  cache.subscribe(({ before, after }) => {
    if (after) note(after)
    else if (before) versions.delete(before.metadata.uid)
  })
  return (object) => versions.get(object.metadata.uid) ?? versionOf(object)
}
