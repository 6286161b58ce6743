import { EventEmitter, once } from 'node:events'
import type { Kind, KubeObject, ObjectOf } from '../operator/api/kind.ts'
import { isEndOfList, parseWatchEvent } from '../operator/kube/cache/watch-protocol.ts'
import type { KubeClient } from '../operator/kube/client/client.ts'
import { pathOf, resourceOf } from '../operator/kube/client/resource.ts'

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

const patienceMs = 900_000
const query = {
  watch: true,
  sendInitialEvents: true,
  resourceVersionMatch: 'NotOlderThan',
  allowWatchBookmarks: true,
  timeoutSeconds: 86_400,
}

/** Watches with a separate stream, independent of the system that is measured. */
export function startWatcher<K extends Kind>(
  client: KubeClient,
  kind: K,
  namespace: string,
): Watcher<ObjectOf<K>> {
  const stopping = new AbortController()
  const sights = new Map<string, Sight<ObjectOf<K>>>()
  const news = new EventEmitter().setMaxListeners(0)

  function note(name: string, object: ObjectOf<K> | undefined) {
    sights.set(name, { object, at: performance.now() })
    news.emit(name)
  }

  /** Until the API server ends the stream, as it does with a watcher that is too slow for it. */
  async function follow() {
    const listed = new Set<string>()
    for await (const line of client.watch(pathOf(resourceOf(kind), namespace), {
      query,
      signal: stopping.signal,
    })) {
      const event = line === '' ? undefined : parseWatchEvent(line)
      if (!event) continue
      if (event.type === 'ERROR') return
      if (event.type !== 'BOOKMARK') {
        const { name } = event.object.metadata
        listed.add(name)
        note(name, event.type === 'DELETED' ? undefined : (event.object as ObjectOf<K>)) // of the watched kind
      } else if (isEndOfList(event.object))
        for (const name of sights.keys()) if (!listed.has(name)) note(name, undefined)
    }
  }

  async function supervise() {
    try {
      while (!stopping.signal.aborted) await follow()
    } catch (error) {
      if (!stopping.signal.aborted)
        stopping.abort(new Error(`the watch of ${kind.plural} ended: ${String(error)}`))
    }
  }

  void supervise()
  return {
    async until(name, what, fits) {
      const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(patienceMs)])
      for (;;) {
        const sight = sights.get(name)
        if (sight && fits(sight.object)) return sight.at
        try {
          await once(news, name, { signal })
        } catch {
          throw new Error(`'${name}' is not ${what}`, { cause: signal.reason })
        }
      }
    },
    close: () => stopping.abort(),
  }
}
