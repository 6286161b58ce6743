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

/** Serializes items one by one, up to the limit of bytes, but at least one. Lets other requests run in between. */
export async function serializeItems<T>(items: readonly T[], show: (item: T) => unknown): Promise<ItemList> {
  const texts: string[] = []
  let bytes = 0
  let uninterrupted = 0
  for (const item of items) {
    const text = JSON.stringify(show(item))
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
