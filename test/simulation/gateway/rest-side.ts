import type { StoredObject } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import { answerLaws, deletionLaw, readingLaw } from '../laws/answers.ts'
import { belongingLaws } from '../laws/belonging.ts'
import { gatewayFindings } from '../laws/gateways.ts'
import { keyLaw } from '../laws/keys.ts'
import { check, checkWrites } from '../laws/law.ts'
import { tokenFindings, tokenLaws } from '../laws/tokens.ts'
import { organization } from '../surroundings.ts'
import type { Act } from '../users/acts/act.ts'
import { restActs } from '../users/rest/acts.ts'
import type { World } from '../world.ts'
import type { GatewayProcess } from './gateway-process.ts'
import { Gateways } from './gateways.ts'
import { type Exchange, RestClient } from './rest-client.ts'

/** The gateways of a run, those who use them, and their laws. */
export class RestSide {
  readonly acts: readonly Act[]
  readonly #world: World
  readonly #gateways: Gateways
  readonly #client: RestClient
  readonly #belonging = belongingLaws((uid) => this.#client.accepted.has(uid))

  constructor(world: World) {
    this.#world = world
    checkWrites(world, [...this.#belonging.writes, keyLaw()])
    this.#gateways = new Gateways(world, 2)
    const read = ({ gateway }: Exchange, path: string) => this.#client.read(gateway, path)
    const laws = [...answerLaws, readingLaw(read), deletionLaw(read), ...tokenLaws(this.#use)]
    this.#client = new RestClient(world, this.#gateways, organization, laws)
    this.acts = restActs(this.#client, this.#gateways)
  }

  /** Checks what must hold when nothing has failed for long. */
  async check(): Promise<void> {
    check(this.#world, [...this.#belonging.quiet, this.#client.refusals.law])
    for (const gateway of this.#gateways.ready) {
      const findings = [
        ...(await gatewayFindings(this.#world, gateway, this.#client.accepted)),
        ...(await tokenFindings(this.#world, gateway, this.#client.tokens, this.#use)),
      ]
      for (const { law, object, detail } of findings) this.#world.journal.violation(law, object, detail)
    }
  }

  /** Whether a gateway made an object, and no request that made it was accepted. */
  isUnanswered({ metadata: { uid, annotations: given } }: StoredObject): boolean {
    return given?.[annotations.createdBy] !== undefined && !this.#client.accepted.has(uid)
  }

  readonly #use = (gateway: GatewayProcess, token: string) => this.#client.read(gateway, '/apps', token)

  endFaults(): void {
    this.#gateways.endFaults()
  }

  stop(): void {
    this.#gateways.stop()
  }
}
