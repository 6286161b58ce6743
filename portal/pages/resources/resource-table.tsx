import { useState } from 'preact/hooks'
import type { ActiveResource } from '../../api/types.ts'
import { State } from '../../components/state.tsx'
import { Time } from '../../components/time.tsx'
import { stateOf } from './states.ts'

interface Props {
  readonly resources: readonly ActiveResource[]
  readonly selected: string | undefined
  readonly onSelect: (id: string) => void
}

const pageSize = 100

/** Resources as rows, a page at a time, so that thousands stay fast. */
export function ResourceTable({ resources, selected, onSelect }: Props) {
  const [shown, setShown] = useState(pageSize)
  if (resources.length === 0) return <p class="empty">No resources.</p>
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
          <tbody>
            {resources.slice(0, shown).map((each) => (
              <Row
                key={each.gu_res_id}
                resource={each}
                isSelected={each.gu_res_id === selected}
                onSelect={onSelect}
              />
            ))}
          </tbody>
        </table>
      </div>
      <p class="muted" role="status">
        {Math.min(shown, resources.length)} of {resources.length} resources
      </p>
      {shown < resources.length && (
        <button type="button" onClick={() => setShown(shown + pageSize)}>
          Show more
        </button>
      )}
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
