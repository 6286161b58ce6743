import type { KubeObject } from '../../api/kind.ts'
import type { Log } from '../../log.ts'
import { ApiError, type KubeClient, type Query } from '../client/client.ts'
import { keyOf, pathOf, type Resource } from '../client/resource.ts'
import { type Cache, slim } from './cache.ts'

/** Keeps a cache equal to the API server for as long as it runs. */
export interface Reflector {
  /** Resolves when the cache holds the first complete list; rejects when it is refused, see `mayBeRefused`. */
  readonly synced: Promise<void>
  /** Why the API server does not let it list or watch by now; undefined while it does. */
  refusal(): ApiError | undefined
  /** Milliseconds since the API server was last heard of. */
  silentMs(): number
  stop(): void
}

export interface ReflectorOptions {
  /** All namespaces when absent. */
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Only metadata: for objects of other kinds, of which we need to know that they changed. */
  readonly metadataOnly?: boolean
  /** Whether it ends, instead of asking on, when the API server refuses the first list for want of a right. */
  readonly mayBeRefused?: boolean
  /** The stream counts as dead after this long without a line; the API server sends a bookmark each minute. */
  readonly idleMs?: number
  /** A complete list is taken this often, in case an event was lost. */
  readonly relistMs?: number
  readonly backoffMs?: { readonly first: number; readonly most: number }
}

interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: KubeObject & {
    readonly code?: number
    readonly reason?: string
    readonly message?: string
  }
}

/** Asks for metadata alone, of one object. */
export const metadataAccept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'
const metadataListAccept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'
const initialEventsEnd = 'k8s.io/initial-events-end'

