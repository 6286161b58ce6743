import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { provideBundles } from '../../../dev/build.ts'
import { type ControlPlane, startControlPlane } from '../../../dev/control-plane/control-plane.ts'
import { apiCall } from '../../../dev/control-plane/kubernetes.ts'
import {
  installInto,
  type RunningProcess,
  readAdminToken,
  startQuartermaster,
} from '../../../dev/quartermaster.ts'
import type { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import { isFinished } from '../../../operator/domain/deployment/deployment.ts'
import { eventually, makeTestOrganization, type Organization } from '../support/client.ts'
import { prepareWrites, type Write, writesOf } from './interrupted-writes.ts'

let controlPlane: ControlPlane
let directory = ''
let operator: RunningProcess
let gateway: RunningProcess
let adminToken = ''
let organization: Organization

// A container that is started again is the same candidate, and one that leads long is not ended by a busy machine.
const settings = { QUARTERMASTER_IDENTITY: 'operator', QUARTERMASTER_LEASE_SECONDS: '30' }
const startOperator = () => startQuartermaster(controlPlane, 'operator', { directory, settings })

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quartermaster-acknowledged-'))
  controlPlane = await startControlPlane({ directory })
  await Promise.all([provideBundles(directory), installInto(controlPlane)])
  ;[operator, gateway] = await Promise.all([
    startOperator(),
    startQuartermaster(controlPlane, 'gateway', { directory }),
  ])
  adminToken = await readAdminToken(controlPlane)
  organization = await makeTestOrganization({ access: controlPlane }, 'acknowledged')
  await prepareWrites(organization)
  await ready()
}, 300_000)

afterAll(async () => {
  await Promise.all([operator?.stop(), gateway?.stop()])
  await controlPlane?.stop()
})

