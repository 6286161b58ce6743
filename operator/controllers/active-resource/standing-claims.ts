import type { ActiveResource } from '../../api/active-resource.ts'
import { mostClaims } from '../../api/active-resource.ts'
import { annotations } from '../../api/names.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { hostClaimsOf, isIngress } from '../../drivers/ingress/rules.ts'
import { markOf } from '../shared/applied-object.ts'
import type { ResourceTools } from './active-resource.ts'

/** The resource with claims to the hosts of its Ingresses, where these were made before any were claimed. */
export async function withStandingClaims(
  resource: ActiveResource,
  { objects, claims }: Pick<ResourceTools, 'objects' | 'claims'>,
): Promise<ActiveResource> {
  const { status } = resource
  if (!status || status.claims) return resource
  const applied = (status.objects ?? []).filter((each) => isIngress(each) && each.uid !== '')
  if (applied.length === 0) return resource
  try {
    const live = await Promise.all(applied.map((each) => objects.read(each)))
    const own = live.flatMap((each) =>
      each?.metadata.annotations?.[annotations.resource] === markOf(resource) ? [each] : [],
    )
    const kept = claims.keep(resource, hostClaimsOf(own))
    // More than a status holds are held by this process alone, until there are fewer.
    return kept.length > mostClaims ? resource : { ...resource, status: { ...status, claims: kept } }
  } catch (error) {
    // Of a version that is not served any more: its next change makes it anew.
    if (error instanceof Stalled) return resource
    throw error
  }
}
