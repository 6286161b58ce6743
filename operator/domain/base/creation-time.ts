import type { KubeObject } from '../../api/kind.ts'

/** How far the clocks of several API servers may differ. */
export const clockDifferenceMs = 10_000

/** Whether an object was created before another one, by more than what the clocks of API servers differ. */
export function isClearlyOlder(
  left: Pick<KubeObject, 'metadata'>,
  right: Pick<KubeObject, 'metadata'>,
): boolean {
  const [before, after] = [left, right].map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? ''))
  return Number(after) - Number(before) > clockDifferenceMs
}
