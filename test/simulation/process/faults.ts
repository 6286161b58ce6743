import type { Random } from '../../support/random.ts'
import { allServed } from '../server/resources.ts'
import type { Clock } from '../time/clock.ts'

/** What can fail in a run, until the faults end. */
export class Faults {
  isOn = true
  /** 0 for none of the failures of requests and watches. */
  readonly level: number
  /** Further milliseconds that some events of a watch need, by the plural of the resource. */
  readonly slowWatches = new Map<string, number>()
  /** Until when the watches of a resource report nothing, by its plural. */
  readonly heldWatches = new Map<string, number>()
  /** Until when quotas refuse new objects, by kind. */
  readonly fullQuotas = new Map<string, number>()
  /** Until when the API server answers no request. */
  outageUntil = 0
  /** How many requests have failed. */
  struck = 0
  readonly #clock: Clock
  readonly #random: Random

  constructor(clock: Clock, random: Random) {
    this.#clock = clock
    this.#random = random
    this.level = random.pick([0, 1, 1, 2, 4])
  }

  end(): void {
    this.isOn = false
    this.heldWatches.clear()
    this.fullQuotas.clear()
  }

  /** Whether the API server is down. */
  get isOutage(): boolean {
    return this.isOn && this.outageUntil > this.#clock.now
  }

  /** Whether a failure happens that has this probability at the lowest level above 0. */
  strikes(probability: number): boolean {
    return this.isOn && this.#random.chance(probability * this.level)
  }

  /** A pause of some milliseconds, rarely of seconds. */
  async delay(usual: number, rare: number): Promise<void> {
    const random = this.#random
    if (!this.isOn) return this.#clock.sleep(2)
    return this.#clock.sleep(random.chance(0.03) ? random.below(rare) : 1 + random.below(usual))
  }
}

/** Makes some watches slow, in some runs. */
export function slowWatches(faults: Faults, random: Random): void {
  if (random.chance(0.4)) return
  for (const { plural } of allServed.filter(({ kind }) => kind !== 'RoleBinding'))
    if (random.chance(0.35)) faults.slowWatches.set(plural, 200 + random.below(6000))
}
