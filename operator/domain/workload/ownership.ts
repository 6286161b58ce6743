import { ownValue, sameJson } from '../base/json.ts'
import type { SetContent } from '../delta/delta.ts'
import { sameShared } from '../score/convert-score.ts'
import type { OwnedModule } from './fold-workloads.ts'

/** A Workload that owns a module, with the name of its object. */
export interface Owner extends OwnedModule {
  readonly workloadName: string
}

/**
 * Why a deployment must not have the set `next`: it changes a module or a shared dependency of a Workload. What is in one
 * of the sets that it may build on, and what the Workload says, are allowed. Types that `expandType` expands to the same one
 * do not differ.
 */
export function problemsOfOwners(
  bases: readonly SetContent[],
  next: SetContent,
  owners: readonly Owner[],
  expandType: (type: string) => string,
): { readonly workload: string; readonly message: string }[] {
  return owners.flatMap((owner) => {
    const { id, content, workloadName } = owner
    const module = ownValue(next.modules, id)
    const known = bases.map(({ modules }) => ownValue(modules, id))
    const allowed = [...known, ...(typeof content === 'object' ? [content.module] : [])]
    const isRemoval = content === 'remove' && module === undefined
    const isAllowed = isRemoval || allowed.some((each) => sameJson(each, module))
    const shared = owner.sharedIds.filter((key) => !isSharedAllowed(key, bases, next, owner, expandType))
    const parts = [...(isAllowed ? [] : [`module '${id}'`]), ...shared.map((key) => `shared '${key}'`)]
    return parts.map((part) => ({
      workload: id,
      message: `${part} belongs to the Workload '${workloadName}'; change that instead, or delete it first`,
    }))
  })
}

function isSharedAllowed(
  key: string,
  bases: readonly SetContent[],
  next: SetContent,
  { content }: Owner,
  expandType: (type: string) => string,
): boolean {
  const entry = ownValue(next.shared, key)
  const isEntry = (shared: SetContent['shared']) => sameShared(entry, ownValue(shared, key), expandType)
  if (bases.some(({ shared }) => isEntry(shared))) return true
  if (content === 'remove') return entry === undefined
  return typeof content === 'object' && isEntry(content.shared)
}
