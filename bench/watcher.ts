import type { Kind, KubeObject, ObjectOf } from '../operator/api/kind.ts'
import type { KubeClient } from '../operator/kube/client.ts'
import { pathOf, resourceOf } from '../operator/kube/resource.ts'

/** Sees what an outsider sees of the objects of one kind in one namespace, and when. */
export interface Watcher<T extends KubeObject = KubeObject> {
  /** The time (of `performance.now`) at which the object came into the state that `fits`; undefined is gone. */
  until(name: string, what: string, fits: (object: T | undefined) => boolean): Promise<number>
  close(): void
}

interface Sight<T> {
  readonly object: T | undefined
  readonly at: number
}

interface Waiter<T> {
  look(sight: Sight<T>): void
  reject(error: Error): void
}

const patienceMs = 900_000

/** Watches by a stream of its own, independent of the system that is measured. */
export function startWatcher<K extends Kind>(client: KubeClient, kind: K, namespace: string): Watcher<ObjectOf<K>> {
  const stopping = new AbortController()
  const sights = new Map<string, Sight<ObjectOf<K>>>()
  const waiters = new Map<string, Set<Waiter<ObjectOf<K>>>>()
  const query = {
    watch: true,
    sendInitialEvents: true,
    resourceVersionMatch: 'NotOlderThan',
    allowWatchBookmarks: true,
    timeoutSeconds: 86_400,
  }

  async function run() {
    for await (const line of client.watch(pathOf(resourceOf(kind), namespace), { query, signal: stopping.signal })) {
      const at = performance.now()
      const event = line === '' ? undefined : JSON.parse(line)
      if (!event || event.type === 'BOOKMARK') continue
      const { name } = event.object.metadata
      const sight = { object: event.type === 'DELETED' ? undefined : event.object, at }
      sights.set(name, sight)
      for (const waiter of waiters.get(name) ?? []) waiter.look(sight)
    }
    throw new Error('the API server ended the stream')
  }

  async function supervise() {
    try {
      await run()
    } catch (error) {
      if (stopping.signal.aborted) return
      const failure = new Error(`the watch of ${kind.plural} ended: ${String(error)}`)
      for (const waiter of [...waiters.values()].flatMap((each) => [...each])) waiter.reject(failure)
    }
  }

  void supervise()
  return {
    until(name, what, fits) {
      const waiting = waiters.get(name) ?? new Set()
      waiters.set(name, waiting)
      return new Promise((resolve, reject) => {
        const late = setTimeout(() => end(reject, new Error(`'${name}' is not ${what}`)), patienceMs)
        const waiter: Waiter<ObjectOf<K>> = {
          look(sight) {
            try {
              if (fits(sight.object)) end(resolve, sight.at)
            } catch (error) {
              end(reject, error)
            }
          },
          reject: (error) => end(reject, error),
        }
        function end<T>(settle: (value: T) => void, value: T) {
          clearTimeout(late)
          waiting.delete(waiter)
          settle(value)
        }
        waiting.add(waiter)
        const sight = sights.get(name)
        if (sight) waiter.look(sight)
      })
    },
    close: () => stopping.abort(),
  }
}
