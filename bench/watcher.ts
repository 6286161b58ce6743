import { EventEmitter, once } from 'node:events'
import type { Kind, KubeObject, ObjectOf } from '../operator/api/kind.ts'
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

  async function run() {
    for await (const line of client.watch(pathOf(resourceOf(kind), namespace), {
      query,
      signal: stopping.signal,
    })) {
      const at = performance.now()
      const event = line === '' ? undefined : JSON.parse(line)
      if (!event || event.type === 'BOOKMARK') continue
      const { name } = event.object.metadata
      sights.set(name, { object: event.type === 'DELETED' ? undefined : event.object, at })
      news.emit(name)
    }
    throw new Error('the API server ended the stream')
  }

  async function supervise() {
    try {
      await run()
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
