import { createRandom } from '../support/random.ts'
import { type Features, featuresOf } from './features.ts'
import { Journal } from './journal.ts'
import { deploymentWriteLaws } from './laws/deployment-writes.ts'
import { endingLaws, finalLaws, hasFailures } from './laws/endings.ts'
import { check, checkWrites, type Law } from './laws/law.ts'
import { objectWriteLaws } from './laws/object-writes.ts'
import { removalLaws } from './laws/removal.ts'
import { resourceLaws } from './laws/resources.ts'
import { webhookLaws } from './laws/webhooks.ts'
import { workloadLaws } from './laws/workloads.ts'
import { Outside } from './outside/outside.ts'
import { Faults } from './process/faults.ts'
import { Processes } from './process/processes.ts'
import { ApiServer } from './server/api-server.ts'
import { startControllers } from './server/controllers.ts'
import { allServed } from './server/resources.ts'
import { Clock } from './time/clock.ts'
import { replaceGlobals } from './time/replace-globals.ts'
import { actOnce, actsOf } from './users/acts/acts.ts'
import { createInstallation, createMissing, createRules } from './users/beginning.ts'
import { contentBy, deploy } from './users/contents.ts'
import { applications, credentials, environments } from './users/names.ts'
import { User } from './users/user.ts'
import type { World } from './world.ts'

const seconds = 1000
const quietLaws: readonly Law[] = [...endingLaws, ...resourceLaws, ...webhookLaws, ...workloadLaws]

/** One run: hours of an installation, in virtual time, from a seed. */
export class Run {
  readonly world: World
  readonly processes: Processes
  readonly #user: User

  constructor(seed: number) {
    const clock = new Clock()
    const random = createRandom(seed)
    replaceGlobals(clock, random)
    const journal = new Journal(clock)
    const features: Features = featuresOf(random)
    const faults = new Faults(clock, random)
    const server = new ApiServer()
    const outside = new Outside(journal)
    this.world = { clock, random, journal, features, faults, server, outside }
    this.#user = new User(this.world, features)
    startControllers(this.world)
    createInstallation(this.#user)
    createMissing(this.#user)
    if (features.images) createRules(this.#user)
    this.#slowWatches()
    checkWrites(this.world, [...deploymentWriteLaws(), ...objectWriteLaws])
    this.processes = new Processes(this.world, outside, features.standby ? 2 : 1)
  }

  /** Does all parts of the run; the journal has the laws that it broke. */
  async complete(): Promise<void> {
    await this.#work()
    await this.#becomeQuiet()
    await this.#deployAll()
    await this.#removeAll()
    this.processes.stop()
  }

  #slowWatches(): void {
    const { faults, random } = this.world
    if (random.chance(0.4)) return
    for (const { plural } of allServed)
      if (random.chance(0.35)) faults.slowWatches.set(plural, 200 + random.below(6000))
  }

  /** Users act, and everything fails now and then. */
  async #work(): Promise<void> {
    const { clock, features, random } = this.world
    const acts = actsOf(features, this.processes)
    const count = 6 + random.below(random.pick([40, 40, 90]))
    const span = random.pick([8 * seconds, 30 * seconds, 20 * seconds + random.below(200 * seconds)])
    for (let act = 0; act < count; act += 1) clock.after(random.below(span), () => actOnce(this.#user, acts))
    await clock.pass(span + 21 * seconds)
  }

  /** Nothing fails any more: all ends, and then nothing is written. */
  async #becomeQuiet(): Promise<void> {
    const { clock, journal, random, server } = this.world
    this.#endFaults()
    createMissing(this.#user)
    if (random.chance(0.3)) this.processes.crash()
    await clock.pass(5600 * seconds)
    journal.note('QUIET')
    check(this.world, quietLaws)
    const [version, idleWrites, line] = [server.storage.version, server.idleWrites, journal.lines.length]
    await clock.pass(3700 * seconds)
    const count = server.storage.version - version + server.idleWrites - idleWrites
    if (count > 0 && !hasFailures(this.world))
      journal.violation(
        'Nothing is written when nothing changes and nothing fails.',
        'all objects',
        `${count} writes: ${journal.lines
          .slice(line, line + 5)
          .join(' | ')
          .slice(0, 800)}`,
      )
  }

  /** The last deployments, which nothing hinders. */
  async #deployAll(): Promise<void> {
    const { clock, journal, server } = this.world
    for (const served of allServed.filter(({ kind }) => kind === 'Workload'))
      for (const { metadata } of server.storage.list(served))
        this.#user.does(`deletes ${metadata.name}`, () => this.#user.remove('Workload', metadata.name))
    await clock.pass(300 * seconds)
    journal.note('LAST DEPLOYMENTS')
    createMissing(this.#user, true)
    await clock.pass(200 * seconds)
    const names = this.#deployEach()
    await clock.pass(2400 * seconds)
    check(this.world, [...finalLaws(names), ...quietLaws])
  }

  /** Deploys something to each environment; answers the names of the deployments. */
  #deployEach(): string[] {
    const names: string[] = []
    for (const name of environments)
      this.#user.does(`deploys ${name}`, () => names.push(deploy(this.#user, name, contentBy(this.#user))))
    return names
  }

  /** The applications, or the whole organization, are deleted, again with failures. */
  async #removeAll(): Promise<void> {
    const { clock, faults, journal, random } = this.world
    journal.note('REMOVAL')
    const user = this.#user
    const isWhole = random.chance(0.5)
    faults.isOn = random.chance(0.6)
    if (faults.isOn && random.chance(0.5)) this.processes.planCrash(1, 60)
    // The removal may meet resources that are being provisioned.
    if (faults.isOn && random.chance(0.6)) {
      this.#deployEach()
      await clock.pass(random.below(3000))
    }
    const remove = (kind: string, name: string) =>
      user.does(`deletes ${kind} ${name}`, () => user.remove(kind, name))
    if (random.chance(0.3)) for (const name of credentials) remove('Secret', name)
    if (random.chance(0.3)) remove('ResourceAccount', 'acct')
    if (isWhole) remove('Namespace', 'acme')
    else for (const name of applications) remove('Application', name)
    await clock.pass(90 * seconds)
    this.#endFaults()
    await clock.pass(4800 * seconds)
    check(this.world, removalLaws(isWhole))
  }

  #endFaults(): void {
    const { faults, journal } = this.world
    journal.note('FAULTS END')
    faults.end()
    this.processes.endFaults()
  }
}
