import { mkdir, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { provideBundles } from '../../../dev/build.ts'
import { type ControlPlane, startControlPlane } from '../../../dev/control-plane/control-plane.ts'
import {
  installInto,
  type RunningProcess,
  readAdminToken,
  startQuartermaster,
} from '../../../dev/quartermaster.ts'
import type { Environment } from '../../../operator/api/environment.ts'
import type { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { conditionStatus, eventually, makeTestOrganization, type Organization } from '../support/client.ts'
import { type BalancedClient, createBalancedClient } from './balanced-client.ts'

const kills = process.env.QUARTERMASTER_SOAK ? 60 : 4
const clients = 3
const resourcesEach = 10
const leaseSeconds = 10

/** The processes of one replica number, both of which can be killed. */
type Slot = 'operator-0' | 'operator-1' | 'gateway-0' | 'gateway-1'
const slots: readonly Slot[] = ['gateway-0', 'operator-0', 'gateway-1', 'operator-1']

let controlPlane: ControlPlane
let directory = ''
let adminToken = ''
const running = new Map<Slot, RunningProcess>()
const organizations: Organization[] = []
let client: BalancedClient

async function start(slot: Slot): Promise<void> {
  const own = join(directory, slot)
  await mkdir(own, { recursive: true })
  const name = slot.startsWith('operator') ? 'operator' : 'gateway'
  const settings = {
    QUARTERMASTER_IDENTITY: slot,
    QUARTERMASTER_LEASE_SECONDS: String(leaseSeconds),
    QUARTERMASTER_REQUESTS_PER_SECOND: '100000',
    QUARTERMASTER_REQUEST_BURST: '100000',
  }
  const options = { directory, logDirectory: own, pidDirectory: own, settings }
  running.set(slot, await startQuartermaster(controlPlane, name, options))
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quartermaster-in-turn-'))
  controlPlane = await startControlPlane({ directory, auditLog: true })
  await Promise.all([provideBundles(directory), installInto(controlPlane)])
  for (const slot of slots) await start(slot)
  adminToken = await readAdminToken(controlPlane)
  const gatewayUrls = () =>
    (['gateway-0', 'gateway-1'] as const).flatMap((each) => running.get(each)?.url ?? [])
  client = createBalancedClient(gatewayUrls, adminToken)
  for (let i = 0; i < clients; i += 1) organizations.push(await makeOrganizationWithDeltas(i))
}, 900_000)

afterAll(async () => {
  await Promise.all([...running.values()].map((each) => each.stop()))
  await controlPlane?.stop()
})

async function makeOrganizationWithDeltas(index: number): Promise<Organization> {
  const organization = await makeTestOrganization({ access: controlPlane }, `in-turn-${index}`)
  await organization.application('shop')
  await organization.define('redis', {
    type: 'redis',
    driverType: 'quartermaster/echo',
    driverInputs: { values: { host: '${context.env.id}', port: 6379, id: '${context.res.id}' } },
    criteria: [{}],
  })
  const externals = Object.fromEntries(
    Array.from({ length: resourcesEach }, (_, i) => [`cache-${i}`, { type: 'redis' }]),
  )
  const module = { profile: 'quartermaster/default-module', spec: {}, externals }
  const change = { op: 'add', path: '/externals/cache-0/params', value: { revision: 2 } }
  const applicationName = 'shop'
  await organization.apply('deploymentdeltas', 'DeploymentDelta', 'first', {
    applicationName,
    modules: { add: { web: module } },
  })
  await organization.apply('deploymentdeltas', 'DeploymentDelta', 'change', {
    applicationName,
    modules: { update: { web: [change] } },
  })
  await client.until(`GET /orgs/${organization.id}/apps/shop/deltas/change`)
  return organization
}

/** What a client knows: the environments that it kept and deleted, all of it acknowledged. */
interface Ledger {
  readonly organization: Organization
  readonly kept: string[]
  readonly deleted: string[]
}

/** Makes, deploys, changes and deletes environments until the end. */
async function work(organization: Organization, isOver: () => boolean): Promise<Ledger> {
  const ledger: Ledger = { organization, kept: [], deleted: [] }
  for (let round = 0; !isOver() || round < 2; round += 1) {
    const id = `e${round}`
    const path = `/orgs/${organization.id}/apps/shop/envs`
    const isThere = `GET ${path}/${id}`
    await client.do(`POST ${path}`, { id, name: id, type: 'development' }, { isDone: isThere })
    await deploy(organization, id, 'first')
    await deploy(organization, id, 'change')
    if (round % 2 === 0) ledger.kept.push(id)
    else {
      await client.do(`DELETE ${path}/${id}`, undefined, { isGone: isThere })
      ledger.deleted.push(id)
    }
  }
  return ledger
}

async function deploy(organization: Organization, environment: string, deltaId: string): Promise<void> {
  const path = `/orgs/${organization.id}/apps/shop`
  const body = { trigger: 'deployment_request', env_id: environment, delta_id: deltaId }
  const key = `${environment}-${deltaId}`
  const { id } = await client.do(`POST ${path}/pipeline-runs`, body, { key })
  await eventually(`the end of '${id}'`, 120_000, async () => {
    const { body: found, status } = await client.send(`GET ${path}/envs/${environment}/deploys/${id}`)
    if (status === 200 && found.status === 'failed') throw new Error(JSON.stringify(found))
    return (status === 200 && found.status === 'succeeded') || undefined
  })
}

async function killInTurn(): Promise<void> {
  for (let kill = 0; kill < kills; kill += 1) {
    const slot = slots[kill % slots.length] as Slot // the index is within
    await sleep(Math.random() * 3000)
    await running.get(slot)?.kill()
    // Sometimes it is back before its lease ends, sometimes the other one leads meanwhile.
    await sleep(Math.random() * leaseSeconds * 1500)
    // The next process may get the same port: clients know it when it is ready.
    running.delete(slot)
    await start(slot)
  }
}

let ledgers: Ledger[] = []

test('with two operators and two gateways killed in turn, no request ends in a 5xx', async () => {
  let isOver = false
  const working = organizations.map((each) => work(each, () => isOver))
  await killInTurn()
  isOver = true
  ledgers = await Promise.all(working)
  expect(client.serverErrors).toEqual([])
  expect(client.broken).toBeGreaterThan(0)
}, 3_600_000)

test('no acknowledged write is lost', async () => {
  for (const { organization, kept, deleted } of ledgers) {
    expect(kept.length + deleted.length).toBeGreaterThan(1)
    const environments = await eventually('the end of the deleted environments', 60_000, async () => {
      const all = await organization.list<Environment>('environments')
      return all.every(({ metadata }) => !metadata.deletionTimestamp) ? all : undefined
    })
    expect(environments.map(({ metadata }) => metadata.name).sort()).toEqual(
      kept.map((id) => `shop.${id}`).sort(),
    )
    const resources = await organization.resources()
    for (const id of kept) {
      const own = resources.filter(({ spec }) => spec.environmentName === `shop.${id}`)
      expect([id, own.length]).toEqual([id, resourcesEach])
      expect(own.map((each) => conditionStatus(each, 'Ready'))).toEqual(own.map(() => 'True'))
      expect(own.filter(({ spec }) => spec.params?.['revision'] === 2)).toHaveLength(1)
    }
    expect(resources).toHaveLength(kept.length * resourcesEach)
  }
})

test('no write is done twice', async () => {
  const remaining = new Set<string>()
  for (const { organization, kept } of ledgers) {
    for (const { metadata } of await organization.resources())
      remaining.add(`${metadata.namespace}/${metadata.name}`)
    const deployments = await organization.list<EnvironmentDeployment>('environmentdeployments')
    const names = deployments.map(({ metadata }) => metadata.name).sort()
    expect(names).toEqual(kept.flatMap((id) => [`shop.${id}.1`, `shop.${id}.2`]).sort())
  }
  const created = new Map<string, number>()
  for (const line of (await readFile(controlPlane.auditLogPath ?? '', 'utf8')).split('\n')) {
    if (!line.includes('"verb":"create"') || !line.includes('"activeresources"')) continue
    const { objectRef, responseStatus } = JSON.parse(line)
    if (responseStatus.code >= 300) continue
    const key = `${objectRef.namespace}/${objectRef.name}`
    created.set(key, (created.get(key) ?? 0) + 1)
  }
  const environments = ledgers.reduce((sum, { kept, deleted }) => sum + kept.length + deleted.length, 0)
  // The audit log lacks the answer to a create whose client died.
  expect(created.size).toBeGreaterThan(environments * resourcesEach * 0.5)
  // A request of a killed process may arrive after the resources of a deleted environment are gone; they are deleted again.
  expect([...created].filter(([key, times]) => times !== 1 && remaining.has(key))).toEqual([])
})
