import type { Kind, ObjectOf } from '../../../operator/api/kind.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import type { Gateway } from '../../endpoint.ts'
import { refresh } from './find.ts'
import { isFinal, retryUntilAnswered, withRollback } from './rollback.ts'

/** An object on which a role was given. */
interface RoleTarget<K extends Kind> {
  readonly kind: K
  readonly known: ObjectOf<K>
  /** Name of the kind in texts. */
  readonly what: string
}

/** Throws Conflict if an object is being deleted. */
export function refuseDeleting({ metadata }: ObjectOf<Kind>, what: string): void {
  if (metadata.deletionTimestamp) throw new Problem('Conflict', `${what} '${metadata.name}' is being deleted`)
}

/**
 * Withdraws a role that was given on an object whose deletion began in the meantime, and throws NotFound or Conflict.
 * The operator may have withdrawn the roles on the object before, and a later object of the same ID must not inherit
 * this one. Also withdraws the role if the object cannot be read, so that the client can repeat the request.
 */
export async function withdrawUnlessPresent<K extends Kind>(
  { cluster, log }: Pick<Gateway, 'cluster' | 'log'>,
  { kind, known, what }: RoleTarget<K>,
  withdraw: () => Promise<unknown>,
): Promise<void> {
  const { name, uid } = known.metadata
  await withRollback(log, withdraw, async () => {
    const current = await retryUntilAnswered(() => refresh(cluster, kind, known), isFinal)
    if (current?.metadata.uid !== uid) throw new Problem('NotFound', `${what} '${name}' not found`)
    refuseDeleting(current, what)
  })
}
