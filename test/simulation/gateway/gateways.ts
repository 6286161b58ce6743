import { Life } from '../process/life.ts'
import type { Surroundings } from '../surroundings.ts'
import { GatewayProcess } from './gateway-process.ts'

/** Gateways count from this number, so that lines of the journal show which process wrote them. */
const firstId = 101
const longestStartMs = 8000

/** The processes of the gateway, of which each answers any request. One that ends is replaced. */
export class Gateways {
  readonly #surroundings: Surroundings
  readonly #living = new Set<GatewayProcess>()
  #started = 0
  #isOver = false

  constructor(surroundings: Surroundings, count: number) {
    this.#surroundings = surroundings
    for (let index = 0; index < count; index += 1) this.#start()
  }

  /** Those that answer requests. */
  get ready(): GatewayProcess[] {
    return [...this.#living].filter(({ cluster }) => cluster.store.synced)
  }

  /** One of them, for a request. */
  pick(): GatewayProcess {
    const [first, ...others] = this.ready
    if (!first) throw new Error('no gateway is ready')
    return this.#surroundings.random.pick([first, ...others])
  }

  /** One of them crashes: at once, or at one of its next requests to the API server. */
  crash(): void {
    const { random } = this.#surroundings
    const { life } = this.pick()
    if (random.chance(0.2)) life.end('CRASH')
    else
      life.plannedCrash = {
        request: life.requests + 1 + random.below(12),
        moment: random.pick(['before', 'after']),
      }
  }

  /** No gateway crashes any more by itself. */
  endFaults(): void {
    for (const { life } of this.#living) life.plannedCrash = undefined
  }

  /** Ends all for good. */
  stop(): void {
    this.#isOver = true
    for (const { life } of this.#living) life.end('END')
  }

  #start(): void {
    if (this.#isOver) return
    const { clock, faults, journal, random } = this.#surroundings
    const life = new Life(
      firstId + this.#started,
      (how) => {
        journal.note(`${how} p${life.id}`)
        this.#living.delete(process)
        process.close()
        clock.after(faults.isOn ? 100 + random.below(longestStartMs) : 500, () => this.#start())
      },
      { isGateway: true },
    )
    this.#started += 1
    journal.note(`START p${life.id}`)
    const process: GatewayProcess = new GatewayProcess(this.#surroundings, life)
    this.#living.add(process)
  }
}
