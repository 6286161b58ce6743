import type { FreeForm } from '../../api/schema.ts'
import { compareText, ownValue } from '../base/json.ts'
import type { SetContent } from '../delta/delta.ts'
import { type ConvertedScore, hasParams, mergeShared, sameShared } from '../score/convert-score.ts'

/** A Workload as the set of an environment sees it. It owns the module of its id. */
export interface OwnedModule {
  readonly id: string
  /** The content to deploy. `keep` leaves what is deployed, `remove` removes it. */
  readonly content: ConvertedScore | 'keep' | 'remove'
  /** Shared dependencies in the set that exist because of this Workload. */
  readonly sharedIds: readonly string[]
}

/** A set after the Workloads are folded into it, and why some of them are left as they were. */
export interface Folded {
  readonly set: SetContent
  /** The shared dependency that contradicts another Workload or the set, by module id. */
  readonly conflicts: ReadonlyMap<string, string>
}

/**
 * The set with the modules of Workloads in place of their former ones. Modules and shared dependencies of others are
 * untouched. Of two Workloads that contradict each other, the first by id wins. Types that `expandType` expands to the same
 * one do not contradict each other.
 */
export function foldWorkloads(
  base: SetContent,
  workloads: readonly OwnedModule[],
  expandType: (type: string) => string,
): Folded {
  const ordered = [...workloads].sort((left, right) => compareText(left.id, right.id))
  const owned = new Set(ordered.flatMap(({ sharedIds }) => sharedIds))
  const modules = new Map(Object.entries(base.modules))
  // Dependencies that only Workloads need are added again by those that still need them.
  const shared = new Map(Object.entries(base.shared).filter(([key]) => !owned.has(key)))
  const isOfOthers = (key: string) => Object.hasOwn(base.shared, key) && !owned.has(key)
  const conflicts = new Map<string, string>()
  const keep = ({ sharedIds }: OwnedModule) => {
    for (const key of sharedIds) {
      const entry = ownValue(base.shared, key)
      if (entry && !shared.has(key)) shared.set(key, entry)
    }
  }
  for (const each of ordered) if (each.content === 'keep') keep(each)
  for (const each of ordered) {
    if (each.content === 'remove') modules.delete(each.id)
    if (typeof each.content === 'string') continue
    const merged = mergedWith(shared, each.content.shared, isOfOthers, expandType)
    if (typeof merged === 'string') {
      conflicts.set(each.id, merged)
      keep(each)
      continue
    }
    for (const [key, entry] of merged)
      shared.set(key, asWritten(ownValue(base.shared, key), entry, expandType))
    modules.set(each.id, each.content.module)
  }
  return { set: { modules: Object.fromEntries(modules), shared: Object.fromEntries(shared) }, conflicts }
}

/** The known entry if it says the same in other words: a delta may write what a Workload owns. */
function asWritten(
  known: FreeForm | undefined,
  entry: FreeForm,
  expandType: (type: string) => string,
): FreeForm {
  return known && sameShared(known, entry, expandType) ? known : entry
}

/** The entries to set, or the key of one that contradicts a known entry. */
function mergedWith(
  known: ReadonlyMap<string, FreeForm>,
  needed: Readonly<Record<string, FreeForm>>,
  isOfOthers: (key: string) => boolean,
  expandType: (type: string) => string,
): (readonly [string, FreeForm])[] | string {
  const merged: [string, FreeForm][] = []
  for (const [key, entry] of Object.entries(needed)) {
    const present = known.get(key)
    const both = mergeShared(present, entry, expandType)
    // An entry of others stays as it is, so it must have the params already.
    const isKept = present !== undefined && isOfOthers(key)
    if (!both || (isKept && !hasParams(present, entry))) return key
    if (!isKept) merged.push([key, both])
  }
  return merged
}
