import type { ActiveResource } from '../../api/types.ts'
import { State } from '../../components/state.tsx'
import { linkTo } from '../../routing/router.ts'
import { countStates, stateOf } from '../resources/states.ts'
import { type EnvironmentIds, environmentPath } from './paths.ts'

/** Resources by state, with the first ones that are not ready. */
export function ResourceSummary({
  ids,
  resources,
}: {
  readonly ids: EnvironmentIds
  readonly resources: readonly ActiveResource[]
}) {
  if (resources.length === 0) return <p class="muted">No resources.</p>
  const waiting = resources.filter((each) => stateOf(each).tone !== 'good')
  return (
    <>
      <ul class="chips">
        {countStates(resources).map(({ label, tone, count }) => (
          <li key={label}>
            <State tone={tone}>{`${count} ${label}`}</State>
          </li>
        ))}
      </ul>
      <ul class="plain-list">
        {waiting.slice(0, 5).map((each) => (
          <li key={each.gu_res_id}>
            <a href={linkTo(environmentPath(ids, `/graph?resource=${each.gu_res_id}`))}>
              {each.type} {each.res_id}
            </a>
            {each.status_message && <span class="muted"> {each.status_message}</span>}
          </li>
        ))}
      </ul>
      <p>
        <a href={linkTo(environmentPath(ids, '/graph'))}>Open the graph</a>
      </p>
    </>
  )
}
