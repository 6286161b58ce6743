import type { StoredObject } from '../../../operator/api/kind.ts'
import { keyOf } from '../../../operator/kube/client/resource.ts'
import type { Life } from '../process/life.ts'
import type { Served } from './resources.ts'

/** A write that the model stored. */
export interface Change {
  readonly served: Served
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly version: number
  /** Absent for a new object. */
  readonly before: StoredObject | undefined
  /** The object as watches report it, also after its deletion. */
  readonly object: StoredObject
}

/** All objects, and the changes that led to them in the order of their versions. Stored objects are never changed. */
export class Storage {
  version = 100
  /** The process whose request is being done; undefined for users and for the controllers of Kubernetes. */
  writer: Life | undefined
  #uids = 0
  readonly #objects = new Map<Served, Map<string, StoredObject>>()
  readonly #changes = new Map<Served, Change[]>()
  readonly #followers = new Set<(change: Change) => void>()
  /** Who waits for the next change of a resource. */
  readonly #waiting = new Map<Served, Set<() => void>>()

  get(served: Served, namespace: string | undefined, name: string): StoredObject | undefined {
    return this.#objects.get(served)?.get(`${namespace ?? ''}/${name}`)
  }

  /** The objects of a resource, of one namespace if given. */
  list(served: Served, namespace?: string): StoredObject[] {
    const all = [...(this.#objects.get(served)?.values() ?? [])]
    return namespace === undefined ? all : all.filter(({ metadata }) => metadata.namespace === namespace)
  }

  changesOf(served: Served): readonly Change[] {
    let changes = this.#changes.get(served)
    if (!changes) this.#changes.set(served, (changes = []))
    return changes
  }

  newUid(): string {
    this.#uids += 1
    return `uid-${this.#uids}`
  }

  /** Calls `notify` after each write. */
  follow(notify: (change: Change) => void): void {
    this.#followers.add(notify)
  }

  /** Calls `notify` after each write to a resource, until the returned function is called. */
  await(served: Served, notify: () => void): () => void {
    let waiting = this.#waiting.get(served)
    if (!waiting) this.#waiting.set(served, (waiting = new Set()))
    waiting.add(notify)
    return () => void waiting.delete(notify)
  }

  /** Stores an object with the next version. */
  commit(
    served: Served,
    type: Change['type'],
    before: StoredObject | undefined,
    after: StoredObject,
  ): StoredObject {
    this.version += 1
    const metadata = { ...after.metadata, resourceVersion: String(this.version) }
    const object: StoredObject = { ...after, metadata }
    let objects = this.#objects.get(served)
    if (!objects) this.#objects.set(served, (objects = new Map()))
    if (type === 'DELETED') objects.delete(keyOf(object))
    else objects.set(keyOf(object), object)
    const change: Change = { served, type, version: this.version, before, object }
    ;(this.changesOf(served) as Change[]).push(change) // the list of this class
    for (const notify of this.#followers) notify(change)
    for (const notify of this.#waiting.get(served) ?? []) notify()
    return object
  }
}
