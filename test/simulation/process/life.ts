/** When a process crashes by itself: before or after the API server handles one of its requests. */
export interface PlannedCrash {
  readonly request: number
  readonly moment: 'before' | 'after'
}

/** The life of one process: its number, whether it lives, and how it ends. */
export class Life {
  readonly id: number
  isAlive = true
  /** Whether it has the lease, by its own clock. */
  isLeader = false
  requests = 0
  plannedCrash: PlannedCrash | undefined
  /** Whether it is the life of a gateway, whose rights are others. */
  readonly isGateway: boolean
  readonly #onEnd: (how: 'CRASH' | 'END') => void

  constructor(id: number, onEnd: (how: 'CRASH' | 'END') => void, { isGateway = false } = {}) {
    this.id = id
    this.isGateway = isGateway
    this.#onEnd = onEnd
  }

  end(how: 'CRASH' | 'END'): void {
    if (!this.isAlive) return
    this.isAlive = false
    this.isLeader = false
    this.#onEnd(how)
  }
}

/** What a process that has ended waits for. */
export const never = new Promise<never>(() => undefined)
