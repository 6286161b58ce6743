import { useState } from 'preact/hooks'
import { useRead } from '../../api/reads.ts'
import type { ActiveResource } from '../../api/types.ts'
import { ReadView } from '../../components/read-view.tsx'
import { State } from '../../components/state.tsx'
import { Time } from '../../components/time.tsx'
import { type EnvironmentIds, requestPath } from '../environments/paths.ts'

interface Props {
  readonly ids: EnvironmentIds
  readonly resource: ActiveResource
}

/** Kubernetes Events of a resource, read when they are asked for. */
export function ResourceEvents({ ids, resource }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Events</summary>
      {isOpen && <EventList ids={ids} resource={resource} />}
    </details>
  )
}

function EventList({ ids, resource: { type, class: resourceClass, res_id } }: Props) {
  const read = useRead(
    'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources/{res_type}/{res_id}/events',
    { path: { ...requestPath(ids), res_type: `${type}.${resourceClass}`, res_id } },
  )
  return (
    <ReadView read={read} what="events">
      {(events) =>
        events.length === 0 ? (
          <p class="muted">No events. Kubernetes forgets them after about an hour.</p>
        ) : (
          <ul class="plain-list">
            {events.map(({ at, type: level, reason, message, count }, index) => (
              <li key={`${at} ${index}`}>
                <State tone={level === 'Warning' ? 'bad' : 'good'}>{reason}</State>{' '}
                <span class="muted">
                  <Time at={at} />
                  {count > 1 && `, ${count} times`}
                </span>
                {message && <p>{message}</p>}
              </li>
            ))}
          </ul>
        )
      }
    </ReadView>
  )
}
