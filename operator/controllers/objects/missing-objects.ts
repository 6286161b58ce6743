import { setTimeout as sleep } from 'node:timers/promises'
import { ActiveResource } from '../../api/active-resource.ts'
import type { StoredObject } from '../../api/kind.ts'
import { annotations } from '../../api/names.ts'
import { environmentKeyOf } from '../../kube/cache/kinds-in-store.ts'
import type { Store } from '../../kube/cache/store.ts'
import { keyOf, namespacedName } from '../../kube/client/resource.ts'
import { type BackoffMs, createBackoff } from '../../kube/loop/backoff.ts'
import { inTurns } from '../../kube/loop/pace.ts'
import type { Objects } from '../../kube/objects/objects.ts'
import { isSameKind, isWatchable, type ObjectKind } from './applied-object.ts'
import type { DriftDetector } from './drift.ts'
import { watchServed } from './watch-served.ts'

/** What the search for missing objects needs. */
interface Tools {
  readonly store: Store
  readonly drift: DriftDetector
}

/** How long to wait until a kind is watched that could not be. */
const retryMs = { first: 1000, most: 60_000 }

/**
 * Watches a kind, and finds the objects that a status records and its first list leaves out, also when the status is that of a
 * former process and arrives late. Tries until it can: the kind may not be served yet, or the right to watch it may be missing.
 */
export async function watchAndFindMissing(
  kind: ObjectKind,
  { backoffMs = retryMs, ...tools }: Tools & { readonly objects: Objects; readonly backoffMs?: BackoffMs },
): Promise<void> {
  const { closing } = tools.objects
  const backoff = createBackoff(backoffMs)
  for (let attempts = 1; !closing.aborted; attempts += 1) {
    try {
      return await findMissing(kind, tools)
    } catch {
      // The next attempt follows.
    }
    await sleep(backoff.delayAfter(attempts), undefined, { signal: closing }).catch(() => {})
  }
}

async function findMissing(
  remembered: ObjectKind,
  { objects, drift, store }: Tools & { readonly objects: Objects },
): Promise<void> {
  const { kind, cache } = await watchServed(objects, remembered)
  const noteMissingOf = (resource: ActiveResource) => {
    if (resource.metadata.deletionTimestamp) return
    for (const each of resource.status?.objects ?? [])
      if (isSameKind(each, kind) && cache.get(each.namespace ?? '', each.name)?.metadata.uid !== each.uid)
        drift.noteMissing(keyOf(resource), each)
  }
  const resources = store.cacheOf(ActiveResource)
  resources.subscribe(({ before, after }) => {
    if (after && before?.status?.objects !== after.status?.objects) noteMissingOf(after)
  })
  await inTurns(resources.all(), noteMissingOf)
}

/** Finds the objects that ended with the namespace of an environment, and that no watch reports. */
export function findGoneWith({ metadata }: StoredObject, { drift, store }: Tools): void {
  const environmentKey = environmentOf(metadata.annotations, store)
  if (environmentKey === undefined) return
  for (const resource of store.byIndex(ActiveResource, 'environment', environmentKey)) {
    if (resource.metadata.deletionTimestamp) continue
    for (const each of resource.status?.objects ?? [])
      if (!isWatchable(each) && each.namespace === metadata.name) drift.noteMissing(keyOf(resource), each)
  }
}

/** The key of the environment for which the operator, or a resource, made a namespace. */
function environmentOf(all: StoredObject['metadata']['annotations'], store: Store): string | undefined {
  const maker = store.get(ActiveResource, ...namespacedName(all?.[annotations.resource] ?? ''))
  return all?.[annotations.environment] ?? (maker && environmentKeyOf(maker))
}
