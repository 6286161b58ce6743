import type { Outside } from '../outside/outside.ts'
import type { Surroundings } from '../surroundings.ts'
import { Life } from './life.ts'
import { Process } from './process.ts'

/** How long an operator that is asked to end may take. */
const gracePeriodMs = 25_000
/** A lease is free this long after its last renewal. */
const leaseMs = 15_000

/**
 * The processes of the operator, one or two, of which one leads. A process that ends is replaced. The election is a model:
 * the next process leads when the lease of the last leader has expired, at once after an orderly end.
 */
export class Processes {
  leader: Process | undefined
  /** Processes that ended without being asked to. */
  crashes = 0
  readonly #surroundings: Surroundings
  readonly #outside: Outside
  readonly #living = new Set<Process>()
  #started = 0
  #isOver = false
  #isLeaseFree = true

  constructor(surroundings: Surroundings, outside: Outside, count: number) {
    this.#surroundings = surroundings
    this.#outside = outside
    for (let index = 0; index < count; index += 1) this.#start()
  }

  /** The leader crashes. */
  crash(): void {
    this.leader?.life.end('CRASH')
  }

  /** Lets the leader crash by itself within its next requests, from `earliest` on. */
  planCrash(earliest: number, most: number): void {
    const { random } = this.#surroundings
    const { life } = this.leader ?? {}
    if (!life) return
    const request = life.requests + earliest + random.below(most)
    life.plannedCrash = { request, moment: random.pick(['before', 'after']) }
  }

  /** Stops the leader as a rolling update does. */
  restart(): void {
    const { clock } = this.#surroundings
    const process = this.leader
    if (!process?.isWorking) throw new Error('no leader works')
    const end = () => process.life.end('END')
    const timer = clock.after(gracePeriodMs, end)
    void process.stop().then(() => {
      timer.close()
      end()
    })
  }

  /** The leader cannot renew its lease: it notices, and ends late, while the next process may lead already. */
  loseLease(): void {
    const { clock, journal, random } = this.#surroundings
    const process = this.leader
    if (!process?.isWorking) throw new Error('no leader works')
    journal.note(`LOSES THE LEASE p${process.life.id}`)
    process.life.isLeader = false
    this.leader = undefined
    clock.after(1 + random.below(8000), () => process.life.end('CRASH'))
    clock.after(leaseMs / 3, () => this.#freeLease())
  }

  /** No process crashes any more by itself; those with other settings are replaced. */
  endFaults(): void {
    for (const { life } of this.#living) life.plannedCrash = undefined
    if (!this.#surroundings.features.settings) return
    for (const { life } of this.#living) life.end('CRASH')
  }

  /** Ends all processes for good. */
  stop(): void {
    this.#isOver = true
    for (const { life } of this.#living) life.end('END')
  }

  #start(): void {
    if (this.#isOver) return
    const { faults, journal, random } = this.#surroundings
    this.#started += 1
    const life = new Life(this.#started, (how) => this.#ended(process, how))
    const process: Process = new Process(this.#surroundings, this.#outside, life)
    if (faults.isOn && random.chance(0.75)) {
      const request = 30 + random.below(random.pick([100, 300, 600]))
      life.plannedCrash = { request, moment: random.pick(['before', 'after']) }
    }
    this.#living.add(process)
    journal.note(`START p${life.id}`)
    this.#elect()
  }

  #ended(process: Process, how: 'CRASH' | 'END'): void {
    const { clock, faults, journal, random } = this.#surroundings
    journal.note(`${how} p${process.life.id}`)
    if (how === 'CRASH') this.crashes += 1
    this.#living.delete(process)
    process.close()
    if (this.leader === process) {
      this.leader = undefined
      clock.after(how === 'END' ? random.below(2000) : random.below(leaseMs), () => this.#freeLease())
    }
    clock.after(faults.isOn ? 100 + random.below(leaseMs) : 500, () => this.#start())
  }

  #freeLease(): void {
    this.#isLeaseFree = true
    this.#elect()
  }

  /** A process that starts, or waits longest, leads if no other one does. One that has led ends instead. */
  #elect(): void {
    if (!this.#isLeaseFree) return
    const process = [...this.#living].find(({ life, hasLed }) => life.isAlive && !hasLed)
    if (!process) return
    this.#isLeaseFree = false
    this.leader = process
    void process.lead()
  }
}
