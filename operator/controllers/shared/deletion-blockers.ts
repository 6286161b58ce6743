import type { CommonStatus, StoredObject } from '../../api/kind.ts'
import type { Change } from '../../kube/cache/cache.ts'
import { keptByOthers } from '../../kube/loop/other-finalizers.ts'
import { conditionOf, isObserved } from '../../kube/loop/outcome.ts'

type Deletable = StoredObject & { readonly status?: CommonStatus }

const maxShown = 5

/** Reasons of objects that wait for other objects: those report their own blockers. */
const waitsForOthers: ReadonlySet<string> = new Set(['DependentsRemain'])

/** Whether a change gives a terminating object another blocker. */
export function isBlockerChanged<T extends Deletable>({ before, after }: Change<T>): boolean {
  return after !== undefined && blockerOf(before) !== blockerOf(after)
}

/** What blocks the deletion of some objects, for the end of a message; empty without a known blocker. */
export function deletionBlockers<T extends Deletable>(
  objects: readonly T[],
  nameOf: (object: T) => string,
): string {
  return textOf(objects, nameOf, blockerOf)
}

/** The same for runs, whose conditions say how they ended: only what keeps those that are cleaned up. */
export function deletionKeepers<T extends Deletable>(
  objects: readonly T[],
  nameOf: (object: T) => string,
): string {
  return textOf(objects, nameOf, (each) => keptByOthers(each)?.message)
}

function textOf<T>(
  objects: readonly T[],
  nameOf: (object: T) => string,
  blockerOf: (object: T) => string | undefined,
): string {
  const blockers = objects.flatMap((each) => {
    const blocker = blockerOf(each)
    return blocker === undefined ? [] : [`${nameOf(each)}: ${blocker}`]
  })
  if (blockers.length === 0) return ''
  const more = blockers.length > maxShown ? `; and ${blockers.length - maxShown} more` : ''
  return `: ${blockers.sort().slice(0, maxShown).join('; ')}${more}`
}

/** The first names of many, for a message. */
export function firstOf(names: readonly string[]): string {
  const shown = names.slice(0, maxShown).join(', ')
  return names.length > maxShown ? `${shown} and others` : shown
}

/** What blocks the deletion of an object, as its condition says since the deletion began. */
function blockerOf(object: Deletable | undefined): string | undefined {
  const kept = keptByOthers(object)
  if (kept) return `${kept.reason}: ${kept.message}`
  if (!object?.metadata.deletionTimestamp || !isObserved(object)) return undefined
  const ready = conditionOf(object, 'Ready')
  if (!ready || ready.status === 'True' || waitsForOthers.has(ready.reason)) return undefined
  return `${ready.reason}: ${ready.message}`
}