/** Starts to reflect a resource into a cache; ends only by `stop`. */
export function startReflector(
  client: KubeClient,
  resource: Resource,
  cache: Cache,
  log: Log,
  options: ReflectorOptions = {},
): Reflector {
  const { idleMs = 90_000, relistMs = 1_800_000, backoffMs = { first: 200, most: 30_000 } } = options
  const selectors = { labelSelector: options.labelSelector, fieldSelector: options.fieldSelector }
  const path = pathOf(resource, options.namespace)
  const stopping = new AbortController()
  let heardAt = performance.now()
  let listedAt = Number.NEGATIVE_INFINITY
  let streamedLists = true
  let position: string | undefined
  let newestList = 0n
  let failures = 0
  let refused: ApiError | undefined
  let markSynced: () => void
  let markRefused: (error: ApiError) => void
  const synced = new Promise<void>((resolve, reject) => {
    markSynced = resolve
    markRefused = reject
  })

  function noteList(resourceVersion: string) {
    listedAt = performance.now()
    position = resourceVersion
    failures = 0
    newestList = BigInt(resourceVersion)
    markSynced()
  }

  function guardAgainstRestoredEtcd(resourceVersion: string) {
    if (BigInt(resourceVersion) >= newestList) return
    log.warn('versions of the API server went backwards: taking its list as it is', {
      resource: resource.plural,
    })
    cache.distrust()
  }

  /** An answer that ends as soon as it began must not be asked for in a tight loop. */
  async function watchUnhurried() {
    const begun = performance.now()
    await watchOnce()
    if (performance.now() - begun < 1000) failures += 1
  }

  /** Watches from the position, or from an initial list that the watch itself brings. */
  async function watchOnce() {
    const from = position
    const aborting = new AbortController()
    const abort = () => aborting.abort()
    stopping.signal.addEventListener('abort', abort, { once: true })
    let idle = setTimeout(abort, idleMs)
    const seen = new Map<string, KubeObject>()
    let listing = from === undefined
    try {
      for await (const line of client.watch(path, {
        query: { ...selectors, ...watchQuery(from) },
        accept: options.metadataOnly ? metadataAccept : undefined,
        signal: aborting.signal,
      })) {
        clearTimeout(idle)
        idle = setTimeout(abort, idleMs)
        heardAt = performance.now()
        refused = undefined
        if (line === '') continue
        const event = JSON.parse(line) as WatchEvent // the shape of the watch protocol
        if (event.type === 'ERROR') throw errorOf(event)
        if (listing) {
          if (event.type === 'DELETED') seen.delete(keyOf(event.object))
          else if (event.type !== 'BOOKMARK') seen.set(keyOf(event.object), slim(event.object))
          else if (event.object.metadata.annotations?.[initialEventsEnd] === 'true') {
            listing = false
            takeList([...seen.values()], event.object.metadata.resourceVersion ?? '0')
            seen.clear()
          }
          continue
        }
        take(event)
      }
    } finally {
      clearTimeout(idle)
      stopping.signal.removeEventListener('abort', abort)
    }
  }

  function take(event: WatchEvent) {
    if (event.type === 'DELETED') cache.remove(event.object)
    else if (event.type !== 'BOOKMARK') cache.set(event.object)
    position = event.object.metadata.resourceVersion ?? position
    failures = 0
  }

  function takeList(objects: readonly KubeObject[], resourceVersion: string) {
    guardAgainstRestoredEtcd(resourceVersion)
    for (const object of objects) cache.set(object)
    cache.retain(new Set(objects.map(keyOf)), resourceVersion)
    noteList(resourceVersion)
  }

  /** For API servers that cannot stream a list. */
  async function listPages() {
    const objects: KubeObject[] = []
    let next: string | undefined
    let resourceVersion: string
    do {
      const page = (await client.request('GET', path, {
        query: { ...selectors, limit: 500, continue: next },
        accept: options.metadataOnly ? metadataListAccept : undefined,
      })) as { items: KubeObject[]; metadata: { continue?: string; resourceVersion: string } } // the shape of a list
      const { apiVersion, kind } = resource
      objects.push(...page.items.map((item) => ({ ...item, apiVersion, kind })))
      next = page.metadata.continue || undefined
      resourceVersion = page.metadata.resourceVersion
    } while (next)
    takeList(objects, resourceVersion)
  }

  async function run() {
    while (!stopping.signal.aborted) {
      // After a long silence a list tells at once that all is well; a bookmark would take a minute.
      const isOverdue = performance.now() - listedAt > relistMs || performance.now() - heardAt > 2 * idleMs
      if (isOverdue) position = undefined
      try {
        if (position === undefined && !streamedLists) await listPages()
        await watchUnhurried()
      } catch (error) {
        if (stopping.signal.aborted) return
        refused = error instanceof ApiError && error.status === 403 ? error : undefined
        if (options.mayBeRefused && refused && newestList === 0n) {
          markRefused(refused)
          return
        }
        // A list is answered at once when the right is back; a watch may be silent for a minute.
        if (refused) position = undefined
        recover(error)
      }
      const pause = Math.min(backoffMs.most, backoffMs.first * 2 ** Math.min(failures, 16))
      if (failures > 0) await sleepUntilAborted(pause * (0.5 + Math.random()), stopping.signal)
    }
  }

  function recover(error: unknown) {
    const isExpired = error instanceof ApiError && (error.status === 410 || error.reason === 'Expired')
    if (isExpired) {
      position = undefined
      return
    }
    if (error instanceof ApiError && [400, 422].includes(error.status) && position === undefined)
      streamedLists = false
    // An idle abort is how a dead connection shows: reconnect from the last position.
    if (error instanceof Error && error.name === 'AbortError') return
    failures += 1
    const message = error instanceof Error ? error.message : String(error)
    if (failures > 1) log.warn('watch interrupted', { resource: resource.plural, failures, message })
  }

  void run()
  return {
    synced,
    refusal: () => refused,
    silentMs: () => performance.now() - heardAt,
    stop: () => stopping.abort(),
  }
}

function watchQuery(from: string | undefined): Query {
  const common = {
    watch: true,
    allowWatchBookmarks: true,
    timeoutSeconds: 290 + Math.floor(Math.random() * 120),
  }
  if (from !== undefined) return { ...common, resourceVersion: from }
  return { ...common, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }
}

function errorOf({ object }: WatchEvent): ApiError {
  return new ApiError(
    object.code ?? 500,
    object.reason ?? 'Unknown',
    object.message ?? 'the watch ended with an error',
  )
}

function sleepUntilAborted(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds)
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
}
