import type { Reason } from '../../api/reasons/reasons.ts'
import { Problem } from '../base/errors.ts'
import type { Report } from './needs.ts'

/** Maximum number of errors that are kept for the log. */
const maxErrors = 10

/** Runs the parts of a plan and turns exceptions into problems of the object that the part is about. */
export class Guard {
  readonly #report: Report
  readonly #errors: unknown[] = []

  constructor(report: Report) {
    this.#report = report
  }

  /** Errors of the program, not of the input. */
  get errors(): readonly unknown[] {
    return this.#errors
  }

  /** Returns what `work` returns, or undefined after an exception. */
  run<T>(about: string, work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      const { reason, message } = planningProblem(error)
      this.#report(about, reason, message)
      if (reason === planningFailed && this.#errors.length < maxErrors) this.#errors.push(error)
      return undefined
    }
  }
}

const planningFailed = 'PlanningFailed'

/** The reason and message of an exception in a part of a plan. */
export function planningProblem(error: unknown): { readonly reason: Reason; readonly message: string } {
  if (error instanceof Problem) return { reason: 'Invalid', message: error.message }
  // In pure functions, a RangeError means that the call stack is exhausted.
  if (error instanceof RangeError) return { reason: 'TooDeep', message: 'a value is nested too deep' }
  const message = error instanceof Error ? error.message : String(error)
  return { reason: planningFailed, message: `planning failed: ${message}` }
}
