import type { StoredObject } from '../../api/kind.ts'
import { annotations, labels } from '../../api/names.ts'
import type { Log } from '../../log.ts'
import { type Cache, createCache } from '../cache/cache.ts'
import { startReflector } from '../cache/reflector.ts'
import type { Reflector, ReflectorOptions } from '../cache/reflector-options.ts'
import type { KubeClient } from '../client/client.ts'
import type { Resource } from '../client/resource.ts'
import { keptMetadata } from './kept-metadata.ts'

export type MetadataHandler = (metadata: StoredObject, isGone: boolean, isFirstList: boolean) => void

interface Watched {
  readonly cache: Cache
  readonly reflector: Reflector
}

export interface MetadataWatchOptions {
  /** The longest wait for the first list of a kind, in milliseconds. */
  readonly listMs: number
  readonly pausesMs?: ReflectorOptions['pausesMs']
  /** The cluster has stopped to serve a kind in a version that was watched. */
  onUnserved(resource: Resource): void
}

/** Index of watched metadata by the GUResID in their label. */
export const byResource = 'resource'

/** Watches of the metadata of objects that resources made, one for each kind. */
export class MetadataWatches {
  readonly #client: KubeClient
  readonly #log: Log
  readonly #watched = new Map<string, Watched>()
  readonly #handlers: MetadataHandler[] = []

  readonly #options: MetadataWatchOptions

  constructor(client: KubeClient, log: Log, options: MetadataWatchOptions) {
    this.#client = client
    this.#log = log
    this.#options = options
  }

  /** The synced cache of a kind; throws when the watch is forbidden, or when the kind cannot be listed now. */
  async watch(resource: Resource): Promise<Cache> {
    const key = keyOf(resource)
    const entry = this.#watched.get(key) ?? this.#start(key, resource)
    await entry.reflector.waitForList(this.#options.listMs)
    await entry.reflector.ensureAllowed()
    return entry.cache
  }

  /** Ends the watch of a kind, whose cache gets no changes any more. The next call of `watch` begins a new one. */
  end(resource: Resource): void {
    const key = keyOf(resource)
    this.#watched.get(key)?.reflector.stop()
    this.#watched.delete(key)
  }

  /** Calls the handler for each change of the watched kinds. */
  onChange(handler: MetadataHandler): void {
    this.#handlers.push(handler)
  }

  close(): void {
    for (const { reflector } of this.#watched.values()) reflector.stop()
  }

  /** Whether the objects remain in another version is not known, so that who needs them has to look. */
  #lose(resource: Resource, cache: Cache): void {
    const { apiVersion, kind } = resource
    this.#options.onUnserved(resource)
    for (const object of cache.all())
      for (const handler of this.#handlers) handler({ ...object, apiVersion, kind }, true, false)
  }

  #start(key: string, resource: Resource): Watched {
    const { apiVersion, kind } = resource
    const cache = createCache(
      { [byResource]: (object) => [object.metadata.labels?.[labels.resource] ?? ''] },
      (error) => this.#log.error('a change handler failed', { error }),
    )
    let isFirstList = true
    cache.subscribe(({ before, after }) => {
      const object = after ?? before
      if (object)
        for (const handler of this.#handlers) handler({ ...object, apiVersion, kind }, !after, isFirstList)
    })
    const reflector = startReflector(this.#client, resource, cache, this.#log, {
      labelSelector: labels.resource,
      metadataOnly: true,
      keep: marked,
      failIfForbidden: true,
      pausesMs: this.#options.pausesMs,
      onUnserved: () => this.#lose(resource, cache),
    })
    reflector.synced.then(
      () => {
        isFirstList = false
      },
      // The next call tries again: the watch may be allowed by then.
      () => this.#watched.delete(key),
    )
    const entry = { cache, reflector }
    this.#watched.set(key, entry)
    return entry
  }
}

const marks = {
  labels: [labels.resource, labels.managedBy],
  annotations: [annotations.resource, annotations.descriptor],
}

function marked({ apiVersion, kind, metadata }: StoredObject): StoredObject {
  return { apiVersion, kind, metadata: keptMetadata(metadata, marks) }
}

function keyOf({ apiVersion, plural }: Resource): string {
  return `${apiVersion} ${plural}`
}
