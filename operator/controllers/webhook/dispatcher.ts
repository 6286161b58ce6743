import { Environment } from '../../api/environment.ts'
import { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { type Kind, newObject, type ObjectOf } from '../../api/kind.ts'
import { annotations, apiVersion } from '../../api/names.ts'
import { Webhook, WebhookCall } from '../../api/webhook.ts'
import { deploymentEvents, environmentEvents, type WebhookEvent } from '../../domain/deployment/events.ts'
import { callName, isOlderBySecond, isOlderByTime, isSubscribed } from '../../domain/deployment/webhook.ts'
import { type Change, versionOf } from '../../kube/cache/cache.ts'
import { createCacheBarrier } from '../../kube/cache/cache-barrier.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { compacted, createFirstVersions, objectAt } from '../../kube/cache/history.ts'
import { scoped } from '../../kube/cache/kinds-in-store.ts'
import { onOrganization } from '../../kube/cache/store.ts'
import {
  isAlreadyExists,
  isGone,
  isNamespaceTerminating,
  isNotFound,
  QuotaError,
} from '../../kube/client/api-error.ts'
import { inParallel } from '../../kube/client/parallel.ts'
import { createBackoff } from '../../kube/loop/backoff.ts'
import { createQueue, type WorkQueue } from '../../kube/loop/queue.ts'
import type { Log } from '../../log.ts'

/** Few workers, so that deployments are not slowed down. */
const workers = 4
const concurrentCalls = 1
/** A quota that has no room for calls is full for long. */
const retryMs = { first: 2000, most: 60_000 }

/** Writes a WebhookCall for each webhook that subscribes to an event of an environment or a deployment. */
export interface Dispatcher {
  /** Writes the calls for all events of a terminating environment and its deployments, the deletion included. */
  notifyLast(environment: Environment): Promise<void>
  /** Writes the calls for the events of a deployment that is being deleted. */
  notifyDeleted(deployment: EnvironmentDeployment): Promise<void>
  stop(): Promise<void>
}

/** Kinds whose status the events come from. */
type Source = typeof Environment | typeof EnvironmentDeployment

interface Options {
  readonly log: Log
  readonly isActive: () => boolean
}

/**
 * Starts the dispatcher. The status of an object is the outbox of its events: the name of a call follows from its event,
 * and the event is marked as notified after all its calls are written. So a crash neither loses nor repeats a call.
 */
export function startDispatcher(cluster: Cluster, options: Options): Dispatcher {
  const dispatcher = new WebhookDispatcher(cluster, options)
  dispatcher.start()
  return dispatcher
}

class WebhookDispatcher implements Dispatcher {
  readonly #cluster: Cluster
  readonly #options: Options
  readonly #queue: WorkQueue
  readonly #backoff = createBackoff(retryMs)
  readonly #firstVersionOf: (webhook: Webhook) => bigint
  readonly #waitForCache: (namespace: string) => Promise<void>

  constructor(cluster: Cluster, options: Options) {
    this.#cluster = cluster
    this.#options = options
    this.#queue = createQueue(workers, (key) => this.#work(key))
    this.#firstVersionOf = createFirstVersions(cluster.store.cacheOf(Webhook))
    this.#waitForCache = createCacheBarrier(cluster, [Webhook])
  }

  start(): void {
    const { store } = this.#cluster
    const webhooks = store.cacheOf(Webhook)
    for (const kind of [Environment, EnvironmentDeployment] as readonly Source[]) {
      const cache = store.cacheOf<Kind>(kind)
      cache.subscribe(({ before, after }) => {
        if (!after || !webhooks.anyIn(after.metadata.namespace)) return
        if (isStatusChanged(before, after)) this.#add(kind, after as ObjectOf<Source>) // of the cache of its kind
      })
      for (const object of cache.all()) this.#add(kind, object as ObjectOf<Source>) // of the cache of its kind
      store.cacheOf(Webhook).subscribe((change) => this.#addMissed(kind, change))
      // Without the label of its organization, an event is not sent.
      onOrganization(store, (namespace) => {
        for (const object of cache.inNamespace(namespace)) this.#add(kind, object as ObjectOf<Source>) // of the cache of its kind
      })
    }
  }

  async notifyLast(environment: Environment): Promise<void> {
    const index = scoped(environment, environment.metadata.name)
    const deployments = this.#cluster.store.byIndex(EnvironmentDeployment, 'environment', index)
    await this.#waitForCache(environment.metadata.namespace)
    await this.#unlessFull(async () => {
      await inParallel(
        deployments,
        (each) => this.#notify(EnvironmentDeployment, each, true),
        concurrentCalls,
      )
      await this.#notify(Environment, environment, true)
    })
  }

  async notifyDeleted(deployment: EnvironmentDeployment): Promise<void> {
    await this.#unlessFull(() => this.#notify(EnvironmentDeployment, deployment))
  }

  stop(): Promise<void> {
    return this.#queue.stop()
  }

  /** A deletion does not wait for room in a quota. */
  async #unlessFull(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof QuotaError)) throw error
      this.#options.log.warn('events are lost: a quota has no room for webhook calls', { error })
    }
  }

  #add({ kind }: Source, { metadata: { namespace, name } }: ObjectOf<Source>): void {
    // The queue takes the first part for the group that shares the workers fairly.
    this.#queue.add(`${namespace}/${kind}/${name}`)
  }

  /** Enqueues objects with events after the creation of a new webhook: their watch may be ahead of that of webhooks. */
  #addMissed(kind: Source, { before, after: webhook }: Change<Webhook>): void {
    if (!webhook || before) return
    for (const each of this.#cluster.store.list<Kind>(kind, webhook.metadata.namespace)) {
      const object = each as ObjectOf<Source> // of this kind
      if (this.#mayHaveMissed(webhook, kind, object)) this.#add(kind, object)
    }
  }

  #mayHaveMissed<K extends Source>(webhook: Webhook, kind: K, object: ObjectOf<K>): boolean {
    if (this.#createdVersionOf(webhook) > versionOf(object)) return false
    return newOccurrencesOf(kind, object).some(
      (each) => isSubscribed(webhook, each) && isOlderByTime(webhook, object, each) !== false,
    )
  }

  async #work(key: string): Promise<void> {
    const { store } = this.#cluster
    const { isActive, log } = this.#options
    const [namespace = '', kind = '', name = ''] = key.split('/')
    if (!isActive() || !store.isOrganization(namespace)) return this.#backoff.reset(key)
    try {
      if (kind === Environment.kind) {
        const environment = store.get(Environment, namespace, name)
        if (environment && !environment.metadata.deletionTimestamp)
          await this.#notify(Environment, environment)
      } else {
        const deployment = store.get(EnvironmentDeployment, namespace, name)
        if (deployment) await this.#notify(EnvironmentDeployment, deployment)
      }
      this.#backoff.reset(key)
    } catch (error) {
      log.warn('could not write webhook calls', { key, error })
      this.#queue.addAfter(key, this.#backoff.delayAfter(this.#backoff.fail(key)))
    }
  }

  async #notify<K extends Source>(kind: K, object: ObjectOf<K>, isLast = false): Promise<void> {
    const { namespace } = object.metadata
    const hasWebhooks = () => this.#cluster.store.cacheOf(Webhook).anyIn(namespace)
    // A webhook that the cache does not have yet enqueues the objects that it missed.
    if (!hasWebhooks()) return
    const occurrences = newOccurrencesOf(kind, object)
    if (occurrences.length === 0) return
    if (!isLast) await this.#waitForCache(namespace)
    if (!hasWebhooks()) return
    for (const each of occurrences) await this.#writeCalls(kind, object, each)
    await this.#markNotified(kind, object, occurrences)
  }

  async #writeCalls<K extends Source>(kind: K, object: ObjectOf<K>, occurrence: WebhookEvent): Promise<void> {
    const index = scoped(object, occurrence.applicationName)
    const webhooks = this.#cluster.store.byIndex(Webhook, 'application', index)
    await inParallel(
      webhooks.filter((each) => isSubscribed(each, occurrence)),
      async (each) => {
        if (await this.#isOlder(each, kind, object, occurrence)) await this.#writeCall(each, occurrence)
      },
      concurrentCalls,
    )
  }

  /** Whether a webhook is older than an event, by the order of writes to the API server. */
  async #isOlder<K extends Source>(
    webhook: Webhook,
    kind: K,
    object: ObjectOf<K>,
    occurrence: WebhookEvent,
  ): Promise<boolean> {
    const byTime = isOlderByTime(webhook, object, occurrence)
    if (byTime !== undefined) return byTime
    const created = this.#createdVersionOf(webhook)
    if (created > versionOf(object)) return false
    const then = await objectAt(this.#cluster.client, kind, object.metadata, created)
    if (then === compacted) return isOlderBySecond(webhook, occurrence)
    return !then || !occurrencesOf(kind, then).some(({ id }) => id === occurrence.id)
  }

  #createdVersionOf(webhook: Webhook): bigint {
    const { createdVersion } = webhook.status ?? {}
    return createdVersion === undefined ? this.#firstVersionOf(webhook) : BigInt(createdVersion)
  }

  async #writeCall(webhook: Webhook, occurrence: WebhookEvent): Promise<void> {
    const { namespace, name, uid } = webhook.metadata
    const call = callName(webhook, occurrence)
    if (this.#cluster.store.get(WebhookCall, namespace, call)) return
    const { id, scope, type, variables } = occurrence
    const object = newObject(
      WebhookCall,
      { name: call, namespace, ownerReferences: [{ apiVersion, kind: Webhook.kind, name, uid }] },
      { webhookName: name, eventId: id, event: `${scope}.${type}`, variables: { ...variables } },
    )
    try {
      await this.#cluster.create(WebhookCall, object)
    } catch (error) {
      // A terminating namespace accepts no call, and a deleted webhook needs none.
      if (isAlreadyExists(error) || isNotFound(error) || isNamespaceTerminating(error)) return
      throw error
    }
  }

  async #markNotified<K extends Source>(
    kind: K,
    object: ObjectOf<K>,
    occurrences: readonly WebhookEvent[],
  ): Promise<void> {
    const { uid } = object.metadata
    const types = [...notifiedTypesOf(object), ...occurrences.map(({ type }) => type)]
    try {
      const metadata = { uid, annotations: { [annotations.notified]: types.join(',') } }
      await this.#cluster.patch(kind, object, { metadata })
    } catch (error) {
      if (!isGone(error)) throw error
    }
  }
}

function newOccurrencesOf<K extends Source>(kind: K, object: ObjectOf<K>): WebhookEvent[] {
  const notified = notifiedTypesOf(object)
  return occurrencesOf(kind, object).filter((each) => !notified.includes(each.type))
}

function occurrencesOf<K extends Source>(kind: K, object: ObjectOf<K>): WebhookEvent[] {
  return kind === Environment
    ? environmentEvents(object as Environment) // as its kind says
    : deploymentEvents(object as EnvironmentDeployment)
}

function notifiedTypesOf({ metadata }: ObjectOf<Source>): string[] {
  return (metadata.annotations?.[annotations.notified] ?? '').split(',').filter(Boolean)
}

function isStatusChanged(
  before: { readonly status?: unknown } | undefined,
  after: { readonly status?: unknown },
): boolean {
  return !before || before.status !== after.status
}
