import { Environment } from '../../api/environment.ts'
import { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { type Kind, newObject, type ObjectOf } from '../../api/kind.ts'
import { annotations, apiVersion } from '../../api/names.ts'
import { Webhook, WebhookCall } from '../../api/webhook.ts'
import {
  type Occurrence,
  occurrencesOfDeployment,
  occurrencesOfEnvironment,
} from '../../domain/deployment/events.ts'
import { asksFor, callName, isOlderBySecond, isOlderByTime } from '../../domain/deployment/webhook.ts'
import { versionOf } from '../../kube/cache/cache.ts'
import { createCacheBarrier } from '../../kube/cache/cache-barrier.ts'
import { type Cluster, isGone } from '../../kube/cache/cluster.ts'
import { compacted, createFirstVersions, objectAt } from '../../kube/cache/history.ts'
import { scoped } from '../../kube/cache/kinds-in-store.ts'
import { isAlreadyExists, isNamespaceTerminating } from '../../kube/client/client.ts'
import { createQueue } from '../../kube/loop/queue.ts'
import type { Log } from '../../log.ts'
import { inParallel } from '../shared/parallel.ts'

/** Few at a time: whoever deploys goes first. */
const announcersAtOnce = 4
const callsAtOnce = 1
const retryMs = 2000

/** What makes a call for each webhook out of what happened to environments and deployments. */
export interface Dispatcher {
  /** Tells of all that happened to an environment and its deployments, its deletion included; for its last moment. */
  notifyLast(environment: Environment): Promise<void>
  stop(): Promise<void>
}

type Announced = typeof Environment | typeof EnvironmentDeployment

/**
 * Objects are the outbox: what happened stands in them, calls have names that follow from it, and only when all are
 * written is the event marked as told. So a crash neither loses nor repeats one.
 */
export function startDispatcher(
  cluster: Cluster,
  { log, isActive }: { readonly log: Log; readonly isActive: () => boolean },
): Dispatcher {
  const { store, client } = cluster
  const firstVersionOf = createFirstVersions(store.cacheOf(Webhook))
  const awaitCache = createCacheBarrier(cluster, [Webhook])
  const queue = createQueue(announcersAtOnce, work)

  async function work(key: string): Promise<void> {
    if (!isActive()) return
    const [namespace = '', kind = '', name = ''] = key.split('/')
    if (!store.isOrganization(namespace)) return
    try {
      if (kind === Environment.kind) {
        const environment = store.get(Environment, namespace, name)
        if (environment && !environment.metadata.deletionTimestamp) await notify(Environment, environment)
        return
      }
      const deployment = store.get(EnvironmentDeployment, namespace, name)
      if (deployment) await notify(EnvironmentDeployment, deployment)
    } catch (error) {
      log.warn('could not announce what happened', { key, error })
      queue.addAfter(key, retryMs)
    }
  }

  async function notify<K extends Announced>(kind: K, object: ObjectOf<K>, isLast = false): Promise<void> {
    const { namespace = '' } = object.metadata
    // Without webhooks there is nothing to remember: one that is heard of later looks for what it missed.
    if (!isLast && store.list(Webhook, namespace).length === 0) return
    const notified = notifiedIn(object)
    const news = occurrencesOf(kind, object).filter((each) => !notified.includes(each.type))
    if (news.length === 0) return
    // Watches do not keep step: a webhook that is older than what happened may not be known yet.
    await awaitCache(namespace)
    if (store.list(Webhook, namespace).length === 0) return
    for (const each of news) await writeCalls(kind, object, each)
    await mark(kind, object, [...notified, ...news.map(({ type }) => type)])
  }

  async function writeCalls<K extends Announced>(kind: K, object: ObjectOf<K>, occurrence: Occurrence) {
    const index = scoped(object, occurrence.applicationName)
    const webhooks = store.byIndex(Webhook, 'application', index).filter((each) => asksFor(each, occurrence))
    await inParallel(
      webhooks,
      async (each) => {
        if (await isOlder(each, kind, object, occurrence)) await writeCall(each, occurrence)
      },
      callsAtOnce,
    )
  }

  /** Whether a webhook was made before something happened to an object, by the order of writes to the API server. */
  async function isOlder<K extends Announced>(
    webhook: Webhook,
    kind: K,
    object: ObjectOf<K>,
    occurrence: Occurrence,
  ): Promise<boolean> {
    const byTime = isOlderByTime(webhook, occurrence)
    if (byTime !== undefined) return byTime
    const created = createdVersionOf(webhook)
    if (created > versionOf(object)) return false
    const then = await objectAt(client, kind, object.metadata, created)
    if (then === compacted) return isOlderBySecond(webhook, occurrence)
    return !then || !occurrencesOf(kind, then).some(({ id }) => id === occurrence.id)
  }

  function createdVersionOf(webhook: Webhook): bigint {
    const { createdVersion } = webhook.status ?? {}
    return createdVersion === undefined ? firstVersionOf(webhook) : BigInt(createdVersion)
  }

  /** Whether the webhook may be older than something that no webhook was told of. */
  function mayHaveMissed<K extends Announced>(webhook: Webhook, kind: K, object: ObjectOf<K>): boolean {
    if (createdVersionOf(webhook) > versionOf(object)) return false
    const told = notifiedIn(object)
    const news = occurrencesOf(kind, object).filter((each) => !told.includes(each.type))
    return news.some((each) => asksFor(webhook, each) && isOlderByTime(webhook, each) !== false)
  }

  async function writeCall(webhook: Webhook, occurrence: Occurrence): Promise<void> {
    const { namespace = '', name, uid = '' } = webhook.metadata
    const call = callName(webhook, occurrence)
    if (store.get(WebhookCall, namespace, call)) return
    const ownerReferences = [{ apiVersion, kind: Webhook.kind, name, uid }]
    const { id, scope, type, variables } = occurrence
    const spec = { webhookName: name, eventId: id, event: `${scope}.${type}`, variables: { ...variables } }
    try {
      await cluster.create(
        WebhookCall,
        newObject(WebhookCall, { name: call, namespace, ownerReferences }, spec),
      )
    } catch (error) {
      // A namespace that is going takes no call, and a webhook that went needs none.
      if (isAlreadyExists(error) || isGone(error) || isNamespaceTerminating(error)) return
      throw error
    }
  }

  async function mark<K extends Announced>(
    kind: K,
    object: ObjectOf<K>,
    told: readonly string[],
  ): Promise<void> {
    const { uid } = object.metadata
    try {
      const metadata = { uid, annotations: { [annotations.notified]: told.join(',') } }
      await cluster.patch(kind, object, { metadata })
    } catch (error) {
      if (!isGone(error)) throw error
    }
  }

  // The namespace first: organizations take turns.
  const keyFor = ({ kind }: Announced, { metadata: { namespace = '', name } }: ObjectOf<Announced>) =>
    `${namespace}/${kind}/${name}`
  for (const kind of [Environment, EnvironmentDeployment] as readonly Announced[]) {
    const cache = store.cacheOf<Kind>(kind)
    cache.subscribe(({ before, after }) => {
      if (after && store.list(Webhook, after.metadata.namespace ?? '').length > 0 && isNews(before, after))
        queue.add(keyFor(kind, after as ObjectOf<Announced>)) // of the cache of its kind
    })
    for (const object of cache.all()) queue.add(keyFor(kind, object as ObjectOf<Announced>))
    // Watches do not keep step: what happened after the webhook was made may have been seen before it.
    store.cacheOf(Webhook).subscribe(({ before, after }) => {
      if (!after || before) return
      for (const object of store.list(kind, after.metadata.namespace ?? ''))
        if (mayHaveMissed(after, kind, object as ObjectOf<Announced>))
          queue.add(keyFor(kind, object as ObjectOf<Announced>))
    })
  }

  return {
    async notifyLast(environment) {
      const { name } = environment.metadata
      const deployments = store.byIndex(EnvironmentDeployment, 'environment', scoped(environment, name))
      await inParallel(deployments, (each) => notify(EnvironmentDeployment, each, true), callsAtOnce)
      await notify(Environment, environment, true)
    },
    stop: () => queue.stop(),
  }
}

function occurrencesOf<K extends Announced>(kind: K, object: ObjectOf<K>): Occurrence[] {
  return kind === Environment
    ? occurrencesOfEnvironment(object as Environment) // as its kind says
    : occurrencesOfDeployment(object as EnvironmentDeployment)
}

function notifiedIn({ metadata }: ObjectOf<Announced>): string[] {
  return (metadata.annotations?.[annotations.notified] ?? '').split(',').filter(Boolean)
}

function isNews(
  before: { readonly status?: unknown } | undefined,
  after: { readonly status?: unknown },
): boolean {
  return !before || before.status !== after.status
}
