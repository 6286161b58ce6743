import type { StoredObject } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import { belongingLaws } from '../laws/belonging.ts'
import type { Named } from '../laws/endings.ts'
import { check, checkWrites } from '../laws/law.ts'
import { answerLaws, deletionLaw, readingLaw } from '../laws/rest/answers.ts'
import { deployedFindings, historyFindings } from '../laws/rest/deployed.ts'
import { gatewayFindings } from '../laws/rest/gateways.ts'
import { keyLaw } from '../laws/rest/keys.ts'
import { listingFindings } from '../laws/rest/listings.ts'
import { type Ask, checkPages, type KnownPages, type PageFinding, pagesLater } from '../laws/rest/pages.ts'
import { planFindings } from '../laws/rest/plans.ts'
import { streamFindings } from '../laws/rest/streams.ts'
import { tokenFindings, tokenLaws } from '../laws/rest/tokens.ts'
import type { Act } from '../users/acts/act.ts'
import { restActs } from '../users/rest/acts.ts'
import type { User } from '../users/user.ts'
import type { World } from '../world.ts'
import type { GatewayProcess } from './gateway-process.ts'
import { Gateways } from './gateways.ts'
import { deployPlanned, type Planned } from './planned.ts'
import { type Exchange, RestClient, RestMemory } from './rest-client.ts'

/** The gateways of a run, those who use them, and their laws. */
export class RestSide {
  readonly #world: World
  readonly #gateways: Gateways
  readonly #memory = new RestMemory()
  readonly #planned: Planned[] = []
  /** By organization. */
  readonly #clients = new Map<string, RestClient>()
  #pages: readonly KnownPages[] = []
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
    return restActs(this.#clientOf(organization), this.#gateways, this.#world.features)
  }

  /** Checks what must hold when nothing has failed for long. */
  async check(): Promise<void> {
    const { accepted, refusals, tokens } = this.#memory
    check(this.#world, [...this.#belonging.quiet, refusals.law])
    for (const gateway of this.#gateways.ready) {
      const findings = [
        ...(await gatewayFindings(this.#world, gateway, accepted)),
        ...(await this.#listingFindings(gateway)),
        ...(await tokenFindings(this.#world, gateway, tokens, this.#use)),
      ]
      for (const { law, object, detail } of findings) this.#world.journal.violation(law, object, detail)
    }
    for (const each of this.#memory.followers)
      for (const { law, object, detail } of await streamFindings(this.#world, each, this.#gateways.ready))
        this.#world.journal.violation(law, object, detail)
    this.#pages = []
    for (const [organization, client] of this.#clients) {
      for (const gateway of this.#gateways.ready)
        this.#report(await historyFindings(this.#world, organization, (path) => client.read(gateway, path)))
      const { findings, pages } = await checkPages(this.#world, organization, this.#asksOf(organization))
      this.#pages = [...this.#pages, ...pages]
      this.#report(findings)
    }
  }

  /** Checks that the gateways show what they showed at the last check, if nothing was written since. */
  async checkAgain(): Promise<void> {
    for (const each of this.#pages) this.#report(await pagesLater(this.#world, each))
  }

  /** A way to each gateway. */
  #asksOf(organization: string): Ask[] {
    const client = this.#clientOf(organization)
    return this.#gateways.ready.map(
      (gateway): Ask =>
        (method, path, body) =>
          client.ask(gateway, { method, path, body }),
    )
  }

  #report(findings: readonly PageFinding[]): void {
    for (const { law, object, detail } of findings) this.#world.journal.violation(law, object, detail)
  }

  async #listingFindings(gateway: GatewayProcess) {
    const all = [...this.#clients].map(([organization, client]) =>
      listingFindings(this.#world, organization, (path) => client.read(gateway, path)),
    )
    return (await Promise.all(all)).flat()
  }

  /** Plans a deployment, and starts it; answers its name if nothing should hinder it. */
  async deploy(user: User, environment: string): Promise<string | undefined> {
    const planned = await deployPlanned(this.#world, this.#clientOf(user.organization), user, environment)
    if (planned) this.#planned.push(planned)
    return planned?.plan.problems.length === 0 ? planned.name : undefined
  }

  /** Checks the plans of the deployments, which have ended. */
  async checkPlans(): Promise<void> {
    for (const each of this.#planned.splice(0))
      for (const { law, object, detail } of await planFindings(each, this.#world))
        this.#world.journal.violation(law, object, detail)
  }

  /** Checks what the gateways show of deployments that have succeeded. */
  async checkDeployed(made: readonly Named[]): Promise<void> {
    for (const [organization, client] of this.#clients)
      for (const gateway of this.#gateways.ready)
        this.#report(
          await deployedFindings(this.#world, made, organization, (path) => client.read(gateway, path)),
        )
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
    for (const each of this.#memory.followers) each.stop()
    this.#gateways.stop()
  }
}
