import fc from 'fast-check'

const isSoak = Boolean(process.env.QUARTERMASTER_SOAK)

// The cases are the same each time, so that one commit has one result; the long tests use new ones each time.
if (!isSoak) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 7_340_033 })

/** Returns how many cases to generate: all of them in the long tests, a fifth otherwise. */
export function casesOf(all: number): number {
  return isSoak ? all : all / 5
}

/** Returns all items in the long tests; `count` of them otherwise, others in each turn. */
export function someInTurn<T>(items: readonly T[], turn: number, count: number): readonly T[] {
  if (isSoak) return items
  const first = (turn * count) % items.length
  return [...items, ...items].slice(first, first + Math.min(count, items.length))
}

export { fc }
