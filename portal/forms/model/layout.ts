import type { FreeForm } from '../../../operator/api/schema.ts'
import { isObject, ownValue } from '../../../operator/domain/base/json.ts'

/** Fields beside each other. */
export interface Row<F> {
  readonly fields: readonly F[]
}

/** Rows below each other, with the title of their group, if any. */
export interface Section<F> {
  readonly name?: string
  readonly title?: string
  readonly rows: readonly Row<F>[]
}

/** A field with the hints of its schema. */
interface Hinted {
  readonly hints: Hints
}

/** The hints of a property for the portal: `uiHints`. */
export interface Hints {
  readonly order: number
  readonly group?: string
  readonly width: number
}

const narrowest = 0.1
const widest = 100

/** The hints of a property; hints that mean nothing count as absent. */
export function hintsOf(schema: FreeForm): Hints {
  const hints = ownValue(schema, 'uiHints')
  const { order, group, width } = isObject(hints) ? hints : ({} as FreeForm)
  return {
    order: orderOf(order),
    ...(typeof group === 'string' && { group }),
    width: typeof width === 'number' && width > 0 ? Math.min(Math.max(width, narrowest), widest) : 1,
  }
}

/** Without an order, a property or group follows those that have one. */
function orderOf(order: unknown): number {
  return typeof order === 'number' ? order : Number.POSITIVE_INFINITY
}

interface Group {
  readonly name: string
  readonly order: number
  readonly isRow: boolean
  readonly title?: string
  readonly section?: string
}

function groupsOf(groups: unknown): ReadonlyMap<string, Group> {
  const entries = isObject(groups) ? Object.entries(groups) : []
  return new Map(
    entries.flatMap(([name, group]) => {
      if (!isObject(group)) return []
      const { order, type, title, section } = group
      return [
        [
          name,
          {
            name,
            order: orderOf(order),
            isRow: type === 'row',
            ...(typeof title === 'string' && { title }),
            ...(typeof section === 'string' && { section }),
          },
        ],
      ]
    }),
  )
}

/** An item with its place: by order, and among equal orders by the first of its fields in the schema. */
interface Placed<T> {
  readonly order: number
  readonly index: number
  readonly item: T
}

function inOrder<T>(placed: readonly Placed<T>[]): T[] {
  const sorted = [...placed].sort((left, right) =>
    left.order === right.order ? left.index - right.index : left.order - right.order,
  )
  return sorted.map(({ item }) => item)
}

/**
 * Places fields in sections and rows by their hints and the groups of `uiGroups`. Each field has exactly one place: one
 * whose group is not known has a row to itself.
 */
export function layOut<F extends Hinted>(fields: readonly F[], uiGroups: unknown): Section<F>[] {
  const groups = groupsOf(uiGroups)
  const sectionOf = (name: string | undefined) => {
    const group = name === undefined ? undefined : groups.get(name)
    return group?.isRow ? undefined : group
  }
  const placed = fields.map((item, index) => ({ item, index, order: item.hints.order }))
  const isInRow = ({ item: { hints } }: Placed<F>) => groups.get(hints.group ?? '')?.isRow ?? false
  const single = placed
    .filter((each) => !isInRow(each))
    .map((each) => ({
      ...each,
      item: { fields: [each.item] },
      section: sectionOf(each.item.hints.group),
    }))
  const shared = [...Map.groupBy(placed.filter(isInRow), ({ item }) => item.hints.group ?? '')].map(
    ([name, inRow]) => ({
      order: groups.get(name)?.order ?? Number.POSITIVE_INFINITY,
      index: inRow[0]?.index ?? 0,
      item: { fields: inOrder(inRow) },
      section: sectionOf(groups.get(name)?.section),
    }),
  )
  const items: Placed<Row<F> | Section<F>>[] = []
  for (const [group, rows] of Map.groupBy([...single, ...shared], ({ section }) => section)) {
    if (!group) items.push(...rows)
    else
      items.push({
        ...group,
        index: Math.min(...rows.map(({ index }) => index)),
        item: sectionFrom(group, rows),
      })
  }
  return joined(inOrder(items))
}

function sectionFrom<F>({ name, title }: Group, rows: readonly Placed<Row<F>>[]): Section<F> {
  return { name, ...(title !== undefined && { title }), rows: inOrder(rows) }
}

/** Joins rows outside of sections to sections without a title. */
function joined<F>(items: readonly (Row<F> | Section<F>)[]): Section<F>[] {
  const sections: { name?: string; title?: string; rows: Row<F>[] }[] = []
  for (const item of items) {
    const last = sections.at(-1)
    if ('rows' in item) sections.push({ ...item, rows: [...item.rows] })
    else if (last && last.name === undefined) last.rows.push(item)
    else sections.push({ rows: [item] })
  }
  return sections
}
