import { AsyncLocalStorage } from 'node:async_hooks'
import { Refusals } from '../laws/rest/refusals.ts'
import type { Change } from '../server/storage.ts'
import type { World } from '../world.ts'
import type { RestAnswer, RestRequest } from './exchange.ts'
import { Follower } from './follower.ts'
import type { GatewayProcess } from './gateway-process.ts'
import type { Gateways } from './gateways.ts'
import { Tokens } from './tokens.ts'

/** An object that a request is about, or that its path names. */
export interface Subject {
  readonly kind: string
  readonly name: string
}

/** A request of a user. */
export interface RestCall {
  readonly as?: string
  readonly method: RestRequest['method']
  /** Below the organization. */
  readonly path: string
  /** Whether the path is not below an organization. */
  readonly isOfAll?: boolean
  /** In place of that of the user. */
  readonly token?: string
  /** The token that it revokes. */
  readonly revoked?: string
  readonly body?: unknown
  readonly key?: string
  /** The objects without which it is answered 404. */
  readonly about?: readonly Subject[]
  /** The path at which the same gateway shows the result, and fields that it then has. */
  readonly shown?: { readonly path: string; readonly fields: Readonly<Record<string, unknown>> }
}

/** A request, its answer, and what it wrote. */
export interface Exchange {
  readonly call: RestCall
  /** Undefined if the gateway ended before. */
  readonly answer: RestAnswer | undefined
  readonly gateway: GatewayProcess
  readonly organization: string
  /** Its writes to the API server. */
  readonly writes: readonly Change[]
  /** Whether a request of anyone to the API server failed meanwhile. */
  readonly isDisturbed: boolean
  /** The versions of the storage at its begin and its end. */
  readonly from: number
  readonly to: number
}

/** A law about each answer. */
export interface AnswerLaw {
  readonly law: string
  /** What is wrong with an answer; undefined for nothing. */
  problem(exchange: Exchange, world: World): Promise<string | undefined> | string | undefined
}

/** The token of a user of the runs. */
export const tokenOf = (user: string) => `qm_${user}_secret-of-${user}`

const longestPauseMs = 1500
const mostAttempts = 6
const mostFollowers = 6

/** What the requests of all organizations have done. */
export class RestMemory {
  /** The uids of the objects that accepted requests made. */
  readonly accepted = new Set<string>()
  readonly refusals = new Refusals()
  readonly tokens = new Tokens()
  readonly followers: Follower[] = []
  readonly revoked = new Map<string, { readonly gateway: GatewayProcess; readonly at: number }>()
}

/** What the clients of a run share. */
interface Parts {
  readonly world: World
  readonly gateways: Gateways
  readonly laws: readonly AnswerLaw[]
  readonly memory: RestMemory
}

/** Sends requests of the users of an organization to any gateway, whose answers can be lost. */
export class RestClient {
  readonly memory: RestMemory
  readonly #world: World
  readonly #gateways: Gateways
  readonly #organization: string
  readonly #laws: readonly AnswerLaw[]
  /** The writes of the request that is being handled. */
  readonly #handled = new AsyncLocalStorage<Change[]>()

  constructor({ world, gateways, laws, memory }: Parts, organization: string) {
    this.#world = world
    this.#gateways = gateways
    this.#organization = organization
    this.#laws = laws
    this.memory = memory
    world.server.storage.follow((change) => void this.#handled.getStore()?.push(change))
  }

  /** Sends a request; answers undefined if its answer is lost. */
  async #send(call: RestCall): Promise<RestAnswer | undefined> {
    const { clock, faults, journal, random, server } = this.#world
    const gateway = this.#gateways.pick()
    const from = server.storage.version
    const struck = faults.struck
    const writes: Change[] = []
    const answer = await this.#handled.run(writes, () => gateway.handle(this.#requestOf(call)))
    const line = `REST p${gateway.life.id} ${call.as ?? 'admin'} ${call.method} ${call.path}`
    journal.note(
      `${line} ${JSON.stringify(call.body) ?? ''} -> ${answer?.status} ${answer?.text.slice(0, 300)}`,
    )
    const exchange: Exchange = {
      call,
      answer,
      gateway,
      organization: this.#organization,
      writes,
      isDisturbed: faults.struck > struck || faults.isOutage,
      from,
      to: server.storage.version,
    }
    if (answer && answer.status < 300)
      for (const { type, object } of writes)
        if (type === 'ADDED') this.memory.accepted.add(object.metadata.uid)
    this.memory.refusals.note(exchange)
    if (call.revoked !== undefined && answer?.status === 204)
      this.memory.revoked.set(call.revoked, { gateway, at: clock.now })
    await this.#check(exchange)
    await clock.sleep(faults.isOn ? 1 + random.below(30) : 1)
    if (!faults.strikes(0.03)) return answer
    journal.note(`FAULT lost answer of ${line}`)
    return undefined
  }

  /** Sends a request again until it has an answer that is no failure, each time to any gateway. */
  async sendUntilAnswered(call: RestCall, attempts = mostAttempts): Promise<RestAnswer | undefined> {
    const { clock, random } = this.#world
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const answer = this.#gateways.ready.length > 0 ? await this.#send(call) : undefined
      if (answer && answer.status < 500) return answer
      if (attempt + 1 < attempts) await clock.sleep(50 + random.below(longestPauseMs))
    }
    return undefined
  }

  /** Follows an environment until the run ends. */
  follow(environment: string, token: string): void {
    const { followers, revoked } = this.memory
    if (followers.length >= mostFollowers) return
    const followed = { organization: this.#organization, environment, token }
    const follower = new Follower(this.#world, this.#gateways, revoked, followed)
    followers.push(follower)
    void follower.follow()
  }

  /** Reads without laws; with a token, a whole path. */
  async read(gateway: GatewayProcess, path: string, token?: string): Promise<RestAnswer | undefined> {
    const given = token === undefined ? {} : { token, isOfAll: true }
    return gateway.handle(this.#requestOf({ method: 'GET', path, ...given }))
  }

  /** Sends a request of the administrator without laws. */
  ask(
    gateway: GatewayProcess,
    call: Pick<RestCall, 'method' | 'path' | 'body'>,
  ): Promise<RestAnswer | undefined> {
    return gateway.handle(this.#requestOf(call))
  }

  #requestOf({ as = 'admin', method, path, isOfAll, token = tokenOf(as), body, key }: RestCall): RestRequest {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    }
    return { method, path: isOfAll ? path : `/orgs/${this.#organization}${path}`, headers, body }
  }

  async #check(exchange: Exchange): Promise<void> {
    const { call, answer } = exchange
    for (const { law, problem } of this.#laws) {
      const detail = await problem(exchange, this.#world)
      if (detail === undefined) continue
      const object = `${call.method} ${call.path}`
      this.#world.journal.violation(
        law,
        object,
        `${detail} (${answer?.status} ${answer?.text.slice(0, 200)})`,
      )
    }
  }
}
