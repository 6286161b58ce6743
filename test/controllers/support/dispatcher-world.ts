import { setTimeout as sleep } from 'node:timers/promises'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import type { ObjectMeta } from '../../../operator/api/kind.ts'
import { Webhook, WebhookCall } from '../../../operator/api/webhook.ts'
import { type Dispatcher, startDispatcher } from '../../../operator/controllers/webhook/dispatcher.ts'
import type { KubeClient } from '../../../operator/kube/client/client.ts'
import { silentLog } from '../../../operator/log.ts'
import { createFakeCluster, type FakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { deployment, environment, webhook } from './webhooks.ts'

export const early = '2026-01-01T09:00:00Z'
export const noon = '2026-01-01T12:00:00Z'
export const late = '2026-01-01T15:00:00Z'

/** Status of a deployment that succeeded. */
export const succeeded = {
  startTime: noon,
  finishTime: '2026-01-01T12:05:00Z',
  conditions: [{ type: 'Ready', status: 'True', reason: 'R', message: '', lastTransitionTime: noon }],
}

/** Lists the objects of the cluster; its history is not used where times define the order. */
function listing({ store }: FakeCluster): KubeClient {
  return {
    async request() {
      return { metadata: { resourceVersion: '0' }, items: store.list(Webhook, 'acme') }
    },
    watch: () => {
      throw new Error('nothing is watched')
    },
    close: async () => {},
  }
}

/** An operator that writes webhook calls in `acme`; webhooks are created early, all other objects at noon. */
export function createDispatcherWorld() {
  const fake = createFakeCluster()
  const cluster: FakeCluster = { ...fake, client: listing(fake) }
  let announcements: Dispatcher | undefined

  const world = {
    cluster,
    isActive: true,

    reset(): void {
      cluster.reset()
      cluster.addOrganization('acme')
      world.isActive = true
    },
    /** Starts the dispatcher, and waits until no more writes follow. */
    async start(): Promise<void> {
      announcements = startDispatcher(cluster, { log: silentLog, isActive: () => world.isActive })
      await world.quiet()
    },
    /** Waits until no more writes follow. */
    async quiet(): Promise<void> {
      let [idle, writes] = [0, 0]
      while (idle < 5) {
        await sleep(1)
        idle = cluster.writes.length === writes ? idle + 1 : 0
        writes = cluster.writes.length
      }
    },
    async stop(): Promise<void> {
      await announcements?.stop()
    },
    /** Replaces the process by a new one. */
    async restart(): Promise<void> {
      await world.stop()
      await world.start()
    },
    notifyLast: async (last: Environment) => announcements?.notifyLast(last),
    notifyDeleted: async (each: EnvironmentDeployment) => announcements?.notifyDeleted(each),

    putWebhook(name: string, spec: Partial<Webhook['spec']> = {}, metadata: Partial<ObjectMeta> = {}): void {
      cluster.put(Webhook, webhook(name, spec, { creationTimestamp: early, ...metadata }))
    },
    putEnvironment: (metadata: Partial<ObjectMeta> = {}) =>
      cluster.put(Environment, environment({ uid: 'env', creationTimestamp: noon, ...metadata })),
    putDeployment: (status: object) =>
      cluster.put(EnvironmentDeployment, deployment(status, { uid: 'run', creationTimestamp: noon })),

    /** The calls that exist, as webhook and event. */
    calls: () =>
      cluster.store
        .list(WebhookCall, 'acme')
        .map(({ spec }) => `${spec.webhookName} ${spec.event}`)
        .sort(),
    /** Writes without the hash in the names of calls. */
    writes: () => cluster.writes.map((each) => each.replace(/\.[0-9a-f]{16}$/, '')),
    announced: () => cluster.store.get(Environment, 'acme', 'shop.staging')?.metadata.annotations,
  }
  return world
}
