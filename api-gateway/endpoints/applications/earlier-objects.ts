import { Membership } from '../../../operator/api/access.ts'
import type { Application } from '../../../operator/api/application.ts'
import { AutomationRule } from '../../../operator/api/automation-rule.ts'
import { DeploymentDelta } from '../../../operator/api/deployment-delta.ts'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { SharedValue } from '../../../operator/api/shared-value.ts'
import { Webhook } from '../../../operator/api/webhook.ts'
import { Workload } from '../../../operator/api/workload.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import type { Caller } from '../../authenticate.ts'
import { createdBy, environmentsOf, organizationKey } from '../common/find.ts'

const kinds = [Workload, Webhook, SharedValue, AutomationRule, DeploymentDelta, DeploymentSet]

/** Whether deleting a new application would also delete objects or roles that its creator did not create with it. */
export function hasEarlierObjects(store: Store, application: Application, { userName }: Caller): boolean {
  const { namespace, name } = application.metadata
  if (environmentsOf(store, application).some((each) => createdBy(each) !== userName)) return true
  const key = organizationKey(namespace, name)
  if (kinds.some((kind) => store.cacheOf(kind).anyByIndex('application', key))) return true
  return store
    .cacheOf(Membership)
    .anyIn(
      namespace,
      ({ metadata, spec }) =>
        metadata.name !== userName &&
        (spec.applications ?? []).some(({ applicationName }) => applicationName === name),
    )
}
