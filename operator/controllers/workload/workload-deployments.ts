import { Environment } from '../../api/environment.ts'
import { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { newObject, type ObjectMeta } from '../../api/kind.ts'
import { annotations, finalizer } from '../../api/names.ts'
import { Workload } from '../../api/workload.ts'
import { compareText } from '../../domain/base/json.ts'
import { truncate } from '../../domain/base/size-limits.ts'
import { type SetContent, setId } from '../../domain/delta/delta.ts'
import { byAge, isFinished, nextDeploymentNumber } from '../../domain/deployment/deployment.ts'
import { deploymentObjectName, environmentObjectName } from '../../domain/resource/identity.ts'
import { isTarget } from '../../domain/workload/targets.ts'
import type { Change } from '../../kube/cache/cache.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { environmentKeyOf, scoped } from '../../kube/cache/kinds-in-store.ts'
import { onOrganization } from '../../kube/cache/store.ts'
import { isAlreadyExists, isNamespaceTerminating, isNotFound } from '../../kube/client/api-error.ts'
import { keyOf, namespacedName } from '../../kube/client/resource.ts'
import { createBackoff } from '../../kube/loop/backoff.ts'
import { isObserved } from '../../kube/loop/outcome.ts'
import { createQueue, type WorkQueue } from '../../kube/loop/queue.ts'
import type { Log } from '../../log.ts'
import { workloadsBeside } from '../../planning/owners.ts'
import type { Planning } from '../../planning/planning.ts'
import { planInputs } from '../deployment/deployment-watches.ts'
import type { RefusedDeployments } from './refused-deployments.ts'

/** What the task that deploys Workloads depends on. */
export interface WorkloadDeploymentTools {
  readonly cluster: Cluster
  readonly planning: Planning
  /** Where Workloads read why they are not deployed. */
  readonly refusals: RefusedDeployments
  readonly log: Log
  readonly isActive: () => boolean
  /** How long the Workloads of an environment must not change before they are deployed. */
  readonly settleMs: number
  /** Workloads that keep changing are deployed after this time. */
  readonly maxSettleMs: number
}

/** Creator of these deployments, as the REST API shows it. */
const creator = 'quartermaster-workloads'

const workers = 16
const retryMs = 1000
const longestRetryMs = 30_000
const shownWorkloads = 20

/** Deploys the Workloads of an environment when their content differs from what is deployed, after a settling time. */
export function startWorkloadDeployments(tools: WorkloadDeploymentTools): { stop(): Promise<void> } {
  const task = new WorkloadDeployments(tools)
  task.start()
  return { stop: () => task.stop() }
}

/** When the Workloads of an environment changed. */
interface Changes {
  readonly first: number
  readonly last: number
}

class WorkloadDeployments {
  readonly #tools: WorkloadDeploymentTools
  readonly #queue: WorkQueue
  readonly #backoff = createBackoff({ first: retryMs, most: longestRetryMs })
  readonly #changes = new Map<string, Changes>()
  /** Environments whose failed deployment may be planned again: an input of plans or their start changed. */
  readonly #retries = new Set<string>()

  constructor(tools: WorkloadDeploymentTools) {
    this.#tools = tools
    this.#queue = createQueue(workers, (key) => this.#work(key))
  }

  start(): void {
    const { store } = this.#tools.cluster
    store.cacheOf(Workload).subscribe((change) => this.#onWorkload(change))
    store.cacheOf(Environment).subscribe(({ before, after }) => {
      if (!after || !this.#hasWorkloads(after)) return
      // It may start from another deployment now, as may a new one of the name.
      if (before?.metadata.generation !== after.metadata.generation) this.#retries.add(keyOf(after))
      this.#queue.add(keyOf(after))
    })
    store.cacheOf(EnvironmentDeployment).subscribe(({ before, after }) => {
      if (before && !isFinished(before) && (!after || isFinished(after)))
        this.#queue.add(environmentKeyOf(before))
    })
    for (const kind of planInputs)
      if (kind !== Workload)
        store.cacheOf(kind).subscribe(({ before, after }) => this.#onPlanInput((after ?? before)?.metadata))
    // Without the label of its organization, nothing is deployed.
    onOrganization(store, (namespace) => {
      for (const each of store.list(Environment, namespace)) this.#queue.add(keyOf(each))
    })
    for (const each of store.cacheOf(Environment).all()) {
      if (!this.#hasWorkloads(each)) continue
      this.#retries.add(keyOf(each))
      this.#touch(keyOf(each))
    }
  }

  async stop(): Promise<void> {
    await this.#queue.stop()
  }

  /** A new spec, a deletion or a new record in the status changes what is deployed. */
  #onWorkload({ before, after }: Change<Workload>): void {
    const recordOf = (each: Workload | undefined) =>
      JSON.stringify([
        each?.status?.observedGeneration,
        each?.status?.environments?.map(({ environmentId, contentHash }) => [environmentId, contentHash]),
      ])
    const isSame =
      before?.metadata.generation === after?.metadata.generation &&
      before?.metadata.deletionTimestamp === after?.metadata.deletionTimestamp &&
      recordOf(before) === recordOf(after)
    if (isSame) return
    for (const key of new Set([before, after].flatMap((each) => (each ? this.#environmentsOf(each) : []))))
      this.#touch(key)
  }

  #environmentsOf(workload: Workload): string[] {
    const { applicationName } = workload.spec
    const recorded = workload.status?.environments?.map(({ environmentId }) =>
      scoped(workload, environmentObjectName(applicationName, environmentId)),
    )
    const targets = this.#tools.cluster.store
      .byIndex(Environment, 'application', scoped(workload, applicationName))
      .filter((each) => isTarget(workload, each))
    return [...(recorded ?? []), ...targets.map(keyOf)]
  }

  #touch(key: string): void {
    const now = performance.now()
    const { first = now } = this.#changes.get(key) ?? {}
    this.#changes.set(key, { first, last: now })
    this.#queue.addAfter(key, this.#tools.settleMs)
  }

  #onPlanInput(metadata: ObjectMeta | undefined): void {
    const { store } = this.#tools.cluster
    if (store.cacheOf(Workload).size === 0) return
    for (const each of store.list(Environment, metadata?.namespace ?? '')) {
      if (!this.#hasWorkloads(each)) continue
      this.#retries.add(keyOf(each))
      this.#queue.addAfter(keyOf(each), this.#tools.settleMs)
    }
  }

  #hasWorkloads(environment: Environment): boolean {
    const { store } = this.#tools.cluster
    const index = scoped(environment, environment.spec.applicationName)
    return store.cacheOf(Workload).anyByIndex('application', index)
  }

  async #work(key: string): Promise<void> {
    const { cluster, isActive } = this.#tools
    const environment = cluster.store.get(Environment, ...namespacedName(key))
    if (!environment || environment.metadata.deletionTimestamp) {
      this.#noteSuccess(key)
      return this.#forget(key)
    }
    if (!isActive() || !cluster.store.isOrganization(environment.metadata.namespace)) return
    const left = this.#settlingTime(environment, key)
    if (left > 0) return this.#queue.addAfter(key, left)
    try {
      await this.#deploy(environment, key)
      this.#noteSuccess(key)
    } catch (error) {
      if (isNotFound(error) || isNamespaceTerminating(error)) return
      // A deployment of another client took the name, and runs first.
      this.#queue.addAfter(key, isAlreadyExists(error) ? retryMs : this.#noteFailure(environment, key, error))
    }
  }

  #noteSuccess(key: string): void {
    this.#backoff.reset(key)
    this.#tools.refusals.forget(key)
  }

  /** Milliseconds until the next attempt. */
  #noteFailure(environment: Environment, key: string, error: unknown): number {
    const { log, refusals } = this.#tools
    log.warn('could not deploy the Workloads of an environment', { key, error })
    refusals.note(environment, error)
    return this.#backoff.delayAfter(this.#backoff.fail(key))
  }

  /** Milliseconds until the Workloads of the environment count as settled, and their statuses record what they say. */
  #settlingTime(environment: Environment, key: string): number {
    const { settleMs, maxSettleMs, cluster } = this.#tools
    const changes = this.#changes.get(key)
    if (!changes) return 0
    const latest = changes.first + maxSettleMs
    const isRecorded = workloadsBeside(cluster.store, environment).every(
      (each) => each.metadata.deletionTimestamp || isObserved(each) || !isTarget(each, environment),
    )
    return Math.min(isRecorded ? changes.last + settleMs : latest, latest) - performance.now()
  }

  /** Creates a deployment if the Workloads differ from what is deployed, and nothing else is running. */
  async #deploy(environment: Environment, key: string): Promise<void> {
    const { cluster, planning } = this.#tools
    if (!this.#hasWorkloads(environment)) return this.#forget(key)
    const deployments = [...cluster.store.byIndex(EnvironmentDeployment, 'environment', key)].sort(byAge)
    // Its end enqueues the environment again.
    if (deployments.some((each) => !isFinished(each))) return
    const deployed = planning.deployedSet(environment)
    if (!deployed) return this.#queue.addAfter(key, retryMs)
    const folded = planning.foldInto(environment, deployed)
    const { set } = folded
    const wanted = folded.id()
    const isDeployed = wanted === setId(deployed)
    const isTried = !isDeployed && this.#isTried(environment, set, wanted, deployments)
    const isRetry = this.#retries.has(key)
    this.#forget(key)
    if (isDeployed || isTried) return
    const { namespace, name } = environment.metadata
    const metadata = {
      namespace,
      // A deployment over REST at the same moment takes the same number, so only one of them is created.
      name: deploymentObjectName(name, nextDeploymentNumber(environment, deployments)),
      finalizers: [finalizer],
      annotations: { [annotations.createdBy]: creator, [annotations.triggeredBy]: creator },
    }
    const comment = this.#commentFor(environment)
    const spec = { environmentName: name, workloads: wanted, comment }
    try {
      await cluster.create(EnvironmentDeployment, newObject(EnvironmentDeployment, metadata, spec))
    } catch (error) {
      if (isRetry) this.#retries.add(key)
      throw error
    }
  }

  /** Whether the newest deployment failed to plan this content, and nothing changed since that could help. */
  #isTried(
    environment: Environment,
    set: SetContent,
    wanted: string,
    deployments: readonly EnvironmentDeployment[],
  ): boolean {
    const newest = deployments.findLast(({ spec }) => spec.workloads !== undefined)
    if (newest?.spec.workloads !== wanted || newest.status?.startTime) return false
    if (!this.#retries.has(keyOf(environment))) return true
    return this.#tools.planning.planFor(environment, set).problems.length > 0
  }

  #commentFor(environment: Environment): string {
    const owners = this.#tools.planning.ownersIn(environment)
    const names = owners.map(({ workloadName }) => workloadName).sort(compareText)
    const more = names.length > shownWorkloads ? ` and ${names.length - shownWorkloads} more` : ''
    return truncate(`Workloads ${names.slice(0, shownWorkloads).join(', ')}${more}`, 8192)
  }

  #forget(key: string): void {
    this.#changes.delete(key)
    this.#retries.delete(key)
  }
}
