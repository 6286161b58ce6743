import { isObject } from '../../../operator/domain/base/json.ts'
import { secretMark } from '../secret-mark.ts'
import { servedAs } from '../server/resources.ts'
import { placeOf } from '../users/rest/choice.ts'
import type { World } from '../world.ts'
import type { GatewayProcess } from './gateway-process.ts'
import type { Gateways } from './gateways.ts'

/** Whose events a follower gets. */
export interface Followed {
  readonly organization: string
  readonly environment: string
  readonly token: string
}

/** A change, as an event says it. */
interface Change {
  readonly kind: string
  readonly id: string
  readonly state: string
}

/** Which gateway has revoked a token, and when. */
export type Revoked = ReadonlyMap<string, { readonly gateway: GatewayProcess; readonly at: number }>

const kindsOfEvents: Readonly<Record<string, string>> = {
  environment: 'Environment',
  deployment: 'EnvironmentDeployment',
  resource: 'ActiveResource',
}
const quietPauseMs = 120_000
const mostEventPauseMs = 3000
const mostReadPauseMs = 4000
const statesOfLists = { resources: 'resource', deploys: 'deployment' } as const

/**
 * A client that follows an environment as the reference says: it connects again after each end, and reads everything again at
 * `reload`, and after each event.
 */
export class Follower {
  readonly followed: Followed
  /** What it has read last: states by kind and ID. */
  known: ReadonlyMap<string, string> = new Map()
  /** The last states of events since the last `reload`. */
  readonly lastStates = new Map<string, string>()
  /** The gateway of the open stream. */
  gateway: GatewayProcess | undefined
  /** When it got a text last. */
  heardAt = 0
  readonly #world: World
  readonly #gateways: Gateways
  readonly #revoked: Revoked
  #isOver = false
  #isReading = false
  /** How long after it was sent a text is read. */
  #latestReadMs = 0
  /** The gateway to read at, since an event came from it. */
  #toRead: GatewayProcess | undefined
  #close: (() => void) | undefined

  constructor(world: World, gateways: Gateways, revoked: Revoked, followed: Followed) {
    this.#world = world
    this.#gateways = gateways
    this.#revoked = revoked
    this.followed = followed
  }

  async follow(): Promise<void> {
    const { clock, faults, random } = this.#world
    while (!this.#isOver) {
      if (this.#gateways.ready.length > 0) await this.#connect()
      await clock.sleep(faults.isOn ? 100 + random.below(mostEventPauseMs) : quietPauseMs)
    }
  }

  stop(): void {
    this.#isOver = true
    this.#close?.()
  }

  async #connect(): Promise<void> {
    const { clock, faults, journal, random } = this.#world
    const gateway = this.#gateways.pick()
    const { ended, close } = gateway.stream(
      { method: 'GET', path: `${this.#path}/changes`, headers: this.#headers },
      { onText: (text) => this.#hear(gateway, text), pause: this.#pauseOfReader() },
    )
    this.#close = close
    const timer = faults.isOn && random.chance(0.3) ? clock.after(random.below(9000), close) : undefined
    const status = await ended
    timer?.close()
    this.gateway = undefined
    if (status === 429) this.#break('A stream is refused only to who has many.', '429')
    journal.note(`STREAM p${gateway.life.id} ${this.#path} ended: ${status}`)
  }

  /** Some read slowly. */
  #pauseOfReader(): (() => Promise<void>) | undefined {
    const { clock, features, random } = this.#world
    this.#latestReadMs = 0
    if (!features.operations || random.chance(0.5)) return undefined
    this.#latestReadMs = 2 * mostReadPauseMs
    return () => clock.sleep(random.below(mostReadPauseMs))
  }

  get #path(): string {
    const { organization, environment } = this.followed
    return `/orgs/${organization}${placeOf(environment)}`
  }

  get #headers() {
    return { authorization: `Bearer ${this.followed.token}` }
  }

  #hear(gateway: GatewayProcess, text: string): void {
    const { clock, journal } = this.#world
    this.heardAt = clock.now
    if (text.includes(secretMark)) this.#break('No event of a stream contains a secret.', text)
    for (const [, name, data = ''] of text.matchAll(/event: (\w+)\ndata: (.*)\n/g)) {
      journal.note(`STREAM p${gateway.life.id} ${this.#path} ${name} ${data}`)
      if (name === 'end') continue
      const { gateway: revoker, at = 0 } = this.#revoked.get(this.followed.token) ?? {}
      if (revoker === gateway && at + this.#latestReadMs < clock.now)
        this.#break('A gateway sends no event to a token that it has revoked.', data)
      if (name === 'reload') {
        this.gateway = gateway
        this.lastStates.clear()
      } else this.#learn(JSON.parse(data) as Change)
      void this.#read(gateway)
    }
  }

  #learn(change: Change): void {
    this.lastStates.set(`${change.kind}/${change.id}`, change.state)
    if (!this.#isOwn(change))
      this.#break('A stream has events of its environment alone.', JSON.stringify(change))
  }

  #isOwn({ kind, id }: Change): boolean {
    const { organization, environment } = this.followed
    const served = servedAs(kindsOfEvents[kind] ?? '')
    return this.#world.server.storage.changesOf(served).some(({ object: { metadata, spec } }) => {
      if (metadata.name !== id || metadata.namespace !== organization) return false
      return kind === 'environment'
        ? id === environment
        : isObject(spec) && spec['environmentName'] === environment
    })
  }

  /** Reads all, and again if an event came meanwhile. */
  async #read(gateway: GatewayProcess): Promise<void> {
    this.#toRead = gateway
    if (this.#isReading) return
    this.#isReading = true
    for (;;) {
      const next: GatewayProcess | undefined = this.#toRead
      if (!next) break
      this.#toRead = undefined
      this.known = (await this.readAt(next)) ?? this.known
    }
    this.#isReading = false
  }

  /** What a gateway shows of the environment; undefined if it shows nothing. */
  async readAt(gateway: GatewayProcess): Promise<ReadonlyMap<string, string> | undefined> {
    const known = new Map<string, string>()
    for (const [list, kind] of Object.entries(statesOfLists)) {
      const answer = await gateway.handle({
        method: 'GET',
        path: `${this.#path}/${list}`,
        headers: this.#headers,
      })
      if (answer?.status !== 200) return undefined
      for (const item of JSON.parse(answer.text) as Item[]) {
        const id = item.gu_res_id ?? item.id ?? ''
        known.set(`${kind}/${id}`, typeof item.status === 'string' ? item.status : item.status.state)
      }
    }
    return known
  }

  #break(law: string, detail: string): void {
    const { organization, environment } = this.followed
    this.#world.journal.violation(law, `Environment ${organization}/${environment}`, detail)
  }
}

interface Item {
  readonly id?: string
  readonly gu_res_id?: string
  readonly status: string | { readonly state: string }
}
