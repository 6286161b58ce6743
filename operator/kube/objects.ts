import type { KubeObject } from '../api/kind.ts'
import { fieldManager, labels, manager } from '../api/names.ts'
import { Stalled } from '../domain/base/errors.ts'
import type { Log } from '../log.ts'
import { type Cache, createCache } from './cache/cache.ts'
import { isGone, readObject } from './cache/cluster.ts'
import { type Reflector, startReflector } from './cache/reflector.ts'
import { ApiError, type KubeClient } from './client/client.ts'
import { explainRefusal } from './client/refusal.ts'
import { pathOf, type Resource } from './client/resource.ts'

/** Names an object of any kind. */
export interface ObjectReference {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

/**
 * Objects of any kind that the cluster serves: those that resources are made of. Every request that the cluster refuses
 * for lack of a right is Stalled, NotAllowed, and names the rule that is missing.
 */
export interface Objects {
  /** The object where it belongs: of a kind that has namespaces in this one if it says none, of any other in none. */
  placed(object: KubeObject, namespace: string): Promise<KubeObject>
  /** Server-side apply under our field manager; Stalled when the cluster refuses for good. */
  apply(object: KubeObject): Promise<KubeObject>
  read(reference: ObjectReference): Promise<KubeObject | undefined>
  /** Deletes this very object; that it is gone already is success. */
  remove(reference: ObjectReference, uid: string): Promise<void>
  /** Metadata of our objects of a kind, watched from the first call on; ready when synced, Stalled when not allowed. */
  watch(reference: Pick<ObjectReference, 'apiVersion' | 'kind'>): Promise<Cache>
  /** Hears of every change of metadata of watched kinds. */
  onChange(handler: (metadata: KubeObject, isGone: boolean, isFirstList: boolean) => void): void
  close(): void
}

interface Watched {
  readonly cache: Cache
  readonly reflector: Reflector
}

/** Index of watched metadata by the GUResID in their label. */
export const byResource = 'resource'

/** The door to objects that are not of our kinds. */
export function openObjects(client: KubeClient, log: Log): Objects {
  const known = new Map<string, Resource>()
  const watched = new Map<string, Watched>()
  const handlers: ((metadata: KubeObject, isGone: boolean, isFirstList: boolean) => void)[] = []

  async function resourceFor({
    apiVersion,
    kind,
  }: Pick<ObjectReference, 'apiVersion' | 'kind'>): Promise<Resource> {
    const key = `${apiVersion} ${kind}`
    const resource =
      known.get(key) ?? (await explaining('discover', { kind }, () => discover(client, apiVersion, kind)))
    if (!resource) throw new Stalled('NotServed', `this cluster does not serve '${apiVersion}' '${kind}'`)
    known.set(key, resource)
    return resource
  }

  function startWatch(resource: Resource): Watched {
    const cache = createCache(
      { [byResource]: (object: KubeObject) => [object.metadata.labels?.[labels.resource] ?? ''] },
      (error) => log.error('a handler of changes threw', { error }),
    )
    let isFirstList = true
    cache.subscribe(({ before, after }) => {
      const object = after ?? before
      if (object)
        for (const handler of handlers)
          handler({ ...object, apiVersion: resource.apiVersion, kind: resource.kind }, !after, isFirstList)
    })
    const reflector = startReflector(client, resource, cache, log, {
      labelSelector: `${labels.managedBy}=${manager},${labels.resource}`,
      metadataOnly: true,
      mayBeRefused: true,
    })
    reflector.synced.then(
      () => {
        isFirstList = false
      },
      () => {}, // whoever waits for it is told
    )
    return { cache, reflector }
  }

  return {
    async placed(object, namespace) {
      if (object.metadata.namespace !== undefined) return object
      const { namespaced } = await resourceFor(object)
      return namespaced ? { ...object, metadata: { ...object.metadata, namespace } } : object
    },
    async apply(object) {
      const resource = await resourceFor(object)
      const path = pathOf(resource, object.metadata.namespace, object.metadata.name)
      const request = { body: object, contentType: 'application/apply-patch+yaml' }
      return explaining('apply', { ...object.metadata, kind: resource.kind }, async () => {
        const query = { fieldManager, force: true }
        return (await client.request('PATCH', path, { ...request, query })) as KubeObject // what was applied
      })
    },
    async read(reference) {
      const resource = await resourceFor(reference)
      const { namespace, name } = reference
      return explaining('get', reference, () => readObject(client, resource, namespace, name))
    },
    async remove(reference, uid) {
      const resource = await resourceFor(reference)
      const path = pathOf(resource, reference.namespace, reference.name)
      const body = { preconditions: { uid }, propagationPolicy: 'Background' }
      await explaining('delete', reference, async () => {
        try {
          await client.request('DELETE', path, { body })
        } catch (error) {
          if (!isGone(error)) throw error
        }
      })
    },
    async watch(reference) {
      const resource = await resourceFor(reference)
      const key = `${resource.apiVersion} ${resource.plural}`
      const entry = watched.get(key) ?? startWatch(resource)
      watched.set(key, entry)
      await explaining('watch', { kind: resource.kind }, async () => {
        try {
          await entry.reflector.synced
        } catch (error) {
          // Asked anew at the next time: the right may have been given by then.
          if (watched.get(key) === entry) watched.delete(key)
          throw error
        }
        const refusal = entry.reflector.refusal()
        if (refusal) throw refusal
      })
      return entry.cache
    },
    onChange(handler) {
      handlers.push(handler)
    },
    close() {
      for (const { reflector } of watched.values()) reflector.stop()
    },
  }
}

async function discover(client: KubeClient, apiVersion: string, kind: string): Promise<Resource | undefined> {
  const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  try {
    const { resources } = (await client.request('GET', path)) as {
      resources: { name: string; kind: string; namespaced: boolean }[]
    } // the shape of discovery
    const found = resources.find((each) => each.kind === kind && !each.name.includes('/'))
    return found && { apiVersion, kind, plural: found.name, namespaced: found.namespaced }
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

async function explaining<T>(
  verb: string,
  target: { readonly kind: string; readonly namespace?: string; readonly name?: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw explainRefusal(error, verb, target)
  }
}
