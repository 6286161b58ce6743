/** The clock of the API server by the dates of its answers, to the second; that of this process before the first answer. */
export class ServerClock {
  readonly #monotonic: () => number
  #date = Date.now()
  #notedAt: number

  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic
    this.#notedAt = monotonic()
  }

  /** Notes the header `Date` of an answer. */
  note(date: string | undefined): void {
    const time = Date.parse(date ?? '')
    if (Number.isNaN(time)) return
    this.#date = time
    this.#notedAt = this.#monotonic()
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#date + this.#monotonic() - this.#notedAt
  }
}
