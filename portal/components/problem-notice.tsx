import { type ApiProblem, adviceFor } from '../api/problem.ts'

interface Props {
  readonly problem: ApiProblem
  readonly onRetry?: () => void
}

/** What went wrong, and what to do about it. */
export function ProblemNotice({ problem, onRetry }: Props) {
  return (
    <div class="notice notice-bad" role="alert">
      <p>
        <strong>{problem.message}</strong>
      </p>
      <p>{adviceFor(problem)}</p>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}
