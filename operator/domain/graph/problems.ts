import { type DeploymentProblem, longestInProblem } from '../../api/environment-deployment.ts'
import type { Reason } from '../../api/reasons/reasons.ts'
import { compareText } from '../base/json.ts'
import { shortenMessage } from '../base/size-limits.ts'

const maxProblems = 1000
const maxLength = 1_048_576

/** A problem, or the number of problems that are not listed. */
export interface ListedProblem extends DeploymentProblem {
  readonly more?: number
}

/** Limits the number and total length of problems. */
export class ProblemLimit {
  #count = 0
  #length = 0

  get isFull(): boolean {
    return this.#count >= maxProblems || this.#length >= maxLength
  }

  /** Counts a problem. Returns false when the limit is reached. */
  take({ object, reason, message, more }: ListedProblem): boolean {
    if (more !== undefined || this.isFull) return false
    this.#count++
    this.#length += object.length + reason.length + message.length
    return true
  }
}

/** Collects distinct problems up to a limit, and counts the others. */
export class Problems {
  readonly #room = new ProblemLimit()
  readonly #listed = new Map<string, DeploymentProblem>()
  #more = 0

  /** `most` allows a longer text than the status does. */
  add(about: string, reason: Reason, text: string, most = longestInProblem.message): void {
    // Checked first, because shortening is the expensive part.
    if (this.#room.isFull) {
      this.#more++
      return
    }
    const object = shortenMessage(about, longestInProblem.object)
    const problem = { object, reason, message: shortenMessage(text, most) }
    const key = problemKey(problem)
    if (this.#listed.has(key)) return
    this.#room.take(problem)
    this.#listed.set(key, problem)
  }

  /** The problems in a stable order, then the number of those that are not listed. */
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

/** The number of problems that are not listed, as a problem. */
export function moreProblems(more: number): ListedProblem & { readonly more: number } {
  return { object: '', reason: 'MoreProblems', message: `${more} more problems, not listed`, more }
}

/** The number of problems, including those that are not listed. */
export function problemCount(problems: readonly ListedProblem[]): number {
  return problems.reduce((sum, { more = 1 }) => sum + more, 0)
}

/** A key that is equal for equal problems. */
export function problemKey({ object, reason, message, more }: ListedProblem): string {
  return [object, reason, more === undefined ? message : ''].join('\0')
}
