import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { query, setQuery } from '../routing/router.ts'

/** A column of a table. */
export interface Column<T> {
  readonly title: string
  readonly show: (item: T) => ComponentChildren
}

interface Props<T> {
  /** What the rows are, for the caption and the filter. */
  readonly what: string
  readonly items: readonly T[]
  readonly columns: readonly Column<T>[]
  readonly keyOf: (item: T) => string
  /** Text of an item that the filter searches. */
  readonly textOf: (item: T) => string
}

const pageSize = 100

/** In place of an empty state. */
export const noProblem = <span class="muted">no known problem</span>

/** A table with a filter, which is in the address, so that the way back to the table keeps it; long lists are shown a part at a time. */
export function FilteredTable<T>({ what, items, columns, keyOf, textOf }: Props<T>) {
  const filter = query.value.get('find') ?? ''
  const [shown, setShown] = useState(pageSize)
  const wanted = filter.trim().toLowerCase()
  const found = items.filter((each) => textOf(each).toLowerCase().includes(wanted))
  return (
    <div class="stack">
      <label>
        Filter {what}
        <input
          type="search"
          value={filter}
          onInput={({ currentTarget: { value } }) =>
            setQuery({ find: value === '' ? undefined : value }, { replace: true })
          }
        />
      </label>
      <p class="muted" role="status">
        {found.length} of {items.length} {what}
      </p>
      <div class="table-frame" tabIndex={0} role="region" aria-label={what}>
        <table>
          <thead>
            <tr>
              {columns.map(({ title }) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {found.slice(0, shown).map((item) => (
              <tr key={keyOf(item)}>
                {columns.map(({ title, show }) => (
                  <td key={title}>{show(item)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {found.length > shown && (
        <button type="button" onClick={() => setShown(shown + pageSize)}>
          Show more
        </button>
      )}
    </div>
  )
}
