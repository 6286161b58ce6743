import type { KubeObject } from '../../api/kind.ts'
import { hasFinalizer } from '../client/resource.ts'
import { keptByOthers } from './other-finalizers.ts'

/** Whether a change asks for a reconcile: the status is written by the loop alone, so its changes do not. */
export function needsReconcile(before: KubeObject | undefined, after: KubeObject): boolean {
  if (!before) return true
  const [old, now] = [before.metadata, after.metadata]
  return (
    old.uid !== now.uid ||
    old.generation !== now.generation ||
    old.deletionTimestamp !== now.deletionTimestamp ||
    !sameEntries(old.annotations, now.annotations) ||
    // The loop adds its finalizer itself; one that another client removed must be added again.
    (hasFinalizer(before) && !hasFinalizer(after)) ||
    keptByOthers(before)?.message !== keptByOthers(after)?.message
  )
}

function sameEntries(left: Record<string, string> = {}, right: Record<string, string> = {}): boolean {
  const keys = Object.keys(left)
  return keys.length === Object.keys(right).length && keys.every((key) => left[key] === right[key])
}
