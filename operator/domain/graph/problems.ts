import { type DeploymentProblem, longestInProblem } from '../../api/environment-deployment.ts'
import type { Reason } from '../../api/reasons/reasons.ts'
import { compareText } from '../base/json.ts'
import { shortened } from '../base/size.ts'

const maxProblems = 1000
const maxLength = 1_048_576

/** A problem, or one that stands for so many more. */
export interface ListedProblem extends DeploymentProblem {
  readonly more?: number
}

/** Room for as many problems as anybody reads. */
export class ProblemRoom {
  #count = 0
  #length = 0

  get isFull(): boolean {
    return this.#count >= maxProblems || this.#length >= maxLength
  }

  /** Whether there was room for the problem. */
  take({ object, reason, message, more }: ListedProblem): boolean {
    if (more !== undefined || this.isFull) return false
    this.#count++
    this.#length += object.length + reason.length + message.length
    return true
  }
}

/** Collects what is wrong, each thing once, until it is more than anybody reads; then only how much more there is. */
export class Problems {
  readonly #room = new ProblemRoom()
  readonly #listed = new Map<string, DeploymentProblem>()
  #more = 0

  /** `most` is for a text that is longer than that of a problem may be in a status. */
  add(about: string, reason: Reason, text: string, most = longestInProblem.message): void {
    // Not even looked at, since to shorten what is not listed would take the longest.
    if (this.#room.isFull) {
      this.#more++
      return
    }
    const object = shortened(about, longestInProblem.object)
    const problem = { object, reason, message: shortened(text, most) }
    const key = problemKey(problem)
    if (this.#listed.has(key)) return
    this.#room.take(problem)
    this.#listed.set(key, problem)
  }

  /** In a stable order, the number of those that are not listed last. */
  listed(): ListedProblem[] {
    const sorted = [...this.#listed.values()].sort(
      (a, b) =>
        compareText(a.object, b.object) ||
        compareText(a.reason, b.reason) ||
        compareText(a.message, b.message),
    )
    return this.#more > 0 ? [...sorted, moreProblems(this.#more)] : sorted
  }
}

/** What stands for problems that are not listed. */
export function moreProblems(more: number): ListedProblem & { readonly more: number } {
  return { object: '', reason: 'MoreProblems', message: `${more} more problems, not listed`, more }
}

/** How many problems these are, with those that are not listed. */
export function problemCount(problems: readonly ListedProblem[]): number {
  return problems.reduce((sum, { more = 1 }) => sum + more, 0)
}

/** Equal for equal problems; all that stand for more are one. */
export function problemKey({ object, reason, message, more }: ListedProblem): string {
  return [object, reason, more === undefined ? message : ''].join('\0')
}
