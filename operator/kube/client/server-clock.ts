/** How much older than its receipt a date may be: it is cut to the second, and the answer takes its time. */
const lateMs = 3000

/** The clock of the API server by the dates of its answers; that of this process while it agrees with them. */
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
    const known = this.now()
    if (Number.isNaN(time) || (time <= known && known < time + lateMs)) return
    this.#date = time
    this.#notedAt = this.#monotonic()
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#date + this.#monotonic() - this.#notedAt
  }
}
