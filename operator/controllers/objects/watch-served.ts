import type { Cache } from '../../kube/cache/cache.ts'
import { notServed } from '../../kube/objects/discovery.ts'
import type { Objects } from '../../kube/objects/objects.ts'
import type { ObjectKind } from './applied-object.ts'

/** A kind that is watched. */
export interface Watched {
  /** In the version that is watched. */
  readonly kind: ObjectKind
  readonly cache: Cache
}

/** Watches a kind in a version that the cluster serves, this one if possible; Stalled, NotServed without one. */
export async function watchServed(objects: Objects, remembered: ObjectKind): Promise<Watched> {
  const kind = await objects.served(remembered)
  if (!kind) throw notServed(remembered)
  return { kind, cache: await objects.watch(kind) }
}
