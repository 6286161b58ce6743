import { Application } from '../api/application.ts'
import { DeploymentDelta } from '../api/deployment-delta.ts'
import { DeploymentSet } from '../api/deployment-set.ts'
import { Environment } from '../api/environment.ts'
import { SharedValue } from '../api/shared-value.ts'
import { Webhook, WebhookCall } from '../api/webhook.ts'
import { Waiting } from '../domain/errors.ts'
import type { Cluster } from '../kube/cluster.ts'
import { type Controller, watchKind } from '../kube/controller.ts'
import { scoped } from '../kube/kinds-in-store.ts'
import { withdrawRoles } from './roles.ts'

/** After this time a receiver that does not answer holds nothing up. */
const lastCallsMs = 60_000

/** An application is ready as soon as it is known; deleting it takes everything of it along. */
export function applicationController(cluster: Cluster): Controller<typeof Application> {
  const { store } = cluster
  return {
    kind: Application,
    watches: [
      watchKind(store.cacheOf(Environment), ({ before, after }) =>
        before && !after ? [scoped(before, before.spec.applicationName)] : [],
      ),
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
        throw new Waiting(
          'EnvironmentsRemain',
          `waiting for ${environments.map(({ metadata }) => `'${metadata.name}'`).join(', ')} to go`,
        )
      }
      await withdrawRoles(
        cluster,
        application,
        'applications',
        ({ applicationName }) => applicationName === application.metadata.name,
      )
      await removeWebhooks(application)
      for (const each of store.byIndex(SharedValue, 'application', index))
        await cluster.remove(SharedValue, each)
      for (const each of store.byIndex(DeploymentDelta, 'application', index))
        await cluster.remove(DeploymentDelta, each)
      for (const each of store.byIndex(DeploymentSet, 'application', index))
        await cluster.remove(DeploymentSet, each)
    },
  }

  /** Webhooks go with the application; what they were told last has a moment to arrive. */
  async function removeWebhooks(application: Application) {
    const { name, deletionTimestamp = '' } = application.metadata
    const webhooks = store.byIndex(Webhook, 'application', scoped(application, name))
    const open = webhooks.filter((webhook) =>
      store
        .byIndex(WebhookCall, 'webhook', scoped(webhook, webhook.metadata.name))
        .some(({ status }) => !status?.finishTime),
    )
    if (open.length > 0 && Date.now() - Date.parse(deletionTimestamp) < lastCallsMs)
      throw new Waiting('CallsRemain', 'waiting for the last calls of its webhooks', 1)
    for (const each of webhooks) await cluster.remove(Webhook, each)
  }
}
