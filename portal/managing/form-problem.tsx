import type { ApiProblem } from '../api/problem.ts'
import { ProblemNotice } from '../components/problem-notice.tsx'
import { ChangedMeanwhile } from './changed.ts'

/** Why a form was not saved, and what to do about it. */
export function FormProblem({ problem }: { readonly problem: ApiProblem }) {
  if (!(problem instanceof ChangedMeanwhile)) return <ProblemNotice problem={problem} />
  return (
    <div class="notice notice-bad" role="alert">
      <p>
        <strong>{problem.message}</strong>
      </p>
      <p>Nothing was sent. Copy what you need of your changes, then load the present state.</p>
      <button type="button" onClick={problem.load}>
        Load the present state
      </button>
    </div>
  )
}
