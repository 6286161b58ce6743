import type { Call } from '../endpoint.ts'

/** Bytes of the items of one answer. */
export const maxListBytes = 32 * 1024 * 1024
/** Bytes to serialize before other requests get their turn. */
const bytesAtOnce = 1024 * 1024
/** Bytes that are serialized at once, because most lists are short. */
const bytesWithoutTurn = 64 * 1024

/** The first items of a list as JSON. */
interface ItemList {
  readonly content: string
  /** How many items the content has. */
  readonly count: number
}

/** Levels of an item that is nested too deep to be shown as it is. */
const maxLevels = 1000

/**
 * Serializes items one by one, up to the limit of bytes, but at least one. A long list takes turns with other work, and its
 * parts count as memory of its user.
 */
export async function serializeItems<T>(
  items: readonly T[],
  show: (item: T) => unknown,
  { inTurn, reserveAnswer }: Pick<Call, 'inTurn' | 'reserveAnswer'>,
): Promise<ItemList> {
  const texts: string[] = []
  let bytes = 0

  /** Serializes about so many bytes; returns whether more of the list is left. */
  function add(atOnce: number): boolean {
    const end = bytes + atOnce
    while (texts.length < items.length) {
      const text = textOf(items[texts.length] as T, show) // within the list
      const size = Buffer.byteLength(text)
      if (bytes > 0 && bytes + size > maxListBytes) return false
      texts.push(text)
      bytes += size
      if (bytes >= end) return true
    }
    return false
  }

  if (add(bytesWithoutTurn))
    await inTurn(async (next) => {
      reserveAnswer(bytes)
      for (let counted = bytes; ; counted = bytes) {
        const isMore = add(bytesAtOnce)
        reserveAnswer(bytes - counted)
        if (!isMore) return
        await next()
      }
    })
  return { content: `[${texts.join(',')}]`, count: texts.length }
}

/** kubectl stores free-form values that are nested deeper than they can be shown: these must not hide the other items. */
function textOf<T>(item: T, show: (item: T) => unknown): string {
  try {
    return JSON.stringify(show(item))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return JSON.stringify(show(cutBelow(maxLevels, item) as T)) // the same but for free-form values
  }
}

function cutBelow(levels: number, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return `(nested more than ${maxLevels} deep)`
  if (Array.isArray(value)) return value.map((each) => cutBelow(levels - 1, each))
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cutBelow(levels - 1, each)]))
}
