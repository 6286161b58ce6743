import { Application } from '../../../operator/api/application.ts'
import { Environment } from '../../../operator/api/environment.ts'
import type { Kind, Manifest, ObjectOf } from '../../../operator/api/kind.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { isGone } from '../../../operator/kube/client/api-error.ts'
import { hasFinalizer } from '../../../operator/kube/client/resource.ts'
import { withOurFinalizer } from '../../../operator/kube/loop/finalizer.ts'
import type { Gateway } from '../../endpoint.ts'
import { type EnvironmentPath, findApplication, findEnvironment, refresh } from './find.ts'
import { isFinal, retryUntilAnswered, withRollback } from './rollback.ts'

/** An object on which a role is given, or to which a new object belongs. */
export interface Target<K extends Kind = Kind> {
  readonly kind: K
  readonly known: ObjectOf<K>
  /** Name of the object in error messages. */
  readonly what: string
}

type Tools = Pick<Gateway, 'cluster' | 'log'>

/** A target is gone or is being deleted: all that belongs to it ends, also what another request made. */
export class TargetEnds extends Problem {}

/** Returns the application in the path; throws NotFound, or Conflict if it is being deleted. */
export function targetApplication(
  store: Store,
  path: Omit<EnvironmentPath, 'env_id'>,
): Target<typeof Application> {
  return present(targetOf(findApplication(store, path)))
}

/** An application as the target of a write. */
export function targetOf(known: Application): Target<typeof Application> {
  return { kind: Application, known, what: `application '${known.metadata.name}'` }
}

/** Returns the environment in the path; throws NotFound, or Conflict if it is being deleted. */
export function targetEnvironment(store: Store, path: EnvironmentPath): Target<typeof Environment> {
  return present(environmentTarget(findEnvironment(store, path), path))
}

/** An environment as the target of a write. */
export function environmentTarget(
  known: Environment,
  { app_id, env_id }: Omit<EnvironmentPath, 'org_id'>,
): Target<typeof Environment> {
  return { kind: Environment, known, what: `environment '${env_id}' of application '${app_id}'` }
}

function present<T extends Target>(target: T): T {
  refuseDeleting(target)
  return target
}

/** Throws Conflict if a target is being deleted. */
export function refuseDeleting({ known: { metadata }, what }: Target): void {
  if (metadata.deletionTimestamp) throw new TargetEnds('Conflict', `${what} is being deleted`)
}

/**
 * Throws NotFound or Conflict if the deletion of a target began in the meantime, because the cache may be stale. The
 * operator may have removed what belongs to the target before, and a later object of the same ID must not inherit the rest.
 * A later deletion waits for the operator, which removes it, although that may not have seen the target yet.
 */
export async function requirePresent({ cluster }: Pick<Gateway, 'cluster'>, target: Target): Promise<void> {
  const { kind, known, what } = target
  // A conflict says that the target was changed or deleted between the two.
  const isAnswer = (error: unknown) => isFinal(error) && !isGone(error)
  const current = await retryUntilAnswered(() => readWithFinalizer(cluster, target), isAnswer)
  const notFound = `${what} not found`
  if (!current) throw new TargetEnds('NotFound', notFound)
  if (current.metadata.uid !== known.metadata.uid) throw new Problem('NotFound', notFound)
  refuseDeleting({ kind, known: current, what })
}

/** Reads a target, and adds the finalizer of the operator, unless it has that, is another one or is being deleted. */
async function readWithFinalizer(
  cluster: Gateway['cluster'],
  { kind, known }: Target,
): Promise<ObjectOf<Kind> | undefined> {
  const current = await refresh(cluster, kind, known)
  if (!current || current.metadata.uid !== known.metadata.uid) return current
  if (current.metadata.deletionTimestamp || hasFinalizer(current)) return current
  return cluster.patch(kind, current, withOurFinalizer(current))
}

/**
 * Withdraws what was written for a target whose deletion began in the meantime, and throws NotFound or Conflict. Also
 * withdraws it if the target cannot be read, so that the client can repeat the request.
 */
export async function withdrawUnlessPresent(
  { cluster, log }: Tools,
  target: Target,
  withdraw: () => Promise<unknown>,
): Promise<void> {
  await withRollback(log, withdraw, () => requirePresent({ cluster }, target))
}

/** Creates an object that belongs to a target, or leaves nothing behind; throws as `withdrawUnlessPresent` does. */
export async function createIn<K extends Kind>(
  { cluster, log }: Tools,
  target: Target,
  kind: K,
  object: Manifest<K>,
): Promise<ObjectOf<K>> {
  const made = await cluster.create(kind, object)
  await withdrawUnlessPresent({ cluster, log }, target, () => cluster.remove(kind, made))
  return made
}
