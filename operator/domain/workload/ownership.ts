import { ownValue, sameJson } from '../base/json.ts'
import type { SetContent } from '../delta/delta.ts'
import type { OwnedModule } from './fold-workloads.ts'

/** A Workload that owns a module, with the name of its object. */
export interface Owner extends OwnedModule {
  readonly workloadName: string
}

/**
 * Why a deployment must not change the set like this: it changes a module or a shared dependency of a Workload. What is
 * deployed, and what the Workload says, are both allowed.
 */
export function problemsOfOwners(
  base: SetContent,
  next: SetContent,
  owners: readonly Owner[],
): { readonly workload: string; readonly message: string }[] {
  return owners.flatMap((owner) => {
    const { id, content, workloadName } = owner
    const module = ownValue(next.modules, id)
    const allowed = [ownValue(base.modules, id), ...(typeof content === 'object' ? [content.module] : [])]
    const isRemoval = content === 'remove' && module === undefined
    const isAllowed = isRemoval || allowed.some((each) => sameJson(each, module))
    const shared = owner.sharedIds.filter((key) => !isSharedAllowed(key, base, next, owner))
    const parts = [...(isAllowed ? [] : [`module '${id}'`]), ...shared.map((key) => `shared '${key}'`)]
    return parts.map((part) => ({
      workload: id,
      message: `${part} belongs to the Workload '${workloadName}'; change that instead, or delete it first`,
    }))
  })
}

function isSharedAllowed(key: string, base: SetContent, next: SetContent, { content }: Owner): boolean {
  const entry = ownValue(next.shared, key)
  if (sameJson(entry, ownValue(base.shared, key))) return true
  if (content === 'remove') return entry === undefined
  return typeof content === 'object' && sameJson(entry, ownValue(content.shared, key))
}
