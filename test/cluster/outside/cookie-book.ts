/** The time in which an operator ends. */
export interface Kill {
  readonly from: number
  to: number
}

/** The cookies that a server gave. */
export interface CookieBook {
  write(place: string, entry: Pick<Entry, 'cookie' | 'mayLose'>): void
  /** The cookies that the operator may have, the last one first. */
  possibleAt(place: string): readonly (string | undefined)[]
}

interface Entry {
  readonly cookie: string | undefined
  /** Whether the answer may not have arrived. */
  readonly mayLose: boolean
  readonly at: number
}

/** An operator that ends this long after an answer may not have stored the cookie. */
const storesWithinMs = 5000

export function cookieBook(kills: readonly Kill[]): CookieBook {
  const book = new Map<string, Entry[]>()
  const isLost = ({ mayLose, at }: Entry) =>
    mayLose || kills.some(({ from, to }) => from < at + storesWithinMs && to > at)

  return {
    write(place, entry) {
      book.set(place, [{ ...entry, at: Date.now() }, ...(book.get(place) ?? [])])
    },
    possibleAt(place) {
      const entries = book.get(place) ?? []
      const arrived = entries.findIndex((each) => !isLost(each))
      const possible = arrived === -1 ? entries : entries.slice(0, arrived + 1)
      const cookies = possible.map(({ cookie }) => cookie)
      return arrived === -1 ? [...cookies, undefined] : cookies
    },
  }
}
