import { setTimeout } from 'node:timers/promises'
import type { Kind, KubeObject, ObjectOf } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { sameJson } from '../../../operator/domain/base/json.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import { ApiError } from '../../../operator/kube/client/client.ts'
import type { Caller } from '../../authenticate.ts'
import type { Gateway } from '../../endpoint.ts'
import { refresh } from './find.ts'

/** How long a change tries to get past others of the same object, and how long it lets them by at first. */
const patienceMs = 10_000
const pauseMs = 10

/** Who changes an object, and when. */
export interface Contribution {
  readonly caller: Caller
  /** RFC 3339. */
  readonly time: string
}

/** A change by the caller, now. */
export function contributionOf(caller: Caller, { now }: Pick<Gateway, 'now'>): Contribution {
  return { caller, time: new Date(now()).toISOString() }
}

/** The object after a change, saying when that was and who made it; a change that changes nothing leaves it as it is. */
export function stamped<T extends KubeObject>(before: T, after: T, { caller, time }: Contribution): T {
  if (sameJson(before, after)) return before
  const { annotations: given } = after.metadata
  const marks = {
    [annotations.lastModifiedAt]: time,
    [annotations.lastModifiedBy]: caller.userName,
  }
  return { ...after, metadata: { ...after.metadata, annotations: { ...given, ...marks } } }
}

/**
 * Changes an object; a write that loses a race looks at the newer object and decides again. So does a change that would
 * change nothing of what is known, which may be behind.
 */
export async function changeObject<K extends Kind>(
  cluster: Cluster,
  kind: K,
  first: ObjectOf<K>,
  change: (object: ObjectOf<K>) => ObjectOf<K>,
): Promise<ObjectOf<K>> {
  const deadline = performance.now() + patienceMs
  const asItIs = async (): Promise<ObjectOf<K>> => {
    const { name, uid } = first.metadata
    const current = await refresh(cluster, kind, first)
    if (current && current.metadata.uid === uid) return current
    throw new Problem('NotFound', `'${name}' not found`)
  }
  let wanted = change(first)
  let object = first
  if (sameJson(wanted, first)) {
    object = await asItIs()
    wanted = change(object)
  }
  for (let pause = pauseMs; !sameJson(wanted, object); pause = Math.min(2 * pause, 20 * pauseMs)) {
    try {
      return await cluster.replace(kind, wanted)
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== 'Conflict' || performance.now() > deadline)
        throw error
    }
    await setTimeout(Math.random() * pause)
    object = await asItIs()
    wanted = change(object)
  }
  return object
}
