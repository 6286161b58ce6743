import { setTimeout } from 'node:timers/promises'
import type { Kind, KubeObject, ObjectOf } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { sameJson } from '../../../operator/domain/base/json.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import { ApiError, isConflict } from '../../../operator/kube/client/api-error.ts'
import type { Caller } from '../../authenticate.ts'
import type { Gateway } from '../../endpoint.ts'
import { Replaced } from '../../request/missing.ts'
import { refresh } from './find.ts'

/** Time limit of all attempts of a change, and the first pause between them. */
const timeoutMs = 10_000
const initialPauseMs = 10

/** Who changes an object, and when. */
export interface Modification {
  readonly caller: Caller
  /** RFC 3339, by the clock of the API server, which sets the times of creation. */
  readonly time: string
}

export function modificationBy(caller: Caller, { serverNow }: Pick<Gateway, 'serverNow'>): Modification {
  return { caller, time: new Date(serverNow()).toISOString() }
}

/** Records who changed an object and when. Returns the object as it is if the change has no effect. */
export function withModification<T extends KubeObject>(
  before: T,
  after: T,
  { caller, time }: Modification,
): T {
  if (sameJson(before, after)) return before
  const { annotations: given } = after.metadata
  const record = {
    [annotations.lastModifiedAt]: time,
    [annotations.lastModifiedBy]: caller.userName,
  }
  return { ...after, metadata: { ...after.metadata, annotations: { ...given, ...record } } }
}

/**
 * Returns the object as it is if responses show it as before: clients send back the defaults that responses add. `show`
 * must show everything that the change can set.
 */
export function unlessShownAlike<T extends KubeObject>(before: T, after: T, show: (object: T) => unknown): T {
  return sameJson(show(before), show(after)) ? before : after
}

/**
 * Computes something of an object, or of the current object if the known one is refused, because the cache may be stale.
 * Returns the result and the object that it is of.
 */
export async function currentIfRefused<K extends Kind, R>(
  cluster: Cluster,
  kind: K,
  known: ObjectOf<K>,
  compute: (object: ObjectOf<K>) => R,
): Promise<{ readonly object: ObjectOf<K>; readonly result: R }> {
  try {
    return { object: known, result: compute(known) }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const object = await readCurrent(cluster, kind, known)
    return { object, result: compute(object) }
  }
}

/** Reads the object; throws NotFound if it no longer exists, or that its name belongs to another one. */
async function readCurrent<K extends Kind>(
  cluster: Cluster,
  kind: K,
  known: ObjectOf<K>,
): Promise<ObjectOf<K>> {
  const { name, uid } = known.metadata
  const current = await refresh(cluster, kind, known)
  if (!current) throw new Problem('NotFound', `'${name}' not found`)
  if (current.metadata.uid !== uid) throw new Replaced(kind, known)
  return current
}

/** Deletes the object that a request names; throws that its name belongs to another one, so that this one is deleted. */
export async function removeObject<K extends Kind>(
  cluster: Pick<Cluster, 'remove'>,
  kind: K,
  known: ObjectOf<K>,
): Promise<void> {
  if (!(await cluster.remove(kind, known))) throw new Replaced(kind, known)
}

/** Deletes all of these objects as `removeObject` does one; those whose names belong to others are deleted together, then. */
export async function removeObjects<K extends Kind>(
  cluster: Cluster,
  kind: K,
  known: readonly ObjectOf<K>[],
): Promise<void> {
  let replaced: ObjectOf<K> | undefined
  for (const each of known) {
    if (await cluster.remove(kind, each)) continue
    await refresh(cluster, kind, each)
    replaced = each
  }
  if (replaced) throw new Replaced(kind, replaced)
}

/** Patches the object that a request names; throws NotFound, or that its name belongs to another one. */
export async function patchObject<K extends Kind>(
  cluster: Cluster,
  kind: K,
  known: ObjectOf<K>,
  changes: { readonly metadata?: object; readonly spec?: object },
): Promise<ObjectOf<K>> {
  const { uid } = known.metadata
  try {
    return await cluster.patch(kind, known, { ...changes, metadata: { ...changes.metadata, uid } })
  } catch (error) {
    if (isConflict(error)) await readCurrent(cluster, kind, known)
    throw error
  }
}

/** Returns the changed object; undefined if the change refuses the object or has no effect on it. */
function effectOn<T extends KubeObject>(object: T, change: (object: T) => T): T | undefined {
  try {
    const wanted = change(object)
    return sameJson(wanted, object) ? undefined : wanted
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

/**
 * Changes an object; on a conflict, reads it again and applies the change again. A change that the cached object
 * refuses, or that has no effect on it, is applied to the current object, because the cache may be stale.
 */
export async function changeObject<K extends Kind>(
  cluster: Cluster,
  kind: K,
  first: ObjectOf<K>,
  change: (object: ObjectOf<K>) => ObjectOf<K>,
): Promise<ObjectOf<K>> {
  const deadline = performance.now() + timeoutMs
  const known = effectOn(first, change)
  let object = known ? first : await readCurrent(cluster, kind, first)
  let wanted = known ?? change(object)
  for (
    let pause = initialPauseMs;
    !sameJson(wanted, object);
    pause = Math.min(2 * pause, 20 * initialPauseMs)
  ) {
    try {
      return await cluster.replace(kind, wanted)
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== 'Conflict' || performance.now() > deadline)
        throw error
    }
    await setTimeout(Math.random() * pause)
    object = await readCurrent(cluster, kind, first)
    wanted = change(object)
  }
  return object
}

/** Changes fields of the spec, unless responses show the object as before. Null removes a field, undefined keeps it. */
export async function patchSpec<K extends Kind>(
  cluster: Cluster,
  kind: K,
  known: ObjectOf<K>,
  fields: { readonly [F in keyof ObjectOf<K>['spec']]?: ObjectOf<K>['spec'][F] | null },
  show: (object: ObjectOf<K>) => unknown,
): Promise<ObjectOf<K>> {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  const hasEffect = (object: ObjectOf<K>) => {
    const spec = { ...(object.spec as object), ...given } as typeof object.spec // an object in every kind
    return unlessShownAlike(object, { ...object, spec }, show) !== object
  }
  // The cache may be stale.
  const current = hasEffect(known) ? known : await readCurrent(cluster, kind, known)
  if (!hasEffect(current)) return current
  return patchObject(cluster, kind, known, { spec: given })
}
