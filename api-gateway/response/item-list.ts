import { setImmediate } from 'node:timers/promises'

/** Bytes of the items of one answer. */
export const maxListBytes = 32 * 1024 * 1024
/** Bytes to serialize before other requests get their turn. */
const bytesAtOnce = 2 * 1024 * 1024

/** The first items of a list as JSON. */
interface ItemList {
  readonly content: string
  /** How many items the content has. */
  readonly count: number
}

/** Levels of an item that is nested too deep to be shown as it is. */
const maxLevels = 1000

/** Serializes items one by one, up to the limit of bytes, but at least one. Lets other requests run in between. */
export async function serializeItems<T>(items: readonly T[], show: (item: T) => unknown): Promise<ItemList> {
  const texts: string[] = []
  let bytes = 0
  let uninterrupted = 0
  for (const item of items) {
    const text = textOf(item, show)
    const size = Buffer.byteLength(text)
    if (bytes > 0 && bytes + size > maxListBytes) break
    texts.push(text)
    bytes += size
    uninterrupted += size
    if (uninterrupted < bytesAtOnce) continue
    await setImmediate()
    uninterrupted = 0
  }
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
