import type { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { byAge, isFinished } from '../../domain/deployment/deployment.ts'
import { keyOf } from '../../kube/client/resource.ts'
import type { Watch } from '../../kube/loop/controller.ts'
import type { Observed } from '../../kube/loop/status.ts'
import { statusOfError } from '../../kube/loop/status.ts'
import { failure } from './deployment-failure.ts'

/** Longest delay of a timer, in milliseconds. */
const maxDelayMs = 2 ** 31 - 1

/**
 * Ends every deployment within its time limit, whatever it waits for and whatever fails. The limit counts from its
 * creation, or from the end of the deployment that it waited for.
 */
export class DeploymentDeadlines {
  readonly #timeoutSeconds: number
  readonly #deploymentsBeside: (deployment: EnvironmentDeployment) => readonly EnvironmentDeployment[]
  readonly #timers = new Map<string, NodeJS.Timeout>()
  #enqueue: (keys: readonly string[]) => void = () => {}

  constructor(
    timeoutSeconds: number,
    deploymentsBeside: (deployment: EnvironmentDeployment) => readonly EnvironmentDeployment[],
  ) {
    this.#timeoutSeconds = timeoutSeconds
    this.#deploymentsBeside = deploymentsBeside
  }

  /** Enqueues a deployment when its time is up. */
  get watch(): Watch {
    return {
      subscribe: (enqueue) => {
        this.#enqueue = enqueue
      },
    }
  }

  /** Seconds that are left; infinite while an earlier deployment of the environment has not ended. */
  remaining(deployment: EnvironmentDeployment): number {
    const earlier = this.#deploymentsBeside(deployment).filter((each) => byAge(each, deployment) < 0)
    if (earlier.some((each) => !isFinished(each))) return Number.POSITIVE_INFINITY
    const ends = earlier.flatMap(({ status }) => (status?.finishTime ? [Date.parse(status.finishTime)] : []))
    const since = Math.max(Date.parse(deployment.metadata.creationTimestamp ?? ''), ...ends)
    return this.#timeoutSeconds - (Date.now() - since) / 1000
  }

  /** Starts the clock of a deployment. */
  start(deployment: EnvironmentDeployment): void {
    const seconds = this.remaining(deployment)
    this.stop(deployment)
    if (!Number.isFinite(seconds)) return
    const key = keyOf(deployment)
    const delayMs = Math.min(Math.max(seconds, 0) * 1000, maxDelayMs)
    this.#timers.set(key, setTimeout(() => this.#enqueue([key]), delayMs).unref())
  }

  stop(deployment: EnvironmentDeployment): void {
    const key = keyOf(deployment)
    clearTimeout(this.#timers.get(key))
    this.#timers.delete(key)
  }

  /** The error that a reconcile ends with: once the time is up, the failure of the deployment. */
  bounded(deployment: EnvironmentDeployment, error: unknown): unknown {
    if (error instanceof Stalled || this.remaining(deployment) > 0) return error
    const observed: Observed<typeof EnvironmentDeployment> = statusOfError(error) ?? deployment.status ?? {}
    const cause = error instanceof Error ? error.message : String(error)
    const message = `not finished within ${this.#timeoutSeconds} seconds: ${cause}`
    return failure({ ...observed, problems: [{ object: '', reason: 'DeadlineExceeded', message }] })
  }
}