/** The answer, undefined when the gateway died before it gave one. */
async function send(
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: unknown } | undefined> {
  try {
    const answer = await fetch(`${gateway.url}/orgs/${organization.id}${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
  } catch {
    return undefined
  }
}

const isFound = async (path: string) => (await send('GET', path))?.status === 200

const ready = () =>
  eventually('access', 60_000, async () => (await isFound('/apps/shop/envs/dev')) || undefined)

/** A process that can die at any time, and its restart. */
interface Victim {
  readonly rounds: number
  kill(): Promise<void>
  revive(): Promise<void>
}

const victims: Readonly<Record<string, Victim>> = {
  gateway: {
    rounds: 5,
    kill: () => gateway.kill(),
    async revive() {
      gateway = await startQuartermaster(controlPlane, 'gateway', { directory })
    },
  },
  'API server': {
    rounds: 2,
    kill: () => controlPlane.killApiServer(),
    async revive() {
      await controlPlane.restartApiServer()
      const lists = () => Promise.all(kinds.map(({ plural }) => organization.list(plural)))
      await eventually('the storage of the API server', 30_000, () => lists().catch(() => undefined))
      // It has lost its lease meanwhile, and ended; Kubernetes would start it again.
      await operator.stop()
      operator = await startOperator()
    },
  },
  operator: {
    rounds: 2,
    kill: () => operator.kill(),
    async revive() {
      operator = await startOperator()
    },
  },
}

/** Sends writes one after the other until one is not acknowledged; answers those that were. */
async function writeWhileKilling(writes: readonly Write[], killed: Promise<void>): Promise<Write[]> {
  const acknowledged: Write[] = []
  let isDead = false
  void killed.then(() => {
    isDead = true
  })
  for (const write of writes) {
    const answer = await send(write.method, write.path, write.body)
    if (answer && answer.status < 300) acknowledged.push(write)
    // The conflict is with an unfinished write of an earlier round.
    else if (answer && !isDead)
      expect([write.path, answer.status >= 500 || answer.status === 409]).toEqual([write.path, true])
    if (!answer || answer.status >= 500) break
  }
  return acknowledged
}

describe.each(Object.keys(victims))('when the %s is killed between a request and its answer', (name) => {
  const victim = victims[name] as Victim // one of those
  const rounds = process.env.QUARTERMASTER_SOAK ? 10 * victim.rounds : victim.rounds

  test('acknowledged writes exist, and the others can be repeated', async () => {
    const count = { acknowledged: 0, others: 0 }
    // As often as it takes to hit it between two writes.
    const isReported = () => count.acknowledged > 0 && (name === 'operator' || count.others > 0)
    for (let round = 0; round < rounds || (!isReported() && round < 4 * rounds); round += 1) {
      const writes = await writesOf(organization, `${name.toLowerCase().replace(' ', '-')}-${round}`)
      await eventually('what is to be deleted', 60_000, async () => {
        const doomed = writes.filter(({ method }) => method === 'DELETE')
        const found = await Promise.all(doomed.map(({ path }) => isFound(path)))
        return found.every(Boolean) || undefined
      })
      // The kind of write that is most likely interrupted changes with the round.
      const shifted = [...writes.slice(round % writes.length), ...writes.slice(0, round % writes.length)]
      const killed = sleep(Math.random() * 60).then(() => victim.kill())
      const acknowledged = await writeWhileKilling(shifted, killed)
      await killed
      await victim.revive()
      await ready()
      for (const write of acknowledged)
        expect([write.path, await write.isThere()]).toEqual([write.path, true])
      const others = writes.filter((write) => !acknowledged.includes(write))
      for (const write of others) await askAgain(write)
      count.acknowledged += acknowledged.length
      count.others += others.length
    }
    expect(count.acknowledged).toBeGreaterThan(0)
    if (name !== 'operator') expect(count.others).toBeGreaterThan(0)
  }, 400_000)
})

/** A half-created object blocks a repetition until it is deleted; a deployment only until it ends. */
async function askAgain(write: Write): Promise<void> {
  const { method, path, body, isNew = false, isThere } = write
  const again = await send(method, path, body)
  const { status = 500 } = again ?? {}
  const isDone = status < 300 || (method === 'DELETE' && status === 404)
  expect([path, isDone || (isNew && status === 409), again]).toEqual([path, true, again])
  if (isDone) expect([path, await isThere()]).toEqual([path, true])
  else if (!(await isThere())) await makeAnew(write)
}

async function makeAnew({ path, body, isThere }: Write): Promise<void> {
  const { id, key } = body as { id?: string; key?: string } // a new object has one
  const name = id ?? key
  if (name !== undefined) expect((await send('DELETE', `${path}/${name}`))?.status).toBeLessThan(300)
  await eventually(`'${name ?? path}' made anew`, 60_000, async () => {
    const { status } = (await send('POST', path, body)) ?? { status: 0 }
    return status === 200 || status === 201 ? true : undefined
  })
  expect([path, await isThere()]).toEqual([path, true])
}

test('every acknowledged deployment ends', () =>
  eventually('the end of all deployments', 60_000, async () => {
    const all = await organization.list<EnvironmentDeployment>('environmentdeployments')
    return (all.length > 0 && all.every(isFinished)) || undefined
  }))

test('every Secret of ours has an owner that exists', async () => {
  const owners = new Set<string>()
  for (const { plural } of kinds)
    for (const { metadata } of await organization.list(plural)) owners.add(metadata.uid ?? '')
  const path = `/api/v1/namespaces/${organization.id}/secrets`
  await eventually('an owner of every Secret', 30_000, async () => {
    const { items } = await apiCall<{ items: KubeObject[] }>(controlPlane, 'GET', path)
    const alone = items.filter(
      ({ metadata }) => !metadata.ownerReferences?.some(({ uid }) => owners.has(uid)),
    )
    if (alone.length > 0) throw new Error(alone.map(({ metadata }) => metadata.name).join(', '))
    return true
  })
})
