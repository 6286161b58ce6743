import { useMemo, useState } from 'preact/hooks'
import type { ActiveResource } from '../../api/types.ts'
import { State } from '../../components/state.tsx'
import { Time } from '../../components/time.tsx'
import { stateOf } from './states.ts'

interface Props {
  readonly resources: readonly ActiveResource[]
  readonly selected: string | undefined
  readonly onSelect: (id: string) => void
  /** In place of an empty table. */
  readonly empty: string
}

const pageSize = 50

/** Resources as rows, a page at a time, so that thousands stay fast. */
export function ResourceTable({ resources, selected, onSelect, empty }: Props) {
  const [start, setStart] = useState(0)
  // A shorter list may end before.
  const first = Math.min(start, Math.floor(Math.max(0, resources.length - 1) / pageSize) * pageSize)
  const rows = useMemo(
    () =>
      resources
        .slice(first, first + pageSize)
        .map((each) => (
          <Row
            key={each.gu_res_id}
            resource={each}
            isSelected={each.gu_res_id === selected}
            onSelect={onSelect}
          />
        )),
    [resources, first, selected],
  )
  if (resources.length === 0) return <p class="empty">{empty}</p>
  return (
    <>
      <div class="table-frame">
        <table>
          <caption class="visually-hidden">Active resources</caption>
          <thead>
            <tr>
              <th scope="col">Resource</th>
              <th scope="col">Type</th>
              <th scope="col">State</th>
              <th scope="col" class="wide-only">
                Definition
              </th>
              <th scope="col" class="wide-only">
                Changed
              </th>
            </tr>
          </thead>
          <tbody>{rows}</tbody>
        </table>
      </div>
      <div class="actions">
        <p class="muted" role="status">
          {first + 1} to {Math.min(first + pageSize, resources.length)} of {resources.length} resources
        </p>
        {resources.length > pageSize && (
          <>
            <button type="button" disabled={first === 0} onClick={() => setStart(first - pageSize)}>
              Previous
            </button>
            <button
              type="button"
              disabled={first + pageSize >= resources.length}
              onClick={() => setStart(first + pageSize)}
            >
              Next
            </button>
          </>
        )}
      </div>
    </>
  )
}

function Row({
  resource,
  isSelected,
  onSelect,
}: {
  readonly resource: ActiveResource
  readonly isSelected: boolean
  readonly onSelect: (id: string) => void
}) {
  const { gu_res_id, res_id, type, class: resourceClass, def_id, updated_at } = resource
  const { label, tone } = stateOf(resource)
  return (
    <tr class={isSelected ? 'selected' : ''}>
      <th scope="row">
        <button type="button" class="link" aria-pressed={isSelected} onClick={() => onSelect(gu_res_id)}>
          {res_id}
        </button>
      </th>
      <td>
        {type}
        {resourceClass !== 'default' && <span class="muted">.{resourceClass}</span>}
      </td>
      <td>
        <State tone={tone}>{label}</State>
      </td>
      <td class="wide-only">{def_id}</td>
      <td class="wide-only">
        <Time at={updated_at} />
      </td>
    </tr>
  )
}
