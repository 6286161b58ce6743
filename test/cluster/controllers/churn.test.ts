import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sumOf } from '../../../bench/measure.ts'
import { provideBundles } from '../../../dev/build.ts'
import { type ControlPlane, startControlPlane } from '../../../dev/control-plane/control-plane.ts'
import { apiRequest } from '../../../dev/control-plane/kubernetes.ts'
import { freePorts } from '../../../dev/control-plane/processes.ts'
import {
  installInto,
  type RunningProcess,
  readAdminToken,
  startQuartermaster,
} from '../../../dev/quartermaster.ts'
import { eventually, makeTestOrganization, moduleWith, type Organization } from '../support/client.ts'
import { type Holdings, holdingsOf } from '../support/inspected-process.ts'

const isSoak = Boolean(process.env.QUARTERMASTER_SOAK)
const minutes = isSoak ? Number(process.env.QUARTERMASTER_SOAK_MINUTES ?? 60) : 0
const organizationCount = isSoak ? 20 : 3
const actionsPerRound = 12
/** A slope needs many rounds. */
const minutesForSlope = 30
const maxSlopeMiBPerHour = 1
/** Rounds within a resync interval, which has fewer timers in its second half. */
const roundsPerResync = 10
/** Timers of a request or a retry that is under way. */
const slack = 5

const names = ['operator', 'gateway'] as const
type Name = (typeof names)[number]

let controlPlane: ControlPlane
let ports: Readonly<Record<Name, number>>
const running: RunningProcess[] = []
const organizations: Organization[] = []

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'quartermaster-churn-'))
  controlPlane = await startControlPlane({ directory })
  await Promise.all([provideBundles(directory), installInto(controlPlane)])
  const [operator = 0, gateway = 0] = await freePorts(2)
  ports = { operator, gateway }
  for (const name of names) {
    const settings = {
      NODE_OPTIONS: `--inspect=127.0.0.1:${ports[name]}`,
      QUARTERMASTER_LEASE_SECONDS: '30',
      // Every object has a timer in the first half of each interval.
      QUARTERMASTER_RESYNC_SECONDS: '60',
      QUARTERMASTER_REQUESTS_PER_SECOND: '100000',
      QUARTERMASTER_REQUEST_BURST: '100000',
    }
    running.push(await startQuartermaster(controlPlane, name, { directory, settings }))
  }
  const adminToken = await readAdminToken(controlPlane)
  const gatewayUrl = running.find(({ name }) => name === 'gateway')?.url ?? ''
  for (let i = 0; i < organizationCount; i += 1)
    organizations.push(
      await makeTestOrganization({ access: controlPlane, gatewayUrl, adminToken }, `churn-${i}`),
    )
  // The controller manager finds new kinds some time later, and watches each of them from then on.
  await eventually('a watch of each process and of the controller manager', 300_000, async () => {
    const { body } = await apiRequest<string>(controlPlane, 'GET', '/metrics')
    const kind = 'group="quartermaster.dev",resource="activeresources"'
    return sumOf(body, 'apiserver_longrunning_requests', kind) > names.length || undefined
  })
}, 900_000)

afterAll(async () => {
  await Promise.all(running.map((each) => each.stop()))
  await controlPlane?.stop()
})

const pick = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T // the index is within
const ids = ['a', 'b', 'c']

/** Changes over REST; an answer that refuses one, because its object is not there, is as good. */
const actions: readonly ((organization: Organization) => Promise<unknown>)[] = [
  ({ rest }) => rest('POST', '/apps', { id: pick(ids), name: 'App' }),
  ({ rest }) => rest('POST', `/apps/${pick(ids)}/envs`, { id: pick(ids), name: 'Env', type: 'development' }),
  ({ rest }) => rest('POST', `/apps/${pick(ids)}/envs`, { id: pick(ids), name: 'Env', type: 'development' }),
  ({ rest }) => rest('DELETE', `/apps/${pick(ids)}/envs/${pick(ids)}`),
  ({ rest }) => rest('DELETE', `/apps/${pick(ids)}`),
  ({ rest }) => {
    const criteria = [{ class: pick(ids) }]
    const [type, host] = ['redis', pick(['one', 'two'])]
    const driver_inputs = { values: { host, port: 6379 } }
    const id = `redis-${pick(ids)}`
    const definition = { id, name: 'Redis', type, driver_type: 'quartermaster/echo', driver_inputs, criteria }
    return rest('POST', '/resources/defs', definition)
  },
  ({ rest }) => rest('DELETE', `/resources/defs/redis-${pick(ids)}`),
  ({ rest }) =>
    rest('POST', '/resources/accounts', {
      id: pick(ids),
      name: 'A',
      type: 'any',
      credentials: { token: 'x' },
    }),
  ({ rest }) => rest('DELETE', `/resources/accounts/${pick(ids)}`),
  ({ rest }) =>
    rest('POST', `/apps/${pick(ids)}/values`, {
      key: `KEY_${pick(ids)}`,
      value: 'v',
      is_secret: Math.random() < 0.5,
    }),
  ({ rest }) => rest('DELETE', `/apps/${pick(ids)}/values`),
  ({ rest }) =>
    rest('POST', `/apps/${pick(ids)}/webhooks`, {
      id: pick(ids),
      url: 'https://hooks.example.test/',
      triggers: [{ scope: 'deployment', type: 'finished' }],
    }),
  ({ rest }) => rest('GET', `/apps/${pick(ids)}/envs/${pick(ids)}/resources`),
  ...Array.from({ length: 6 }, () => deploy),
]

