import type { DeploymentProblem, EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { Waiting } from '../../domain/base/errors.ts'
import type { Observed } from '../../kube/loop/status.ts'

type DeploymentStatus = Observed<typeof EnvironmentDeployment>

/** What a deployment says until it has waited long enough to say more. */
export const provisioningMessage = 'provisioning'
const maxNames = 3

/** The resources that a deployment waits for. */
interface PendingResources {
  /** How many resources the environment uses. */
  readonly total: number
  readonly problems: readonly DeploymentProblem[]
}

interface Message {
  readonly message: string
  readonly at: number
}

/**
 * Says what running deployments wait for. A new message is a write of the status, and needs a look at every resource. So a
 * deployment says it after its first seconds, which most do not outlast, and anew at most every half minute.
 */
export class DeploymentWaits {
  readonly #messages = new Map<string, Message>()
  readonly #seconds: { readonly first: number; readonly next: number }

  /** By then, a resource that waits has its reason in its status. */
  constructor(seconds = { first: 5, next: 30 }) {
    this.#seconds = seconds
  }

  /** Returns the error to throw while a deployment waits; `pending` looks at its resources. */
  errorFor(uid: string, status: DeploymentStatus, pending: () => PendingResources): Waiting {
    const now = performance.now()
    const known = this.#messages.get(uid) ?? { message: provisioningMessage, at: now }
    const isDue = this.#messages.has(uid) && this.#dueAt(known) <= now
    const latest = isDue ? { message: messageOf(pending()), at: now } : known
    this.#messages.set(uid, latest)
    return new Waiting('Progressing', latest.message, (this.#dueAt(latest) - now) / 1000, status)
  }

  forget(uid: string): void {
    this.#messages.delete(uid)
  }

  /** When the next message is due, in milliseconds of `performance.now`. */
  #dueAt({ message, at }: Message): number {
    const { first, next } = this.#seconds
    return at + (message === provisioningMessage ? first : next) * 1000
  }
}

/** Names the resources first that do not wait for another one. */
function messageOf({ total, problems }: PendingResources): string {
  if (problems.length === 0) return provisioningMessage
  const isCause = ({ reason }: DeploymentProblem) => reason !== 'DependencyNotReady'
  const shown = [...problems.filter(isCause), ...problems.filter((each) => !isCause(each))].slice(0, maxNames)
  const names = shown.map(({ object, reason }) => `${object}: ${reason}`)
  const more = problems.length - shown.length
  const list = [...names, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
  return `waiting for ${problems.length} of ${total} resources: ${list}`
}
