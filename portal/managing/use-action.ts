import { useState } from 'preact/hooks'
import { type ApiProblem, asProblem } from '../api/problem.ts'

/** Something that is sent to the gateway: whether it runs, and why the last attempt failed. */
export interface Action {
  readonly isBusy: boolean
  readonly problem: ApiProblem | undefined
  /** Runs the work and returns whether it succeeded. `place` returns whether it shows the problem itself. */
  readonly run: (work: () => Promise<unknown>, place?: (problem: ApiProblem) => boolean) => Promise<boolean>
}

/** Keeps the state of work that can fail. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<ApiProblem | undefined>(undefined)
  const run: Action['run'] = async (work, place) => {
    setProblem(undefined)
    setBusy(true)
    try {
      await work()
      return true
    } catch (error) {
      const found = asProblem(error)
      if (!place?.(found)) setProblem(found)
      return false
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, problem, run }
}