async function deploy({ rest }: Organization): Promise<unknown> {
  const [application, environment] = [pick(ids), pick(ids)]
  const externals = Object.fromEntries(
    Array.from({ length: 5 }, (_, i) => [`cache-${i}`, { type: 'redis', class: pick(ids) }]),
  )
  const add = { [pick(['web', 'worker'])]: moduleWith(externals) }
  const metadata = { env_id: environment, name: 'Churn' }
  const { status, body } = await rest('POST', `/apps/${application}/deltas`, { metadata, modules: { add } })
  if (status >= 300) return undefined
  const mode = pick(['incremental', 'full'])
  return rest('POST', `/apps/${application}/envs/${environment}/deploys`, { delta_id: body, mode })
}

/** Random changes, after which everything is deleted. */
async function churn(organization: Organization): Promise<void> {
  for (const id of ids) await organization.rest('POST', '/apps', { id, name: 'App' })
  for (let i = 0; i < actionsPerRound; i += 1) {
    const { status, body } = ((await pick(actions)(organization)) ?? {}) as {
      status?: number
      body?: unknown
    }
    if (status !== undefined && status >= 500) throw new Error(`${status} ${JSON.stringify(body)}`)
  }
  for (const id of ids) await organization.rest('DELETE', `/apps/${id}`)
  for (const plural of ['resourcedefinitions', 'resourceaccounts'])
    for (const { metadata } of await organization.list(plural))
      await organization.remove(plural, metadata.name)
  await eventually(`the end of everything in '${organization.id}'`, 300_000, async () => {
    const lists = ['applications', 'environments', 'activeresources', 'webhooks', 'resourceaccounts']
    const all = await Promise.all(lists.map((plural) => organization.list(plural)))
    return all.flat().length === 0 || undefined
  })
}

interface Moment {
  readonly hours: number
  readonly watches: number
  readonly holdings: Readonly<Record<Name, Holdings>>
}

async function look(begun: number): Promise<Moment> {
  const { body } = await apiRequest<string>(controlPlane, 'GET', '/metrics')
  const [operator, gateway] = await Promise.all(names.map((name) => holdingsOf(ports[name])))
  if (!operator || !gateway) throw new Error('a process has no inspector')
  const watches = sumOf(body, 'apiserver_longrunning_requests', 'verb="WATCH"')
  return { hours: (performance.now() - begun) / 3_600_000, watches, holdings: { operator, gateway } }
}

function countsOf({ watches, holdings }: Moment): number[] {
  return [watches, ...names.flatMap((name) => [holdings[name].timers, holdings[name].sockets])]
}

/** The least of each count. */
function leastCountsOf(moments: readonly Moment[]): number[] {
  const all = moments.map(countsOf)
  return (all[0] ?? []).map((_, index) => Math.min(...all.map((each) => each[index] ?? 0)))
}

/** Least squares. */
function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / points.length
  const [x, y] = [mean(0), mean(1)]
  const above = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0)
  return above / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0)
}

test('random churn leaves no timer, no socket and no watch behind, and no memory that grows', async () => {
  const begun = performance.now()
  const round = async () => {
    await Promise.all(organizations.map(churn))
    await sleep(isSoak ? 5000 : 1000)
  }
  await round()
  const moments = [await look(begun)]
  do {
    await round()
    moments.push(await look(begun))
    if (isSoak) console.log(JSON.stringify(moments.at(-1)))
  } while (performance.now() - begun < minutes * 60_000)

  // The first rounds begin to use what is kept from then on, such as a watch for each organization.
  const warm = moments.slice(Math.floor(moments.length / 3))
  const least = leastCountsOf(warm.slice(0, roundsPerResync))
  await eventually('what the first warm rounds held', 120_000, async () => {
    const last = countsOf(await look(begun))
    const excess = last.map((count, index) => count - (least[index] ?? 0))
    if (Math.max(...excess) > slack) throw new Error(JSON.stringify({ least, last }))
    return true
  })
  if (minutes < minutesForSlope) return
  for (const name of names) {
    const slope = slopeOf(warm.map(({ hours, holdings }) => [hours, holdings[name].heapMiB] as const))
    expect([name, slope < maxSlopeMiBPerHour, slope]).toEqual([name, true, slope])
  }
}, 7_200_000)
