import { setTimeout as sleep } from 'node:timers/promises'
import { pathIn } from '../histories/doors.ts'
import { definitions, doors, driverNames, environments, type Subject } from './subject.ts'

const waitsForMs = 2500

type Act = (subject: Subject) => Promise<unknown>

/** What people and the cluster do, and how often. */
const acts: readonly (readonly [times: number, name: string, act: Act])[] = [
  [12, 'deploy', deploy],
  [7, 'define', (subject) => subject.define(subject.random.pick(definitions))],
  [1, 'rotate the token', (subject) => subject.rotateToken()],
  [3, 'remove a resource', removeResource],
  [2, 'remove an environment', removeEnvironment],
  [1, 'remove the application', removeApplication],
  [1, 'remove a driver', removeDriver],
  [1, 'move a server', (subject) => subject.moveSouth()],
  [1, 'end the operator', (subject) => subject.endOperator(subject.random.chance(0.5))],
  [3, 'wait', ({ random }) => sleep(random.below(waitsForMs))],
]

/** Lets one of them happen. */
export async function happen(subject: Subject): Promise<void> {
  const all = acts.flatMap(([times, ...act]) => Array.from({ length: times }, () => act))
  const [name, act] = subject.random.pick(all as [(typeof all)[number], ...typeof all]) // there are some
  subject.outside.note(name)
  await act(subject)
}

async function deploy({ deploy: start, organization, random }: Subject): Promise<void> {
  const mode = random.chance(0.2) ? 'full' : undefined
  const name = await start(random.pick(environments), random.pick(doors), mode)
  if (name !== undefined && random.chance(0.5)) await organization.ended(name, waitsForMs).catch(() => {}) // it may take longer
}

async function removeResource({ organization, random, removeResource: remove }: Subject): Promise<void> {
  const all = await organization.resources()
  const found = all[random.below(all.length)]
  if (found && !found.metadata.deletionTimestamp) await remove(found, random.pick(doors))
}

async function removeEnvironment(subject: Subject): Promise<void> {
  const { random } = subject
  await subject.removeEnvironment(random.pick(environments), random.pick(doors))
  if (random.chance(0.6)) await makeAgain(subject)
}

async function removeApplication(subject: Subject): Promise<void> {
  await subject.removeApplication(subject.random.pick(doors))
  await makeAgain(subject)
}

async function removeDriver({ organization, random, register }: Subject): Promise<void> {
  await organization.kube('DELETE', pathIn(organization, 'resourcedrivers', random.pick(driverNames)))
  await sleep(random.below(waitsForMs))
  if (random.chance(0.7)) await register()
}

/** What ends too late is made at a later step, or at the end. */
async function makeAgain({ makeAll }: Subject): Promise<void> {
  await Promise.race([makeAll().catch(() => {}), sleep(3 * waitsForMs)])
}
