import { Membership } from '../../../operator/api/access.ts'
import type { Application } from '../../../operator/api/application.ts'
import { contentKinds } from '../../../operator/api/kinds.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import type { Caller } from '../../authenticate.ts'
import { createdBy, environmentsOf, organizationKey } from '../common/find.ts'

/** Whether deleting a new application would also delete objects or roles that its creator did not create with it. */
export function hasEarlierObjects(store: Store, application: Application, { userName }: Caller): boolean {
  const { namespace, name } = application.metadata
  if (environmentsOf(store, application).some((each) => createdBy(each) !== userName)) return true
  const key = organizationKey(namespace, name)
  if (contentKinds.some((kind) => store.cacheOf(kind).anyByIndex('application', key))) return true
  return store
    .cacheOf(Membership)
    .anyIn(
      namespace,
      ({ metadata, spec }) =>
        metadata.name !== userName &&
        (spec.applications ?? []).some(({ applicationName }) => applicationName === name),
    )
}
