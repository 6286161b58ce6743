import { ActiveResource } from '../../api/active-resource.ts'
import { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { Stalled, Waiting } from '../../domain/base/errors.ts'
import { isPresent } from '../../domain/base/object-problem.ts'
import { isFinished } from '../../domain/deployment/deployment.ts'
import { unfinishedBefore } from '../../domain/deployment/deployment-order.ts'
import { environmentKeyOf } from '../../kube/cache/kinds-in-store.ts'
import type { Controller, ReconcileContext } from '../../kube/loop/controller.ts'
import type { Observed } from '../../kube/loop/status.ts'
import { waitForDeployment } from '../shared/unfinished-deployments.ts'
import { DeploymentDeadlines } from './deployment-deadline.ts'
import { environmentOf } from './deployment-environment.ts'
import { failure, finalError, finalStatus, reportedStatus } from './deployment-failure.ts'
import { endOfEarlierRun, finalizeDeployment } from './deployment-record.ts'
import { DeploymentStarts, type DeploymentTools, startRetrySeconds, timeAt } from './deployment-starts.ts'
import { DeploymentWaits, provisioningMessage } from './deployment-waits.ts'
import { deploymentWatches } from './deployment-watches.ts'
import { problemsOf } from './resource-problems.ts'
import {
  deploymentsBeside,
  RunningDeployments,
  type Start,
  WaitingDeployments,
} from './running-deployments.ts'

type DeploymentStatus = Observed<typeof EnvironmentDeployment>
type Context = ReconcileContext<typeof EnvironmentDeployment>

/** Plans a deployment, writes all its resources at once, and ends when they are ready or one failed. */
export function environmentDeploymentController(
  tools: DeploymentTools,
): Controller<typeof EnvironmentDeployment> {
  const reconciler = new DeploymentReconciler(tools)
  return {
    kind: EnvironmentDeployment,
    isRun: true,
    watches: reconciler.watches,
    reconcile: (deployment, context) => reconciler.reconcile(deployment, context),
    finalize: (deployment) => finalizeDeployment(deployment, tools),
  }
}

class DeploymentReconciler {
  readonly #tools: DeploymentTools
  readonly #running = new RunningDeployments()
  readonly #waiting = new WaitingDeployments()
  readonly #waits = new DeploymentWaits()
  readonly #deadlines: DeploymentDeadlines
  readonly #starts: DeploymentStarts

  constructor(tools: DeploymentTools) {
    this.#tools = tools
    const { cluster } = tools
    this.#deadlines = new DeploymentDeadlines(tools, (each) => deploymentsBeside(cluster.store, each))
    this.#starts = new DeploymentStarts(tools, this.#waiting)
  }

  get watches() {
    return [
      this.#deadlines.watch,
      ...deploymentWatches({ ...this.#tools, running: this.#running, waiting: this.#waiting }, (deleted) =>
        this.#forget(deleted),
      ),
    ]
  }

  async reconcile(deployment: EnvironmentDeployment, context: Context): Promise<DeploymentStatus> {
    if (isFinished(deployment)) return finalStatus(deployment)
    this.#deadlines.start(deployment)
    try {
      const status = await this.#run(deployment, context)
      this.#forget(deployment)
      return status
    } catch (error) {
      const bounded = this.#deadlines.bounded(deployment, error)
      if (!(bounded instanceof Stalled)) throw bounded
      const lastStatus = reportedStatus(this.#tools.cluster.store, deployment)
      this.#forget(deployment)
      throw finalError(bounded, { lastStatus, finishTime: this.#endAfter(lastStatus) })
    }
  }

  /**
   * 1. environmentOf: throws Waiting without the environment, and Stalled once it ends.
   * 2. endOfEarlierRun: returns the end of a deployment that ran before it was deleted and created again.
   * 3. awaitTurn: throws Waiting while another deployment to the environment runs.
   * 4. start: plans and writes the resources, once per process; safe to repeat.
   * 5. outcome: throws Waiting until all resources are ready or one failed. Starts again when one is missing then.
   */
  async #run(deployment: EnvironmentDeployment, context: Context): Promise<DeploymentStatus> {
    const ended = endOfEarlierRun(environmentOf(this.#tools.cluster.store, deployment), deployment)
    const known = this.#running.startOf(deployment)
    if (ended) return ended
    this.#awaitTurn(deployment)
    const start = known ?? (await this.#starts.start(deployment, context))
    if (!start.status.startTime) return start.status
    this.#running.add(deployment, start)
    const outcome = this.#outcome(deployment, start)
    if (outcome.problems) throw failure(outcome)
    return outcome
  }

  #outcome(deployment: EnvironmentDeployment, { status, needs }: Start): DeploymentStatus {
    const { cluster, progress, renewals, attempts } = this.#tools
    const environmentKey = environmentKeyOf(deployment)
    const { ready, pending, failed } = progress.of(environmentKey)
    const findProblems = (which: 'failed' | 'pending') =>
      problemsOf(which, environmentKey, { store: cluster.store, renewals, attempts })
    if (pending + failed + renewals.pendingIn(environmentKey) === 0) {
      if (!needs.every((name) => this.#isThere(deployment, name))) this.#startAgain(deployment, status)
      return { ...status, finishTime: this.#endAfter(status) }
    }
    if (failed === 0 && this.#deadlines.remaining(deployment) > 0)
      throw this.#waits.errorFor(deployment.metadata.uid, status, () => ({
        total: ready + pending,
        problems: findProblems('pending'),
      }))
    return { ...status, problems: findProblems(failed > 0 ? 'failed' : 'pending') }
  }

  #isThere({ metadata }: EnvironmentDeployment, name: string): boolean {
    return isPresent(this.#tools.cluster.store.get(ActiveResource, metadata.namespace, name))
  }

  /** A resource that was deleted meanwhile is created again, as after a restart. */
  #startAgain(deployment: EnvironmentDeployment, status: DeploymentStatus): never {
    this.#running.remove(deployment)
    throw new Waiting('Progressing', provisioningMessage, startRetrySeconds, status)
  }

  /** Not before the start, although the clock may have been set back, or belong to another API server. */
  #endAfter({ startTime = '' }: DeploymentStatus = {}): string {
    const now = timeAt(this.#tools.serverNow())
    return Date.parse(startTime) > Date.parse(now) ? startTime : now
  }

  #awaitTurn(deployment: EnvironmentDeployment): void {
    // The one directly before it, which stays the same: if all named the first, all would be written whenever that ends.
    const other = unfinishedBefore(deploymentsBeside(this.#tools.cluster.store, deployment), deployment)
    if (other) throw waitForDeployment(other.metadata.name)
  }

  #forget(deployment: EnvironmentDeployment): void {
    this.#deadlines.stop(deployment)
    this.#running.remove(deployment)
    this.#waiting.remove(deployment)
    this.#waits.forget(deployment.metadata.uid)
    this.#tools.renewals.end(environmentKeyOf(deployment), deployment.metadata.uid)
  }
}
