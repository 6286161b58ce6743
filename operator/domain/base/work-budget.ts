/** What is left of the work that one request or plan may take while everybody else waits. */
export interface WorkBudget {
  /** Names that may still be searched for one that was meant. */
  hints: number
  /** Steps of checks against schemas of users, of about half a microsecond at most. */
  steps: number
  /** Definitions' criteria that may still be looked at to say why none fits. */
  candidates: number
}

const maxHints = 20
const maxCandidates = 100_000

/** Steps that all checks against schemas of users within one request or plan may take. */
export const maxSteps = 2_000_000

/** All that one request or plan may take. */
export function fullBudget(): WorkBudget {
  return { hints: maxHints, steps: maxSteps, candidates: maxCandidates }
}
