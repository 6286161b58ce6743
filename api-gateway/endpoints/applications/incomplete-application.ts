import { Application } from '../../../operator/api/application.ts'
import { allows } from '../../../operator/domain/access/roles.ts'
import type { Caller } from '../../authenticate.ts'
import type { Gateway } from '../../endpoint.ts'
import { createdAt, createdBy, environmentsOf, refresh } from '../common/find.ts'
import { hasEarlierObjects } from './earlier-objects.ts'

/**
 * Milliseconds: a younger application may still be in the making, and an older one is how its owners left it. A creation
 * that fails later than `mostOfRollback` keeps its application, because the same request may complete it. A rollback that
 * begins in time ends within the rest, although the API server is silent.
 */
const ages = { mostOfRollback: 15_000, least: 60_000, most: 3_600_000 }

/**
 * Returns the application if an earlier request of the same user may have created it and nothing else, because its process
 * died: the same request then completes the creation. The creator becomes the owner before the first environment is
 * created and before others get roles, so an application with environments, content or roles has had its owner, who may
 * have lost the role since.
 */
export async function findIncomplete(
  known: Application | undefined,
  displayName: string,
  caller: Caller,
  { cluster, serverNow }: Pick<Gateway, 'cluster' | 'serverNow'>,
): Promise<Application | undefined> {
  function mayBe(application: Application | undefined): boolean {
    if (!application || application.metadata.deletionTimestamp) return false
    if (createdBy(application) !== caller.userName || application.spec.displayName !== displayName)
      return false
    const age = serverNow() - Date.parse(createdAt(application))
    if (age < ages.least || age > ages.most) return false
    const { store } = cluster
    return environmentsOf(store, application).length === 0 && !hasEarlierObjects(store, application, caller)
  }
  if (!known || !mayBe(known)) return undefined
  const current = await refresh(cluster, Application, known)
  return mayBe(current) ? current : undefined
}

/** Whether the same request may complete an application whose creation has taken this time, so that it must stay. */
export function mayBeCompleted(elapsedMs: number): boolean {
  return elapsedMs > ages.mostOfRollback
}

/** Whether a member may do everything in the application. */
export function isOwnedBy({ metadata }: Application, membership: Caller['membership']): boolean {
  return allows(membership, { application: 'owner' }, { applicationId: metadata.name })
}
