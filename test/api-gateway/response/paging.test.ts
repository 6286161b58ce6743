import { describe, expect, test } from '@jest/globals'
import { maxUnpagedItems, pageOf } from '../../../api-gateway/response/paging.ts'
import { casesOf, fc } from '../../support/properties.ts'

interface Item {
  readonly position: readonly string[]
}

const optionsOf = (isDescending: boolean) => ({
  list: 'items',
  positionOf: ({ position }: Item) => position,
  isDescending,
})

/** The query of the next page. */
function queryOf(link: string): Record<string, unknown> {
  const address = /^<\?(.*)>; rel="next"$/.exec(link)?.[1]
  return Object.fromEntries(new URLSearchParams(address))
}

/** Reads all pages; `change` runs after each page and returns the items of then. */
function readPages(
  items: readonly Item[],
  limit: number,
  isDescending: boolean,
  change: (page: number) => readonly Item[] = () => items,
): readonly Item[] {
  const found: Item[] = []
  let query: Record<string, unknown> | undefined = { limit: String(limit) }
  let current = items
  for (let page = 0; query; page++) {
    const { items: shown, link }: ReturnType<typeof pageOf<Item>> = pageOf(current, {
      query,
      ...optionsOf(isDescending),
    })
    expect(shown.length).toBeLessThanOrEqual(limit)
    found.push(...shown)
    current = change(page)
    query = link === undefined ? undefined : queryOf(link)
  }
  return found
}

const itemList = fc
  .uniqueArray(fc.array(fc.string({ maxLength: 3 }), { minLength: 1, maxLength: 3 }), {
    selector: (position) => JSON.stringify(position),
    maxLength: 40,
  })
  .map((positions) => positions.map((position): Item => ({ position })))

describe('the pages of a list', () => {
  test('put together are the whole list, in its order', () => {
    const limits = fc.integer({ min: 1, max: 50 })
    fc.assert(
      fc.property(itemList, limits, fc.boolean(), (items, limit, isDescending) => {
        const whole = pageOf(items, { query: {}, ...optionsOf(isDescending) })
        expect(whole.link).toBeUndefined()
        expect(readPages(items, limit, isDescending)).toEqual(whole.items)
      }),
      { numRuns: casesOf(500) },
    )
  })

  test('contain an item that exists throughout exactly once, and no item twice, while others come and go', () => {
    const flags = fc.array(fc.array(fc.boolean(), { maxLength: 40 }), { maxLength: 12 })
    const limits = fc.integer({ min: 1, max: 5 })
    fc.assert(
      fc.property(itemList, limits, fc.boolean(), flags, (items, limit, isDescending, presence) => {
        const [permanent, other] = [
          items.filter((_, index) => index % 2 === 0),
          items.filter((_, index) => index % 2 === 1),
        ]
        const change = (page: number) => [
          ...other.filter((_, index) => presence[page]?.[index] ?? false),
          ...permanent,
        ]
        const found = readPages(items, limit, isDescending, change)
        expect(new Set(found).size).toBe(found.length)
        expect(found).toEqual(expect.arrayContaining([...permanent]))
      }),
      { numRuns: casesOf(500) },
    )
  })

  test('keep the filters of the first page', () => {
    const items = ['a', 'b'].map((name) => ({ position: [name] }))
    const query = { limit: '1', archived: 'true', env: undefined }
    const { link = '' } = pageOf(items, { query, ...optionsOf(false) })
    expect(queryOf(link)).toEqual({ limit: '1', archived: 'true', cursor: expect.any(String) })
  })

  test.each<[rule: string, change: object, isRefused: boolean]>([
    ['of the same list', {}, false],
    ['of the same list with another limit', { limit: '2' }, false],
    ['of the same filters in another order', { env: 'dev', archived: 'true' }, false],
    ['of another filter', { archived: 'false' }, true],
    ['without a filter', { archived: undefined }, true],
    ['of another list', { list: 'others' }, true],
  ])('continue with the cursor %s: %j', (_, { list = 'items', ...change }: { list?: string }, isRefused) => {
    const items = ['a', 'b'].map((name) => ({ position: [name] }))
    const options = optionsOf(false)
    const { link = '' } = pageOf(items, { ...options, query: { limit: '1', archived: 'true', env: 'dev' } })
    const read = () => pageOf(items, { ...options, list, query: { ...change, ...queryOf(link), ...change } })
    if (isRefused) expect(read).toThrow("'cursor' is not of this list")
    else expect(read().items).toEqual([{ position: ['b'] }])
  })

  test('can begin at any text that has the form of a cursor, or are refused', () => {
    const text = fc.stringMatching(/^[A-Za-z0-9_-]{1,60}$/)
    fc.assert(
      fc.property(itemList, text, (items, cursor) => {
        const read = () => pageOf(items, { query: { cursor }, ...optionsOf(false) })
        expect(() => read().items.length <= items.length || 'too many').not.toThrow(TypeError)
      }),
      { numRuns: casesOf(500) },
    )
    const cursor = Buffer.from('{"a":1}').toString('base64url')
    expect(() => pageOf([], { query: { cursor }, ...optionsOf(false) })).toThrow("'cursor' is not valid")
  })
})

test.each([
  ['up to the limit is read as a whole', maxUnpagedItems, {}, false],
  ['beyond the limit is refused', maxUnpagedItems + 1, {}, true],
  ['beyond the limit is read in pages', maxUnpagedItems + 1, { limit: '1000' }, false],
])('a list %s', (_, length, query, isRefused) => {
  const items = Array.from({ length }, (__, index) => ({ position: [String(index)] }))
  const read = () => pageOf(items, { query, ...optionsOf(false) }).items.length
  if (isRefused) expect(read).toThrow(`more than ${maxUnpagedItems} items`)
  else expect(read()).toBe(Math.min(length, 'limit' in query ? 1000 : length))
})
