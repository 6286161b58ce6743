import type { KubeObject } from '../../api/kind.ts'

/** How far the clocks of several API servers may differ. */
export const clockDifferenceMs = 10_000

/** Whether an object was created before another one, by more than what the clocks of API servers differ. */
export function isClearlyOlder(
  left: Pick<KubeObject, 'metadata'>,
  right: Pick<KubeObject, 'metadata'>,
): boolean {
  return isClearlyBefore(left, Date.parse(right.metadata.creationTimestamp ?? ''))
}

/** Whether an object was created before a time in milliseconds, by more than what the clocks of API servers differ. */
export function isClearlyBefore({ metadata }: Pick<KubeObject, 'metadata'>, time: number): boolean {
  return time - Date.parse(metadata.creationTimestamp ?? '') > clockDifferenceMs
}
