import { createMeteredPatterns } from './metered-patterns.ts'
import { BudgetExceeded } from './schema-steps.ts'

/** Compares names with patterns of one schema, up to a limit of work. */
export interface NamePatterns {
  /** Whether a name fits a pattern; `inDoubt` beyond the limit, and for a pattern that is not valid. */
  fits(pattern: string, name: string, inDoubt: boolean): boolean
  /** Frees the automata of the patterns. */
  forget(): void
}

const maxSteps = 100_000

/** Creates it with the whole limit left: some tens of milliseconds. */
export function createNamePatterns(): NamePatterns {
  let steps = maxSteps
  const { engine, forget } = createMeteredPatterns((spent) => {
    steps -= spent
    if (steps < 0) throw new BudgetExceeded('the patterns of the names of the outputs take too many steps')
  })
  return {
    fits(pattern, name, inDoubt) {
      if (steps < 0) return inDoubt
      try {
        return engine(pattern, 'u').test(name)
      } catch {
        return inDoubt
      }
    },
    forget,
  }
}
