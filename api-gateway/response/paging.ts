import { hash } from 'node:crypto'
import { Problem } from '../../operator/domain/base/errors.ts'
import { compareText, parseJson } from '../../operator/domain/base/json.ts'

/** Longer lists can only be read in pages. */
export const maxUnpagedItems = 10_000

interface PageOptions<T> {
  /** Identifies the list, such as by the path of the request. */
  readonly list: string
  /** Parameters of the request, including `limit` and `cursor`. */
  readonly query: Readonly<Record<string, unknown>>
  positionOf(item: T): readonly string[]
  readonly isDescending: boolean
}

/**
 * Returns the page that the query asks for, and the link to the next one; `linkAfter` links to the items after another one.
 * A cursor is the position of the last item of a page in this list with these filters, so an item that exists throughout is
 * on exactly one page, even if others are created or deleted meanwhile.
 */
export function pageOf<T>(
  items: readonly T[],
  { list, query, positionOf, isDescending }: PageOptions<T>,
): {
  readonly items: readonly T[]
  readonly link: string | undefined
  linkAfter(item: T): string
} {
  const { limit, cursor } = query
  if (limit === undefined && items.length > maxUnpagedItems)
    throw new Problem(
      'Invalid',
      `the list has more than ${maxUnpagedItems} items: read it in pages, with the query parameter 'limit'`,
    )
  const sign = isDescending ? -1 : 1
  const compare = (left: readonly string[], right: readonly string[]) => sign * comparePositions(left, right)
  const listId = listIdOf(list, query)
  const start = typeof cursor === 'string' ? decodeCursor(cursor, listId) : undefined
  const remaining = items
    .map((item) => ({ item, position: positionOf(item) }))
    .filter(({ position }) => start === undefined || compare(position, start) > 0)
    .sort((left, right) => compare(left.position, right.position))
  const page = limit === undefined ? remaining : remaining.slice(0, Number(limit))
  const last = page.at(-1)
  const isLast = last === undefined || page.length === remaining.length
  const linkAfter = (item: T) => linkTo({ ...query, cursor: encodeCursor(positionOf(item), listId) })
  return {
    items: page.map(({ item }) => item),
    link: isLast ? undefined : linkAfter(last.item),
    linkAfter,
  }
}

/** Returns the header `Link` of the next page. The link is relative, because a proxy may add a path prefix. */
export function linkTo(query: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const address = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))
  return `<?${address.toString()}>; rel="next"`
}

/** Compares positions text by text; one that another continues comes first. */
export function comparePositions(left: readonly string[], right: readonly string[]): number {
  for (const [index, text] of left.entries()) {
    const other = right[index]
    if (other === undefined) return 1
    if (text !== other) return compareText(text, other)
  }
  return left.length - right.length
}

/** Identifies a list and its filters: a position has a meaning only there. The limit may change between pages. */
function listIdOf(list: string, { limit: _, cursor: __, ...filters }: PageOptions<unknown>['query']): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  const sorted = given.sort(([left], [right]) => compareText(left, right))
  return hash('sha256', JSON.stringify([list, sorted])).slice(0, 16)
}

function encodeCursor(position: readonly string[], listId: string): string {
  return Buffer.from(JSON.stringify([listId, ...position])).toString('base64url')
}

const remedy = 'use the link to the next page, or start with the first page'

function decodeCursor(cursor: string, listId: string): readonly string[] {
  const parts = parseJson(Buffer.from(cursor, 'base64url').toString())
  if (!Array.isArray(parts) || !parts.every((each) => typeof each === 'string'))
    throw new Problem('Invalid', `'cursor' is not valid: ${remedy}`)
  const [id, ...position] = parts
  if (id !== listId)
    throw new Problem('Invalid', `'cursor' is not of this list with these filters: ${remedy}`)
  return position
}
