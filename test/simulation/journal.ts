import { createHash } from 'node:crypto'
import type { Clock } from './time/clock.ts'

/** A law that a run broke. */
export interface Violation {
  /** The law, a sentence. */
  readonly law: string
  /** Kind and name of the object that shows it. */
  readonly object: string
  readonly detail: string
  /** Seconds since the start of the run. */
  readonly seconds: number
}

const mostKept = 20

/** What happens in a run, line by line, and the laws that it breaks. */
export class Journal {
  readonly lines: string[] = []
  readonly violations: Violation[] = []
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  note(text: string): void {
    this.lines.push(`${(this.#clock.now / 1000).toFixed(3)} ${text}`)
  }

  violation(law: string, object: string, detail: string): void {
    this.note(`VIOLATION ${law} ${object}: ${detail}`)
    if (this.violations.length < mostKept)
      this.violations.push({ law, object, detail, seconds: this.#clock.now / 1000 })
  }

  /** The same for the same lines. */
  digest(): string {
    return createHash('sha256').update(this.lines.join('\n')).digest('hex').slice(0, 12)
  }
}
