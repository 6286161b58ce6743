import type { StoredObject } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import { answerLaws, deletionLaw, readingLaw } from '../laws/answers.ts'
import { belongingLaws } from '../laws/belonging.ts'
import { gatewayFindings } from '../laws/gateways.ts'
import { keyLaw } from '../laws/keys.ts'
import { check, checkWrites } from '../laws/law.ts'
import { tokenFindings, tokenLaws } from '../laws/tokens.ts'
import type { Act } from '../users/acts/act.ts'
import { restActs } from '../users/rest/acts.ts'
import type { World } from '../world.ts'
import type { GatewayProcess } from './gateway-process.ts'
import { Gateways } from './gateways.ts'
import { type Exchange, RestClient, RestMemory } from './rest-client.ts'

/** The gateways of a run, those who use them, and their laws. */
export class RestSide {
  readonly #world: World
  readonly #gateways: Gateways
  readonly #memory = new RestMemory()
  /** By organization. */
  readonly #clients = new Map<string, RestClient>()
  readonly #belonging = belongingLaws((uid) => this.#memory.accepted.has(uid))

  constructor(world: World, organizations: readonly string[]) {
    this.#world = world
    checkWrites(world, [...this.#belonging.writes, keyLaw()])
    this.#gateways = new Gateways(world, 2)
    const read = ({ gateway, organization }: Exchange, path: string) =>
      this.#clientOf(organization).read(gateway, path)
    const laws = [...answerLaws, readingLaw(read), deletionLaw(read), ...tokenLaws(this.#use)]
    const parts = { world, gateways: this.#gateways, laws, memory: this.#memory }
    for (const each of organizations) this.#clients.set(each, new RestClient(parts, each))
  }

  /** What the users of an organization do. */
  actsOf(organization: string): readonly Act[] {
    return restActs(this.#clientOf(organization), this.#gateways)
  }

  /** Checks what must hold when nothing has failed for long. */
  async check(): Promise<void> {
    const { accepted, refusals, tokens } = this.#memory
    check(this.#world, [...this.#belonging.quiet, refusals.law])
    for (const gateway of this.#gateways.ready) {
      const findings = [
        ...(await gatewayFindings(this.#world, gateway, accepted)),
        ...(await tokenFindings(this.#world, gateway, tokens, this.#use)),
      ]
      for (const { law, object, detail } of findings) this.#world.journal.violation(law, object, detail)
    }
  }

  /** Whether a gateway made an object, and no request that made it was accepted. */
  isUnanswered({ metadata: { uid, annotations: given } }: StoredObject): boolean {
    return given?.[annotations.createdBy] !== undefined && !this.#memory.accepted.has(uid)
  }

  readonly #use = async (gateway: GatewayProcess, organization: string, token: string) =>
    [...this.#clients.values()][0]?.read(gateway, `/orgs/${organization}/apps`, token)

  #clientOf(organization: string): RestClient {
    const client = this.#clients.get(organization)
    if (!client) throw new Error(`no client uses the gateways for '${organization}'`)
    return client
  }

  endFaults(): void {
    this.#gateways.endFaults()
  }

  stop(): void {
    this.#gateways.stop()
  }
}
