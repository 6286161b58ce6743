import { type Timer, Timers } from './timers.ts'

const realImmediate = globalThis.setImmediate

/** A promise that needs no time is kept within so many turns. */
const turnsWithoutTime = 100

/** Returns when all promises that can be kept have been kept. */
const turn = () => new Promise<void>((resolve) => realImmediate(resolve))

/** A handle of a virtual timer, with the methods of those of Node. */
export class TimerHandle {
  readonly #clock: Clock
  readonly #milliseconds: number
  readonly #work: () => void
  #timer: Timer | undefined

  constructor(clock: Clock, milliseconds: number, work: () => void) {
    this.#clock = clock
    this.#milliseconds = milliseconds
    this.#work = work
    this.refresh()
  }

  refresh(): this {
    this.close()
    this.#timer = this.#clock.schedule(this.#milliseconds, this.#work)
    return this
  }

  close(): this {
    if (this.#timer) this.#timer.isCancelled = true
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  hasRef(): boolean {
    return true
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

/** Virtual time. It advances to the next timer when nothing else is left to do, so that hours pass in a second. */
export class Clock {
  /** Milliseconds since the start of the run. */
  now = 0
  /** Milliseconds by which the dates of processes differ from those of the API server. */
  offset = 0
  /** Timers that have run. */
  steps = 0
  readonly #timers = new Timers()
  #order = 0

  schedule(milliseconds: number, run: () => void): Timer {
    const timer: Timer = { at: this.now + milliseconds, order: this.#order, run, isCancelled: false }
    this.#order += 1
    this.#timers.add(timer)
    return timer
  }

  /** Calls `work` once, as `setTimeout` does. */
  after(milliseconds: number, work: () => void): TimerHandle {
    return new TimerHandle(this, milliseconds, work)
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.after(milliseconds, resolve))
  }

  /** Lets this many milliseconds pass. */
  async pass(milliseconds: number): Promise<void> {
    const until = this.now + milliseconds
    for (;;) {
      await turn()
      const timer = this.#timers.take(until)
      if (timer === undefined) break
      this.now = Math.max(this.now, timer.at)
      this.steps += 1
      timer.run()
    }
    this.now = until
  }
  /** Lets time pass until a promise is kept: none, if it needs none. */
  async passUntil<T>(kept: Promise<T>): Promise<T> {
    const state = { isKept: false }
    const end = () => {
      state.isKept = true
    }
    kept.then(end, end)
    for (let turns = 0; !state.isKept; turns += 1) await this.pass(turns < turnsWithoutTime ? 0 : 10)
    return kept
  }
}
