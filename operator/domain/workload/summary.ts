import type { Workload } from '../../api/workload.ts'
import { compareText } from '../base/json.ts'
import { truncate } from '../base/size-limits.ts'

/** Where a Workload runs or should run: the state of its content there, or the reason why it cannot be deployed. */
export interface EnvironmentState {
  readonly environmentId: string
  readonly state: string
  readonly url?: string | undefined
}

const maxShown = 5
const maxLength = 2000

/** The environments of a Workload as text for the columns of `kubectl get`; those that did not succeed come first in `states`. */
export function summaryOf(
  environments: readonly EnvironmentState[],
): NonNullable<Workload['status']>['summary'] {
  if (environments.length === 0) return undefined
  const sorted = [...environments].sort((left, right) => compareText(left.environmentId, right.environmentId))
  const byState = [...sorted].sort((left, right) => rankOf(left) - rankOf(right))
  const urls = sorted.flatMap(({ url }) => url ?? [])
  return {
    environments: joined(sorted.map(({ environmentId }) => environmentId)),
    states: joined(byState.map(({ environmentId, state }) => `${environmentId} ${state}`)),
    ...(urls.length > 0 ? { urls: joined(urls) } : {}),
  }
}

/** Problems come first, then what runs, then what succeeded. */
function rankOf({ state }: EnvironmentState): number {
  return ['pending', 'succeeded'].indexOf(state)
}

function joined(texts: readonly string[]): string {
  const more = texts.length > maxShown ? ` and ${texts.length - maxShown} more` : ''
  return truncate(`${texts.slice(0, maxShown).join(', ')}${more}`, maxLength)
}
