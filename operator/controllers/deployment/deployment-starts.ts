import type { Environment } from '../../api/environment.ts'
import type { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { Waiting } from '../../domain/base/errors.ts'
import { sameJson } from '../../domain/base/json.ts'
import { type Plan, summarize } from '../../domain/plan/plan.ts'
import { formatDescriptor } from '../../domain/resource/descriptor.ts'
import { namesNamespace } from '../../domain/resource/identity.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import type { Counter } from '../../kube/cache/counter.ts'
import { environmentKeyOf } from '../../kube/cache/kinds-in-store.ts'
import { inParallel } from '../../kube/client/parallel.ts'
import { hasFinalizer } from '../../kube/client/resource.ts'
import type { ReconcileContext } from '../../kube/loop/controller.ts'
import type { Observed } from '../../kube/loop/status.ts'
import type { Planning } from '../../planning/planning.ts'
import type { Installation } from '../shared/installation-key.ts'
import type { NewResources } from '../shared/new-resources.ts'
import type { OngoingStarts } from '../shared/ongoing-starts.ts'
import type { Renewals } from '../shared/renewals.ts'
import type { ResourceProgress } from '../shared/resource-progress.ts'
import { createSecretReader } from '../shared/secrets.ts'
import { waitForDeployment } from '../shared/unfinished-deployments.ts'
import type { Dispatcher } from '../webhook/dispatcher.ts'
import { environmentOf } from './deployment-environment.ts'
import { awaitSource, failIfRejected, planningFailure } from './deployment-failure.ts'
import { planDeployment } from './deployment-plan.ts'
import { createRecordWait, endOfEarlierRun } from './deployment-record.ts'
import { IncompatibleDelta, resolveSource, restoreSet, SourceNotFound } from './deployment-source.ts'
import { provisioningMessage } from './deployment-waits.ts'
import { createInputBarrier } from './input-barrier.ts'
import { renewedBy } from './renewed-resources.ts'
import type { Start, WaitingDeployments } from './running-deployments.ts'
import { needsWrite, writeResource } from './write-resource.ts'

/** A start takes some milliseconds, and may fail without an event. */
export const startRetrySeconds = 0.1

type DeploymentStatus = Observed<typeof EnvironmentDeployment>
type Context = ReconcileContext<typeof EnvironmentDeployment>

/** What the controller of deployments depends on. */
export interface DeploymentTools {
  readonly cluster: Cluster
  readonly installation: Installation
  readonly progress: Counter<ResourceProgress>
  readonly renewals: Renewals
  readonly newResources: NewResources
  readonly starts: OngoingStarts
  readonly planning: Planning
  readonly dispatcher: Pick<Dispatcher, 'notifyDeleted'>
  readonly attempts: number
  readonly timeoutSeconds: number
  readonly settleSeconds: number
  /** Milliseconds since 1970 by the clock of the API server. */
  readonly serverNow: () => number
}

/** Plans deployments, and writes their resources. */
export class DeploymentStarts {
  readonly #tools: DeploymentTools
  readonly #waiting: WaitingDeployments
  /** Name of the deployment that is planned at this moment, by the key of its environment. */
  readonly #starting = new Map<string, string>()
  readonly #waitForInputs: (deployment: EnvironmentDeployment) => Promise<void>
  readonly #waitForRecord: ReturnType<typeof createRecordWait>

  constructor(tools: DeploymentTools, waiting: WaitingDeployments) {
    this.#tools = tools
    this.#waiting = waiting
    this.#waitForInputs = createInputBarrier(tools.cluster)
    this.#waitForRecord = createRecordWait(tools.cluster)
  }

  /**
   * Plans the deployment and writes its resources. The turn of a deployment that is planned at this moment is not over, although
   * it has not begun for others yet.
   */
  async start(deployment: EnvironmentDeployment, context: Context): Promise<Start> {
    const environmentKey = environmentKeyOf(deployment)
    const other = this.#starting.get(environmentKey)
    if (other !== undefined) throw waitForDeployment(other, startRetrySeconds)
    this.#starting.set(environmentKey, deployment.metadata.name)
    try {
      const { namespace } = deployment.metadata
      return await this.#tools.starts.run(namespace, () => this.#startAlone(deployment, context))
    } finally {
      this.#starting.delete(environmentKey)
    }
  }

  /**
   * 1. waitForInputs: waits for what a client defined before it deployed.
   * 2. resolveSource: finds the set; creates the DeploymentSet of a folded delta.
   * 3. plan: decides what to do with each resource; throws for problems before anything is changed.
   * 4. report: writes the set and the start time to the status.
   * 5. waitForRecord: waits until the environment records the set, which must outlive the deployment.
   * 6. restoreSet: creates the set again if the cleanup took it for unused before that.
   * 7. renewals.start: marks the existing resources that are reconciled although they are unchanged.
   * 8. writeResources: creates and updates the active resources.
   * 9. renewals.enqueue: reconciles the marked resources.
   *
   * After a crash, the next process starts again with step 1: all names are deterministic, and a resource that is
   * written already is unchanged in the new plan. It marks all resources.
   */
  async #startAlone(deployment: EnvironmentDeployment, context: Context): Promise<Start> {
    const { renewals, cluster, planning } = this.#tools
    if (!deployment.status?.startTime) await context.releaseWorker(() => this.#waitForInputs(deployment))
    const environment = environmentOf(this.#tools.cluster.store, deployment)
    const ended = endOfEarlierRun(environment, deployment)
    if (ended) return { status: ended, needs: [] }
    // An environment that ends without it leaves its deployments to a later one of the name, which would record this start.
    if (!hasFinalizer(environment))
      throw new Waiting('Progressing', 'waiting for the environment to be reconciled', startRetrySeconds)
    // Before anything is read: a later change enqueues the deployment again.
    this.#waiting.add(deployment)
    const { set, ...source } = await this.#resolveSource(deployment, environment)
    const plan = await planDeployment(deployment, environment, set, this.#tools)
    if (plan.problems.length > 0) throw planningFailure(deployment, plan.problems, source, this.#tools)
    this.#waiting.remove(deployment)
    const status = {
      ...source,
      // The plan of a later process leaves out what this deployment wrote before.
      plan: deployment.status?.plan ?? summarize(plan),
      startTime: deployment.status?.startTime ?? timeAt(this.#tools.serverNow()),
    }
    // A retry has nothing to add: what it failed with is said until it succeeds.
    if (!isRecorded(deployment, status))
      await context.report(status, provisioningMessage).catch(failIfRejected('', source))
    await context.releaseWorker(() => this.#waitForRecord(deployment, source.setName))
    await restoreSet(cluster, environment, { set, ...source })
    const environmentKey = environmentKeyOf(deployment)
    const { uid } = deployment.metadata
    const isForced = deployment.spec.mode === 'full'
    // What an earlier process wrote is unchanged in this plan.
    const isResumed = deployment.status?.startTime !== undefined
    const types = planning.typesOf(deployment.metadata.namespace)
    const marked = renewedBy(plan, { isWhole: isForced || isResumed, store: cluster.store, types })
    renewals.start(environmentKey, { uid, isForced, secrets: createSecretReader(cluster.client) }, marked)
    await this.#writeResources(deployment, plan, status, context)
    renewals.enqueue(environmentKey)
    return { status, needs: plan.steps.flatMap(({ wanted, guResId }) => (wanted ? [guResId] : [])) }
  }

  async #resolveSource(deployment: EnvironmentDeployment, environment: Environment) {
    try {
      return await resolveSource(this.#tools, deployment, environment)
    } catch (error) {
      if (error instanceof SourceNotFound) throw awaitSource(deployment, error, this.#tools)
      if (error instanceof IncompatibleDelta)
        throw planningFailure(deployment, [error.problem], {}, this.#tools)
      return failIfRejected('', {})(error)
    }
  }

  /** Writes the resource that names the namespace first: without it the others would use another namespace. */
  async #writeResources(
    deployment: EnvironmentDeployment,
    { steps }: Plan,
    status: DeploymentStatus,
    { throwIfStopping }: Pick<Context, 'throwIfStopping'>,
  ): Promise<void> {
    const changing = steps.filter(needsWrite)
    const first = changing.filter(({ descriptor }) => namesNamespace(descriptor))
    const others = changing.filter(({ descriptor }) => !namesNamespace(descriptor))
    for (const group of [first, others]) {
      await inParallel(group, async (step) => {
        throwIfStopping()
        // Throws once the environment terminates: its deletion must find no new resource.
        environmentOf(this.#tools.cluster.store, deployment)
        const object = formatDescriptor(step.descriptor)
        await writeResource(step, deployment, this.#tools).catch(failIfRejected(object, status))
      })
    }
  }
}

/** Whether the status of the deployment has these facts, and no others. */
function isRecorded(deployment: EnvironmentDeployment, facts: DeploymentStatus): boolean {
  const { conditions: _, observedGeneration: __, ...recorded } = deployment.status ?? {}
  return sameJson(recorded, facts)
}

/** A time in milliseconds by the clock of the API server, which also sets the times of creation. */
export function timeAt(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
