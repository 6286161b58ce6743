import { Workload } from '../../operator/api/workload.ts'
import { createRandom } from '../support/random.ts'
import { type Features, featuresOf, neighbourFeatures } from './features.ts'
import { RestSide } from './gateway/rest-side.ts'
import { Journal } from './journal.ts'
import { countLaws, endedLaw } from './laws/counts.ts'
import { orderLaws } from './laws/deployments/order.ts'
import { finalLaws } from './laws/endings.ts'
import { idleLaws } from './laws/idle.ts'
import { check, checkWrites, type Law } from './laws/law.ts'
import { readyInOther, removalLaws } from './laws/removal.ts'
import { rivalLaws } from './laws/rivals.ts'
import { steadyLaws } from './laws/steady.ts'
import { deliveryLaws, onceLaw } from './laws/webhooks/deliveries.ts'
import { eventLaws } from './laws/webhooks/events.ts'
import { writtenLaws } from './laws/written.ts'
import { Outside } from './outside/outside.ts'
import { Faults, slowWatches } from './process/faults.ts'
import { Processes } from './process/processes.ts'
import { ApiServer } from './server/api-server.ts'
import { startControllers } from './server/controllers.ts'
import { Quotas } from './server/quotas.ts'
import { servedAs } from './server/resources.ts'
import { Rights } from './server/rights.ts'
import { deployEach, deployPlanned } from './stages/deployments.ts'
import { meetLimits } from './stages/limits.ts'
import { changeValues, deployAgain, registerLast, writeRules } from './stages/returns.ts'
import { organization, otherOrganization } from './surroundings.ts'
import { Clock } from './time/clock.ts'
import { replaceGlobals } from './time/replace-globals.ts'
import { actOnce, actsOf } from './users/acts/acts.ts'
import { endLimits } from './users/acts/limits.ts'
import { equalActs } from './users/acts/rivals.ts'
import {
  createInstallation,
  createMissing,
  createOrganization,
  createRules,
  endWebhooks,
  removeUnused,
} from './users/beginning.ts'
import { applications, credentials, restApplication } from './users/names.ts'
import { User } from './users/user.ts'
import type { World } from './world.ts'

const seconds = 1000
const rivalChanges = 12
/** One run: hours of an installation, in virtual time, from a seed. */
export class Run {
  readonly world: World
  readonly processes: Processes
  readonly #user: User
  /** All users: the first one, and perhaps one of another organization. */
  readonly #users: readonly User[]
  readonly #rest: RestSide | undefined
  /** What must hold when nothing has failed for long. */
  readonly #quietLaws: readonly Law[]

  readonly #countsOf = () => this.processes.leader?.counts

