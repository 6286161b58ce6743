import type { ObjectMeta } from '../../api/kind.ts'
import { annotations } from '../../api/names.ts'

type Marked = Pick<ObjectMeta, 'annotations' | 'deletionTimestamp'>

/**
 * How long after the mark of a request its deletion may begin, by the clock of the API server. An overloaded API server
 * delays both, and a deletion that begins too late destroys what the request keeps.
 */
const validMs = 15 * 60_000

/**
 * The value of the annotation for one request to detach. A deletion that begins later does not detach: a process that ends
 * between the mark and the deletion cannot withdraw the mark.
 */
export function detachMark(serverNow: number): string {
  return new Date(serverNow + validMs).toISOString()
}

/** Whether a resource is marked with `true`, which applies to any deletion. */
export function isMarkedForAny({ annotations: all }: Marked): boolean {
  return all?.[annotations.detach] === 'true'
}

/** Whether the deletion of a resource keeps the infrastructure. */
export function isDetached(metadata: Marked): boolean {
  if (isMarkedForAny(metadata)) return true
  const mark = metadata.annotations?.[annotations.detach]
  const { deletionTimestamp } = metadata
  if (mark === undefined || deletionTimestamp === undefined) return false
  return Date.parse(deletionTimestamp) <= Date.parse(mark)
}
