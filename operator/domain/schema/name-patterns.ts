import { createMeteredPatterns } from './metered-patterns.ts'
import { BudgetExceeded } from './schema-steps.ts'

/** Compares names with patterns of one schema, up to a limit of work. */
export interface NamePatterns {
  /** Whether a name fits a pattern. Nothing does once it is not known of one name. */
  fits(pattern: string, name: string): boolean
  /** Whether it is not known which names fit: beyond the limit, or after a pattern that is not valid. */
  isSpent(): boolean
}

const maxSteps = 100_000

/** Creates it with the whole limit left: some tens of milliseconds. Its automata are forgotten with it. */
export function createNamePatterns(): NamePatterns {
  let steps = maxSteps
  const { engine } = createMeteredPatterns((spent) => {
    steps -= spent
    if (steps < 0) throw new BudgetExceeded('the patterns of the names of the outputs take too many steps')
  })
  const isSpent = () => steps < 0
  return {
    isSpent,
    fits(pattern, name) {
      if (isSpent()) return false
      try {
        return engine(pattern, 'u').test(name)
      } catch {
        steps = -1
        return false
      }
    },
  }
}
