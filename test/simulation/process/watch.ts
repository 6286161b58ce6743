import type { KubeObject, StoredObject } from '../../../operator/api/kind.ts'
import { ApiError, NoAnswer } from '../../../operator/kube/client/api-error.ts'
import type { KubeClient, Query } from '../../../operator/kube/client/client.ts'
import { isSelected, listOf, metadataOf } from '../server/lists.ts'
import { addressOf, type Served } from '../server/resources.ts'
import type { Change } from '../server/storage.ts'
import type { Surroundings } from '../surroundings.ts'
import { type Life, never } from './life.ts'

/** The API server sends a bookmark when a watch has been silent for so long. */
const bookmarkMs = 55_000

/** What a watch selects. */
interface Watched {
  readonly served: Served
  readonly namespace: string | undefined
  readonly query: Query
  readonly signal: AbortSignal
  /** The object as the watch reports it. */
  shown(object: StoredObject): KubeObject
}

/** The watches of one process: events are late, held for long, and broken off; a version to begin with can be too old. */
export function watchOf(surroundings: Surroundings, life: Life): KubeClient['watch'] {
  const { clock, faults, random, server } = surroundings
  return async function* (path, { query, accept = '', signal }) {
    const address = addressOf(path)
    if (!address) throw new Error(`'${path}' cannot be watched`)
    const { served, namespace } = address
    const shown = accept.includes('PartialObjectMetadata') ? metadataOf : (object: StoredObject) => object
    const watched: Watched = { served, namespace, query, signal, shown }
    await clock.sleep(faults.isOn ? 1 + random.below(50) : 1)
    if (!life.isAlive) await never
    signal.throwIfAborted()
    if (faults.strikes(0.05)) throw brokenBy(surroundings)
    yield ''
    const { resourceVersion } = query
    if (resourceVersion !== undefined && faults.isOn && random.chance(0.15)) {
      const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' }
      yield JSON.stringify({ type: 'ERROR', object: status })
      return
    }
    let from = Number(resourceVersion)
    if (resourceVersion === undefined) {
      const list = listOf(server.storage, served, namespace, query)
      for (const each of list.items) yield lineOf('ADDED', shown(each))
      from = Number(list.metadata.resourceVersion)
      yield bookmark(served, from, { 'k8s.io/initial-events-end': 'true' })
    }
    yield* changesFrom(surroundings, life, watched, from)
  }
}

async function* changesFrom(surroundings: Surroundings, life: Life, watched: Watched, from: number) {
  const { clock, faults, random, server } = surroundings
  const { served, signal } = watched
  const changes = server.storage.changesOf(served)
  let index = changes.findIndex(({ version }) => version > from)
  if (index < 0) index = changes.length
  let lineAt = clock.now
  for (;;) {
    signal.throwIfAborted()
    if (!life.isAlive) await aborted(signal)
    const change = changes[index]
    if (change === undefined) {
      await news(surroundings, watched, lineAt + bookmarkMs)
      signal.throwIfAborted()
      if (clock.now - lineAt < bookmarkMs || index < changes.length) continue
      lineAt = clock.now
      yield bookmark(served, server.storage.version)
      continue
    }
    const heldUntil = faults.heldWatches.get(served.plural) ?? 0
    if (heldUntil > clock.now) {
      await clock.sleep(heldUntil - clock.now)
      continue
    }
    await clock.sleep(delayOf(surroundings, served))
    if (faults.strikes(0.004)) {
      if (random.chance(0.5)) return
      throw brokenBy(surroundings)
    }
    if (!life.isAlive) continue
    signal.throwIfAborted()
    index += 1
    const line = lineFor(change, watched)
    if (line === undefined) continue
    lineAt = clock.now
    yield line
  }
}

function delayOf({ faults, random }: Surroundings, { plural }: Served): number {
  if (!faults.isOn) return 2
  const usual = random.chance(0.02) ? random.below(3000) : 1 + random.below(30)
  const further = (faults.slowWatches.get(plural) ?? 0) * (random.chance(0.3) ? 1 : 0.05)
  return usual + Math.floor((random.below(1000) * further) / 1000)
}

function brokenBy({ random }: Surroundings): Error {
  if (random.chance(0.5)) return new NoAnswer('the watch broke')
  return new ApiError(503, 'ServiceUnavailable', 'the server is unavailable')
}

/** The line of a change: one that moves an object out of the selection reports it as deleted. */
function lineFor({ type, before, object, version }: Change, watched: Watched): string | undefined {
  const { namespace, query, shown } = watched
  if (namespace !== undefined && object.metadata.namespace !== namespace) return undefined
  const was = before !== undefined && isSelected(before, query)
  if (type === 'DELETED') return was ? lineOf('DELETED', shown(object)) : undefined
  if (isSelected(object, query)) return lineOf(was ? 'MODIFIED' : 'ADDED', shown(object))
  if (!was) return undefined
  const metadata = { ...before.metadata, resourceVersion: String(version) }
  return lineOf('DELETED', shown({ ...before, metadata }))
}

function lineOf(type: string, object: KubeObject): string {
  return JSON.stringify({ type, object })
}

function bookmark({ apiVersion, kind }: Served, version: number, annotations?: Record<string, string>) {
  const metadata = { name: '', resourceVersion: String(version), annotations }
  return lineOf('BOOKMARK', { apiVersion, kind, metadata })
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Resolves after the next write to the resource, at a time, or when the signal aborts. */
async function news(
  { clock, server }: Surroundings,
  { served, signal }: Watched,
  until: number,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const unfollow = server.storage.await(served, resolve)
  const timer = clock.after(Math.max(1, until - clock.now), resolve)
  const abort = () => resolve()
  signal.addEventListener('abort', abort, { once: true })
  await promise
  timer.close()
  unfollow()
  signal.removeEventListener('abort', abort)
}
