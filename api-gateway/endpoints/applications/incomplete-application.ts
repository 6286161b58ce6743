import { Application } from '../../../operator/api/application.ts'
import { allows } from '../../../operator/domain/access/roles.ts'
import type { Caller } from '../../authenticate.ts'
import type { Gateway } from '../../endpoint.ts'
import { createdAt, createdBy, environmentsOf, refresh } from '../common/find.ts'

/** Milliseconds: a younger application may still be in the making, and an older one is how its owners left it. */
const ages = { least: 15_000, most: 3_600_000 }

/**
 * Returns the application if an earlier request of the same user may have created it and nothing else, because its process
 * died: the same request then completes the creation. The creator becomes the owner before the first environment is
 * created, so an application with environments has its owner.
 */
export async function findIncomplete(
  known: Application | undefined,
  displayName: string,
  { userName }: Caller,
  { cluster, serverNow }: Pick<Gateway, 'cluster' | 'serverNow'>,
): Promise<Application | undefined> {
  function mayBe(application: Application | undefined): boolean {
    if (!application || application.metadata.deletionTimestamp) return false
    if (createdBy(application) !== userName || application.spec.displayName !== displayName) return false
    const age = serverNow() - Date.parse(createdAt(application))
    return age >= ages.least && age <= ages.most && environmentsOf(cluster.store, application).length === 0
  }
  if (!known || !mayBe(known)) return undefined
  const current = await refresh(cluster, Application, known)
  return mayBe(current) ? current : undefined
}

/** Whether the caller may do everything in the application. */
export function isOwnedBy({ metadata }: Application, { membership }: Caller): boolean {
  return allows(membership, { application: 'owner' }, { applicationId: metadata.name })
}
