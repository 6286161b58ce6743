import type { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { clockDifferenceMs } from '../../domain/base/creation-time.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { nextToRun } from '../../domain/deployment/deployment-order.ts'
import { keyOf } from '../../kube/client/resource.ts'
import type { Watch } from '../../kube/loop/controller.ts'
import { type Observed, statusOfError } from '../../kube/loop/status.ts'
import { failure } from './deployment-failure.ts'

/** Longest delay of a timer, in milliseconds. */
const maxDelayMs = 2 ** 31 - 1

/** Ends each deployment within its time limit, counted from its creation or from the end of the deployment before it. */
export class DeploymentDeadlines {
  readonly #timeoutSeconds: number
  readonly #serverNow: () => number
  readonly #deploymentsBeside: (deployment: EnvironmentDeployment) => readonly EnvironmentDeployment[]
  readonly #timers = new Map<string, NodeJS.Timeout>()
  #enqueue: (keys: readonly string[]) => void = () => {}

  /** `serverNow` is the clock of the API server, which all times of deployments are of. */
  constructor(
    { timeoutSeconds, serverNow }: { readonly timeoutSeconds: number; serverNow(): number },
    deploymentsBeside: (deployment: EnvironmentDeployment) => readonly EnvironmentDeployment[],
  ) {
    this.#timeoutSeconds = timeoutSeconds
    this.#serverNow = serverNow
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

  /** Returns the seconds that remain; infinite while the deployment waits for another one. */
  remaining(deployment: EnvironmentDeployment): number {
    const { uid, creationTimestamp } = deployment.metadata
    const others = this.#deploymentsBeside(deployment).filter(({ metadata }) => metadata.uid !== uid)
    if (nextToRun([...others, deployment]) !== deployment) return Number.POSITIVE_INFINITY
    // A deployment waits only for those that end before it starts. Both times may be of different API servers.
    const begun = Date.parse(deployment.status?.startTime ?? '') || Number.POSITIVE_INFINITY
    const ends = others
      .map(({ status }) => Date.parse(status?.finishTime ?? ''))
      .filter((end) => end <= begun + clockDifferenceMs)
    const since = Math.max(Date.parse(creationTimestamp), ...ends)
    return this.#timeoutSeconds - (this.#serverNow() - since) / 1000
  }

  /** Starts the timer of a deployment. */
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

  /** Returns the error to throw: after the deadline, the failure of the deployment. */
  bounded(deployment: EnvironmentDeployment, error: unknown): unknown {
    if (error instanceof Stalled || this.remaining(deployment) > 0) return error
    const observed: Observed<typeof EnvironmentDeployment> = statusOfError(error) ?? deployment.status ?? {}
    const cause = error instanceof Error ? error.message : String(error)
    const message = `not finished within ${this.#timeoutSeconds} seconds: ${cause}`
    return failure({ ...observed, problems: [{ object: '', reason: 'DeadlineExceeded', message }] })
  }
}
