/** The remaining work that one request or plan may do; the event loop is blocked meanwhile. */
export interface WorkBudget {
  /** Remaining searches for a similar name. */
  hints: number
  /** Remaining steps of checks against user schemas; a step takes at most about 0.5 µs. */
  steps: number
  /** Remaining criteria that may be examined to explain why none matches. */
  candidates: number
}

const maxHints = 20
const maxCandidates = 100_000

/** Steps that all checks against user schemas within one request or plan may take. */
export const maxSteps = 2_000_000

/** The budget of a new request or plan. */
export function fullBudget(): WorkBudget {
  return { hints: maxHints, steps: maxSteps, candidates: maxCandidates }
}
