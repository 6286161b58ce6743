import type { CommonStatus, KubeObject } from '../../api/kind.ts'
import type { Change } from '../../kube/cache/cache.ts'
import { conditionOf, isObserved } from '../../kube/loop/outcome.ts'

type Deletable = KubeObject & { readonly status?: CommonStatus }

const mostTold = 5

/** Reasons of an object that waits for others, of which each says itself what it waits for. */
const waitsForOthers: ReadonlySet<string> = new Set(['DependentsRemain'])

/** What holds up the deletion of an object, as its condition says since it is being deleted. */
export function deletionCause(object: Deletable | undefined): string | undefined {
  if (!object?.metadata.deletionTimestamp || !isObserved(object)) return undefined
  const ready = conditionOf(object, 'Ready')
  if (!ready || ready.status === 'True' || waitsForOthers.has(ready.reason)) return undefined
  return `${ready.reason}: ${ready.message}`
}

/** Whether a change is news to whoever waits for the end of the object. */
export function isCauseNews<T extends Deletable>({ before, after }: Change<T>): boolean {
  return after !== undefined && deletionCause(before) !== deletionCause(after)
}

/** What holds up the deletion of some objects, for the end of a message; empty while nothing is said. */
export function deletionCauses<T extends Deletable>(
  objects: readonly T[],
  nameOf: (object: T) => string,
): string {
  const causes = objects.flatMap((each) => {
    const cause = deletionCause(each)
    return cause === undefined ? [] : [`${nameOf(each)}: ${cause}`]
  })
  if (causes.length === 0) return ''
  const more = causes.length > mostTold ? `; and ${causes.length - mostTold} more` : ''
  return `: ${causes.sort().slice(0, mostTold).join('; ')}${more}`
}
