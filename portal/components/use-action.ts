import { useState } from 'preact/hooks'
import { type ApiProblem, asProblem } from '../api/problem.ts'

/** A request that a button sends: whether it runs, and the problem of the last attempt. */
export interface Action {
  readonly isBusy: boolean
  readonly problem: ApiProblem | undefined
  /** Runs one at a time: further calls meanwhile do nothing. */
  readonly run: (work: () => Promise<unknown>) => Promise<void>
}

export function useAction(): Action {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<ApiProblem | undefined>(undefined)
  const run = async (work: () => Promise<unknown>) => {
    if (isBusy) return
    setBusy(true)
    setProblem(undefined)
    try {
      await work()
    } catch (error) {
      setProblem(asProblem(error))
    }
    setBusy(false)
  }
  return { isBusy, problem, run }
}