  constructor(seed: number) {
    const clock = new Clock()
    const random = createRandom(seed)
    replaceGlobals(clock, random)
    const journal = new Journal(clock)
    const features: Features = featuresOf(seed, random)
    const faults = new Faults(clock, random)
    const server = new ApiServer()
    const rights = new Rights({ clock, random, server }, features.rights)
    const outside = new Outside(journal)
    this.world = { clock, random, journal, features, faults, server, rights, outside }
    this.#user = new User(this.world, features)
    const other = new User(this.world, neighbourFeatures(features), otherOrganization)
    this.#users = features.neighbours ? [this.#user, other] : [this.#user]
    startControllers(this.world)
    const events = eventLaws()
    const deliveries = deliveryLaws()
    const order = orderLaws()
    this.#quietLaws = [
      ...steadyLaws,
      ...order.quiet,
      ...events.quiet,
      ...deliveries.quiet,
      ...countLaws(this.#countsOf),
    ]
    if (features.limits) server.quotas = new Quotas({ clock, random, storage: server.storage })
    checkWrites(this.world, [events.writes, deliveries.writes])
    createInstallation(this.#user)
    if (features.neighbours) createOrganization(other)
    this.#createMissing()
    if (features.images) createRules(this.#user)
    slowWatches(faults, random)
    checkWrites(this.world, [...writtenLaws(), ...order.writes])
    this.processes = new Processes(this.world, outside, features.standby ? 2 : 1)
    this.#rest = features.gateways
      ? new RestSide(
          this.world,
          this.#users.map(({ organization: each }) => each),
        )
      : undefined
  }

  /** Does all parts of the run; the journal has the laws that it broke. */
  async complete(): Promise<void> {
    await this.#work()
    await this.#becomeQuiet()
    await this.#deployAll()
    await this.#removeAll()
    this.processes.stop()
    this.#rest?.stop()
  }

  /** Users act, and everything fails now and then. */
  async #work(): Promise<void> {
    const { clock, random } = this.world
    const [acts = [], otherActs = []] = this.#users.map((each) => actsOf(each.features, this.processes))
    const other = this.#users[1]
    const count = 6 + random.below(random.pick([40, 40, 90]))
    const span = random.pick([8 * seconds, 30 * seconds, 20 * seconds + random.below(200 * seconds)])
    for (let act = 0; act < count; act += 1)
      clock.after(random.below(span), () => {
        if (other && random.chance(0.4)) actOnce(other, otherActs)
        else actOnce(this.#user, acts)
      })
    const rest = this.#rest
    for (const user of rest ? this.#users : []) {
      const restActs = rest?.actsOf(user.organization) ?? []
      for (let act = 0; act < count; act += 1) clock.after(random.below(span), () => actOnce(user, restActs))
    }
    await clock.pass(span + 21 * seconds)
  }

  /** Nothing fails any more: all ends, and then nothing is written. */
  async #becomeQuiet(): Promise<void> {
    const { clock, journal, random } = this.world
    this.#endFaults()
    for (const user of this.#users) endLimits(user)
    await this.#restoreOrganization()
    this.#createMissing()
    if (random.chance(0.3)) this.processes.crash()
    await clock.pass(5600 * seconds)
    journal.note('QUIET')
    check(this.world, this.#quietLaws)
    await this.#checkRest()
    const idle = idleLaws(this.world, this.#countsOf)
    await clock.pass(3700 * seconds)
    check(this.world, idle)
    if (this.#rest) await clock.passUntil(this.#rest.checkAgain())
  }

  /** Creates the organization, if it was deleted, when its deletion has ended. */
  async #restoreOrganization(): Promise<void> {
    const { clock, features, server } = this.world
    const current = () => server.storage.get(servedAs('Namespace'), undefined, organization)
    if (!features.deletions || (current() && !current()?.metadata.deletionTimestamp)) return
    await clock.pass(4800 * seconds)
    this.#user.does('creates the organization', () => createOrganization(this.#user))
  }

  /** The last deployments, which nothing hinders. */
  async #deployAll(): Promise<void> {
    const { clock, features, journal } = this.world
    for (const user of this.#users)
      for (const { metadata } of user.all(Workload))
        user.does(`deletes ${metadata.name}`, () => user.remove('Workload', metadata.name))
    await clock.pass(300 * seconds)
    for (const user of this.#users) if (user.features.limits) await meetLimits(this.world, user)
    await this.#changeRivals()
    await this.#endSome()
    journal.note('LAST DEPLOYMENTS')
    this.#createMissing(true)
    await clock.pass(200 * seconds)
    const once = [endedLaw(this.world, this.#countsOf), onceLaw(this.world)]
    const made =
      features.plans && this.#rest ? deployPlanned(this.#users, this.#rest) : deployEach(this.#users)
    await clock.pass(2400 * seconds)
    if (this.#rest) await clock.passUntil(this.#rest.checkPlans())
    check(this.world, [...finalLaws(made), ...once, ...this.#quietLaws])
    await this.#checkRest()
    if (this.#rest) await clock.passUntil(this.#rest.checkDeployed(made))
    if (features.returns) await this.#deployAgain()
  }

  /** Sets of before are deployed again, and a version of an image. */
  async #deployAgain(): Promise<void> {
    const { clock, features, journal } = this.world
    journal.note('RETURNS')
    changeValues(this.#users)
    await clock.pass(20 * seconds)
    const made = deployAgain(this.#users)
    await clock.pass(2400 * seconds)
    check(this.world, [...finalLaws(made), ...this.#quietLaws])
    if (this.#rest) await clock.passUntil(this.#rest.checkDeployed(made))
    if (!features.images) return
    writeRules(this.#user)
    await clock.pass(20 * seconds)
    const last = registerLast(this.#user)
    await clock.pass(600 * seconds)
    check(this.world, [last, ...this.#quietLaws])
  }

  /** Objects that want the same come and go: sooner than all objects are looked at again, their states are right. */
  async #changeRivals(): Promise<void> {
    const { clock } = this.world
    for (const user of this.#users)
      for (let time = 0; time < rivalChanges && user.features.equals; time += 1) {
        actOnce(user, equalActs)
        await clock.pass(20 * seconds)
        check(this.world, rivalLaws)
      }
  }

  /** Those who follow an environment see the ends of resources too, and webhooks that end or are disabled get no event. */
  async #endSome(): Promise<void> {
    const { clock, features } = this.world
    if (features.streams) for (const user of this.#users) removeUnused(user)
    // A deleted Secret that one of them needed ends with it, and can be created anew.
    if (features.streams) await clock.pass(100 * seconds)
    if (features.operations) for (const user of this.#users) endWebhooks(user)
  }

  #createMissing(isHealthy = false): void {
    for (const user of this.#users) createMissing(user, isHealthy)
  }

  /** The applications, or the whole organization, are deleted, again with failures. */
  async #removeAll(): Promise<void> {
    const { clock, faults, journal, random } = this.world
    journal.note('REMOVAL')
    const user = this.#user
    const isWhole = random.chance(0.5)
    const before = readyInOther(this.world)
    faults.isOn = random.chance(0.6)
    if (faults.isOn && random.chance(0.5)) this.processes.planCrash(1, 60)
    // The removal may meet resources that are being provisioned.
    if (faults.isOn && random.chance(0.6)) {
      deployEach(this.#users)
      await clock.pass(random.below(3000))
    }
    const remove = (kind: string, name: string) =>
      user.does(`deletes ${kind} ${name}`, () => user.remove(kind, name))
    if (random.chance(0.3)) for (const name of credentials) remove('Secret', name)
    if (random.chance(0.3)) remove('ResourceAccount', 'acct')
    if (isWhole) remove('Namespace', 'acme')
    else for (const name of this.#applications) remove('Application', name)
    await clock.pass(90 * seconds)
    this.#endFaults()
    await clock.pass(4800 * seconds)
    const rest = this.#rest
    check(
      this.world,
      removalLaws(isWhole, before, (each) => rest?.isUnanswered(each) ?? false),
    )
    await this.#checkRest()
  }

  get #applications(): string[] {
    return this.world.features.gateways ? [...applications, restApplication] : applications
  }

  async #checkRest(): Promise<void> {
    if (this.#rest) await this.world.clock.passUntil(this.#rest.check())
  }

  #endFaults(): void {
    const { faults, journal, rights } = this.world
    journal.note('FAULTS END')
    faults.end()
    rights.repair()
    this.processes.endFaults()
    this.#rest?.endFaults()
  }
}
