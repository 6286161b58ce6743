import { Application } from '../api/application.ts'
import { DeploymentDelta } from '../api/deployment-delta.ts'
import { DeploymentSet } from '../api/deployment-set.ts'
import { Environment } from '../api/environment.ts'
import { annotations } from '../api/names.ts'
import { SharedValue } from '../api/shared-value.ts'
import { Webhook } from '../api/webhook.ts'
import { Waiting } from '../domain/base/errors.ts'
import type { Cluster } from '../kube/cache/cluster.ts'
import { scoped } from '../kube/cache/kinds-in-store.ts'
import { type Controller, watchKind } from '../kube/loop/controller.ts'
import { withdrawRoles } from './roles.ts'
import { deletionCauses, isCauseNews } from './shared/deletion-cause.ts'

/** An application is ready as soon as it is known; deleting it takes everything of it along. */
export function applicationController(cluster: Cluster): Controller<typeof Application> {
  const { store } = cluster
  return {
    kind: Application,
    watches: [
      watchKind(store.cacheOf(Environment), (change) => {
        const { before, after } = change
        if (after) return isCauseNews(change) ? [scoped(after, after.spec.applicationName)] : []
        return before ? [scoped(before, before.spec.applicationName)] : []
      }),
    ],
    async reconcile() {
      return {}
    },
    async finalize(application) {
      const index = scoped(application, application.metadata.name)
      const environments = store.byIndex(Environment, 'application', index)
      for (const each of environments)
        if (!each.metadata.deletionTimestamp) await cluster.remove(Environment, each)
      if (environments.length > 0) {
        const nameOf = ({ metadata }: Environment) => `'${metadata.name}'`
        const causes = deletionCauses(environments, nameOf)
        throw new Waiting(
          'EnvironmentsRemain',
          `waiting for ${environments.map(nameOf).join(', ')} to go${causes}`,
        )
      }
      for (const each of store.byIndex(Webhook, 'application', index)) await endWebhook(each)
      for (const each of store.byIndex(SharedValue, 'application', index))
        await cluster.remove(SharedValue, each)
      for (const each of store.byIndex(DeploymentDelta, 'application', index))
        await cluster.remove(DeploymentDelta, each)
      for (const each of store.byIndex(DeploymentSet, 'application', index))
        await cluster.remove(DeploymentSet, each)
      // Last, so that its owner can look at it until it is gone.
      await withdrawRoles(
        cluster,
        application,
        'applications',
        ({ applicationName }) => applicationName === application.metadata.name,
      )
    },
  }

  /** What it was told last may still arrive; the application does not wait for that. */
  async function endWebhook(webhook: Webhook) {
    const { uid, deletionTimestamp } = webhook.metadata
    if (deletionTimestamp) return
    const marks = { [annotations.lastCalls]: 'true' }
    await cluster.patch(Webhook, webhook, { metadata: { uid, annotations: marks } })
    await cluster.remove(Webhook, webhook)
  }
}
