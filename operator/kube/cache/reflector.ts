import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StoredObject } from '../../api/kind.ts'
import type { Log } from '../../log.ts'
import { ApiError, isUnserved } from '../client/api-error.ts'
import type { KubeClient, Query } from '../client/client.ts'
import type { ListPage } from '../client/list-page.ts'
import { namespaceOf, pathOf, type Resource } from '../client/resource.ts'
import type { Cache, Change } from './cache.ts'
import { FirstList, RunningList } from './lists.ts'
import type { Reflector, ReflectorOptions } from './reflector-options.ts'
import { WatchPauses } from './watch-pauses.ts'
import { WatchPermission } from './watch-permission.ts'
import {
  errorOf,
  isEndOfList,
  metadataAccept,
  metadataListAccept,
  parseWatchEvent,
  type WatchEvent,
  watchQuery,
} from './watch-protocol.ts'

/** Characters of events after which other work has a turn: a chunk of a long list is ready when the last one is done. */
const charactersInTurn = 250_000

/** Starts to reflect a resource into a cache. */
export function startReflector(
  client: KubeClient,
  resource: Resource,
  cache: Cache,
  log: Log,
  options: ReflectorOptions = {},
): Reflector {
  const reflector = new CacheReflector(client, resource, cache, log, options)
  const unsubscribe = cache.subscribe((change) => reflector.noteChange(change))
  void reflector.run().finally(unsubscribe)
  return reflector
}

/** An API server that starts, or has not heard of a change of a CRD yet, answers so for less than the pauses between as many answers. */
const mostUnserved = 6

class CacheReflector implements Reflector {
  readonly #client: KubeClient
  readonly #resource: Resource
  readonly #cache: Cache
  readonly #log: Log
  readonly #options: ReflectorOptions
  readonly #path: string
  readonly #idleMs: number
  readonly #pauses: WatchPauses
  readonly #permission = new WatchPermission()
  readonly #firstList = new FirstList()
  readonly #stopping = new AbortController()
  #heardAt = performance.now()
  #refusedAt = Number.NEGATIVE_INFINITY
  #listedAt = Number.NEGATIVE_INFINITY
  #canStreamLists = true
  #unservedAnswers = 0
  /** The resource version to watch from; undefined when a list is due. */
  #position: string | undefined
  /** The newest version that a list or the watch has shown. */
  #newest = 0n
  /** The list that is being read. */
  #list: RunningList | undefined
  /** Whether the last list contradicted the cache. The next one is taken as it is, so lists do not follow without end. */
  #isRepeated = false

  constructor(client: KubeClient, resource: Resource, cache: Cache, log: Log, options: ReflectorOptions) {
    this.#client = client
    this.#resource = resource
    this.#cache = cache
    this.#log = log
    this.#options = options
    this.#path = pathOf(resource, options.namespace)
    this.#idleMs = options.idleMs ?? 90_000
    this.#pauses = new WatchPauses(options.pausesMs, options.onRecovered)
  }

  get resource(): string {
    return this.#resource.plural
  }

  get position(): string | undefined {
    return this.#position
  }

  get synced(): Promise<void> {
    return this.#firstList.complete
  }

