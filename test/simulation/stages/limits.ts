import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { hasEnded } from '../laws/deployment-writes.ts'
import { type WantedGraph, wantedBy } from '../laws/deployments/graph.ts'
import { isRefusedByQuota, roomLaw } from '../laws/deployments/limits.ts'
import { check, readyText } from '../laws/law.ts'
import { limitOf } from '../server/quotas.ts'
import { servedAs } from '../server/resources.ts'
import { contentBy, deploy } from '../users/contents.ts'
import { environments } from '../users/names.ts'
import type { User } from '../users/user.ts'
import type { World } from '../world.ts'

const seconds = 1000
const name = 'last-limits'
const key = limitOf(servedAs('ActiveResource'))
const secrets = limitOf(servedAs('Secret'))
const enough = 100_000

/** Deploys while a quota has little room, and when it has more: what it refuses is not begun, and begins when there is room. */
export async function meetLimits(world: World, user: User): Promise<void> {
  world.journal.note('LIMITS')
  for (const environment of environments) await deployWithin(world, user, environment)
  await deployTogether(world, user)
  if (user.exists('ResourceQuota', name))
    user.does('deletes the limits', () => user.remove('ResourceQuota', name))
  await world.clock.pass(300 * seconds)
}

const countOf = (user: User) => user.all(ActiveResource).length

/** Writes the quota, and waits until it counts. */
async function limit({ clock }: World, user: User, number: number, mostSecrets = enough): Promise<void> {
  const spec = { hard: { [key]: String(number), [secrets]: String(mostSecrets) } }
  user.does(`allows ${number} resources`, () => {
    const exists = user.exists('ResourceQuota', name)
    if (exists) user.patch('ResourceQuota', name, { spec })
    else user.create('ResourceQuota', name, { spec })
  })
  await clock.pass(10 * seconds)
}

/** Raises or deletes the quota. */
async function free(world: World, user: User): Promise<void> {
  if (user.chance(0.6)) return limit(world, user, enough)
  user.does('deletes the limits', () => user.remove('ResourceQuota', name))
  await world.clock.pass(10 * seconds)
}

/** How many resources a deployment adds to those of its environment. */
function countNew(user: User, { all }: WantedGraph, environment: string): number {
  const known = new Set(
    user
      .all(ActiveResource)
      .filter(({ spec }) => spec.environmentName === environment)
      .map(({ spec }) => `${spec.type}.${spec.class}#${spec.resourceId}`),
  )
  return [...all.keys()].filter((each) => !known.has(each)).length
}

async function deployWithin(world: World, user: User, environment: string): Promise<void> {
  const { clock, journal, random } = world
  const room = random.below(4)
  const before = countOf(user)
  await limit(world, user, before + room)
  const find = (deploymentName: string) => user.find(EnvironmentDeployment, deploymentName)
  const made = deploy(user, environment, contentBy(user))
  const first = find(made)
  const wanted = first && wantedBy(world, first)
  if (!first || !wanted?.isComplete) return
  const more = countNew(user, wanted, environment)
  await clock.pass(8 * seconds)
  const after = find(made)
  const text = `${more} more, room for ${room}: ${after ? readyText(after) : 'it is gone'}`
  const report = (law: string) => journal.violation(law, `EnvironmentDeployment ${made}`, text)
  if (!after) return report('A deployment that nothing hinders stays.')
  if (more <= room && isRefusedByQuota(after)) report('A deployment for which a quota has room begins.')
  if (more > room) checkRefused(after, countOf(user) > before + room, report)
  await free(world, user)
  if (isRefusedByQuota(after) && !hasEnded(after) && find(made)?.status?.startTime === undefined)
    report('A deployment that waits for room begins when there is room.')
  check(world, [roomLaw])
}

function checkRefused(
  after: EnvironmentDeployment,
  isExceeded: boolean,
  report: (law: string) => void,
): void {
  if (after.status?.startTime !== undefined)
    report('A deployment for which a quota has no room does not begin.')
  if (isExceeded) report('A quota is kept.')
}

/** Deployments that begin, and then have no room for Secrets: all continue when there is room. */
async function deployTogether(world: World, user: User): Promise<void> {
  const { clock, random, server } = world
  const number = server.storage.list(servedAs('Secret'), user.organization).length
  await limit(world, user, countOf(user) + 10 + random.below(20), number + random.below(3))
  for (const environment of environments) deploy(user, environment, contentBy(user))
  await clock.pass((3 + random.below(100)) * seconds)
  await free(world, user)
  await clock.pass(5 * seconds)
  check(world, [roomLaw])
}
