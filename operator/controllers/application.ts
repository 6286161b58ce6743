import { Application } from '../api/application.ts'
import { AutomationRule } from '../api/automation-rule.ts'
import { DeploymentDelta } from '../api/deployment-delta.ts'
import { DeploymentSet } from '../api/deployment-set.ts'
import { Environment } from '../api/environment.ts'
import { annotations } from '../api/names.ts'
import { SharedValue } from '../api/shared-value.ts'
import { Webhook } from '../api/webhook.ts'
import { Workload } from '../api/workload.ts'
import { Waiting } from '../domain/base/errors.ts'
import type { Cluster } from '../kube/cache/cluster.ts'
import { scoped } from '../kube/cache/kinds-in-store.ts'
import type { Store } from '../kube/cache/store.ts'
import { inParallel } from '../kube/client/parallel.ts'
import { type Controller, watchKind } from '../kube/loop/controller.ts'
import { withdrawRoles } from './roles.ts'
import { deletionBlockers, firstOf, isBlockerChanged } from './shared/deletion-blockers.ts'

/** Whether the application of an environment is being deleted. */
function isTerminating({ metadata, spec }: Environment, store: Store): boolean {
  const application = store.get(Application, metadata.namespace, spec.applicationName)
  return application?.metadata.deletionTimestamp !== undefined
}

/** An application is always ready; deleting it deletes its environments and everything else that belongs to it. */
export function applicationController(cluster: Cluster): Controller<typeof Application> {
  const { store } = cluster
  return {
    kind: Application,
    watches: [
      watchKind(store.cacheOf(Environment), (change) => {
        const { before, after } = change
        const environment = after ?? before
        if (!environment) return []
        const isKnown = before !== undefined && after !== undefined
        const isNews = isKnown ? isBlockerChanged(change) : !after || isTerminating(environment, store)
        return isNews ? [scoped(environment, environment.spec.applicationName)] : []
      }),
    ],
    async reconcile() {
      return {}
    },
    async finalize(application) {
      const index = scoped(application, application.metadata.name)
      const environments = store.byIndex(Environment, 'application', index)
      const live = environments.filter(({ metadata }) => !metadata.deletionTimestamp)
      await inParallel(live, (each) => cluster.remove(Environment, each))
      if (environments.length > 0) {
        const nameOf = ({ metadata }: Environment) => `'${metadata.name}'`
        const blockers = deletionBlockers(environments, nameOf)
        throw new Waiting(
          'EnvironmentsRemain',
          `waiting for ${firstOf(environments.map(nameOf))} to be deleted${blockers}`,
        )
      }
      for (const each of store.byIndex(Workload, 'application', index)) await cluster.remove(Workload, each)
      for (const each of store.byIndex(Webhook, 'application', index)) await removeWebhook(each)
      for (const each of store.byIndex(SharedValue, 'application', index))
        await cluster.remove(SharedValue, each)
      for (const each of store.byIndex(AutomationRule, 'application', index))
        await cluster.remove(AutomationRule, each)
      for (const each of store.byIndex(DeploymentDelta, 'application', index))
        await cluster.remove(DeploymentDelta, each)
      for (const each of store.byIndex(DeploymentSet, 'application', index))
        await cluster.remove(DeploymentSet, each)
      // Last, so that its owner can read the application until it is gone.
      await withdrawRoles(
        cluster,
        application,
        'applications',
        ({ applicationName }) => applicationName === application.metadata.name,
      )
    },
  }

  /** Deletes a webhook, which stays until its last calls are delivered; the application does not wait for that. */
  async function removeWebhook(webhook: Webhook) {
    const { uid, deletionTimestamp } = webhook.metadata
    if (deletionTimestamp) return
    const marker = { [annotations.lastCalls]: 'true' }
    await cluster.patch(Webhook, webhook, { metadata: { uid, annotations: marker } })
    await cluster.remove(Webhook, webhook)
  }
}