  async waitForList(mostMs: number): Promise<void> {
    // The list may be possible by now.
    if (!this.#firstList.isComplete) this.#pauses.end()
    await this.#firstList.waitFor(mostMs)
  }

  async ensureAllowed(): Promise<void> {
    if (!this.#permission.refusal) return
    this.#pauses.end()
    if (!this.#stopping.signal.aborted) await this.#permission.nextAnswer()
    if (this.#permission.refusal) throw this.#permission.refusal
  }

  silentMs(): number {
    return performance.now() - this.#heardAt
  }

  unansweredMs(): number {
    return performance.now() - Math.max(this.#heardAt, this.#refusedAt)
  }

  readonly tryAgain = () => this.#pauses.end()

  stop(): void {
    this.#stopping.abort()
    this.#pauses.end()
    this.#permission.endWait()
  }

  noteChange({ before, after }: Change): void {
    if (before && !after) this.#list?.noteRemoval(before)
  }

  async run(): Promise<void> {
    const { relistMs = 1_800_000, failIfForbidden } = this.#options
    const { signal } = this.#stopping
    while (!signal.aborted) {
      // After a long silence a list answers at once; the next bookmark may take a minute.
      const isListDue = performance.now() - this.#listedAt > relistMs || this.silentMs() > 2 * this.#idleMs
      if (isListDue) this.#position = undefined
      try {
        if (this.#position === undefined && !this.#canStreamLists) await this.#listPages()
        await this.#pauses.around(() => this.#watchOnce())
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof ApiError) this.#refusedAt = performance.now()
        this.#permission.noteAnswer(error)
        const { refusal } = this.#permission
        if (refusal && failIfForbidden && !this.#firstList.isComplete) return this.#firstList.refuse(refusal)
        this.#recover(error)
        this.#noteUnserved(error)
      }
      if (!signal.aborted) await this.#pauses.wait()
    }
  }

  /** Watches from the position, or else from a list that the watch streams first. */
  async #watchOnce(): Promise<void> {
    const { signal } = this.#stopping
    const aborting = new AbortController()
    const abort = () => aborting.abort()
    signal.addEventListener('abort', abort, { once: true })
    const idle = setTimeout(abort, this.#idleMs)
    this.#list = this.#position === undefined ? new RunningList() : undefined
    let characters = 0
    try {
      for await (const line of this.#client.watch(this.#path, {
        query: { ...this.#selectors(), ...watchQuery(this.#position) },
        accept: this.#options.metadataOnly ? metadataAccept : undefined,
        signal: aborting.signal,
      })) {
        idle.refresh()
        this.#heardAt = performance.now()
        this.#unservedAnswers = 0
        if (!this.#list) this.#pauses.noteAnswer()
        if (this.#permission.refusal) this.#permission.noteAnswer()
        if (line === '') continue
        characters += line.length
        if (characters > charactersInTurn) {
          characters = 0
          await nextTurn()
        }
        const event = parseWatchEvent(line)
        if (event.type === 'ERROR') throw errorOf(event)
        this.#applyEvent(event)
        if (!this.#list || event.type !== 'BOOKMARK' || !isEndOfList(event.object)) continue
        await this.#endList(this.#list, event.object.metadata.resourceVersion)
        if (this.#position === undefined) return
      }
    } finally {
      clearTimeout(idle)
      signal.removeEventListener('abort', abort)
    }
  }

  /** Applies an event at once, also of a list that is streamed: in one piece, a long list would block the process. */
  #applyEvent({ type, object }: WatchEvent): void {
    if (type === 'DELETED') {
      this.#cache.remove(object)
      this.#list?.delete(object)
    } else if (type !== 'BOOKMARK') this.#store(object)
    if (this.#list) return
    this.#position = object.metadata.resourceVersion
    const version = BigInt(this.#position)
    if (version > this.#newest) this.#newest = version
    this.#pauses.reset()
  }

  #store(object: StoredObject): void {
    this.#cache.set(this.#kept(object))
    this.#list?.add(object, this.#cache.get(namespaceOf(object), object.metadata.name))
  }

  /** Removes what a complete list does not contain. Leaves the position undefined when the list must be read again. */
  async #endList(list: RunningList, resourceVersion: string): Promise<void> {
    this.#list = undefined
    const version = BigInt(resourceVersion)
    const isRestored = version < this.#newest || (!this.#isRepeated && list.contradictsCache(version))
    this.#newest = version
    this.#isRepeated = isRestored
    if (isRestored) {
      const { plural: resource } = this.#resource
      this.#log.warn('the list contradicts the cache, as after a restore of etcd: trusting the list', {
        resource,
      })
      // The cache refused what is older than the objects that it held.
      this.#cache.distrust()
      return
    }
    await this.#cache.retain(list.keys, resourceVersion)
    this.#listedAt = performance.now()
    this.#position = resourceVersion
    this.#pauses.reset()
    this.#firstList.finish()
  }

  /** For API servers that cannot stream a list. */
  async #listPages(): Promise<void> {
    const { apiVersion, kind } = this.#resource
    const list = new RunningList()
    this.#list = list
    let page: ListPage | undefined
    do {
      page = (await this.#client.request('GET', this.#path, {
        query: { ...this.#selectors(), limit: 500, continue: page?.metadata.continue || undefined },
        accept: this.#options.metadataOnly ? metadataListAccept : undefined,
      })) as ListPage
      for (const item of page.items ?? []) this.#store({ ...item, apiVersion, kind })
    } while (page.metadata.continue)
    await this.#endList(list, page.metadata.resourceVersion)
  }

  #kept(object: StoredObject): StoredObject {
    return this.#options.keep?.(object) ?? object
  }

  #selectors(): Query {
    const { labelSelector, fieldSelector } = this.#options
    return { labelSelector, fieldSelector }
  }

  #noteUnserved(error: unknown): void {
    this.#unservedAnswers = isUnserved(error) ? this.#unservedAnswers + 1 : 0
    if (this.#unservedAnswers === mostUnserved && this.#firstList.isComplete) this.#options.onUnserved?.()
  }

  #recover(error: unknown): void {
    // Once it is allowed again, a list answers at once; a watch may be silent for a minute.
    if (this.#permission.refusal) this.#position = undefined
    const isExpired = error instanceof ApiError && (error.status === 410 || error.reason === 'Expired')
    if (isExpired) {
      this.#position = undefined
      return
    }
    const isInvalid = error instanceof ApiError && [400, 422].includes(error.status)
    if (isInvalid && this.#position === undefined && this.#canStreamLists) {
      this.#canStreamLists = false
      return
    }
    // An idle connection was aborted: reconnect from the position.
    if (error instanceof Error && error.name === 'AbortError') return
    this.#pauses.fail(error instanceof ApiError ? error.retryAfterSeconds : undefined)
    this.#firstList.fail(error)
    const { plural: resource } = this.#resource
    const cause = error instanceof Error ? error.message : String(error)
    const { failures } = this.#pauses
    if (failures > 1) this.#log.warn('watch interrupted', { resource, failures, cause })
  }
}
