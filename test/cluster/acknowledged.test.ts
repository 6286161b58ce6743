import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { buildBundles } from '../../dev/build.ts'
import { type ControlPlane, startControlPlane } from '../../dev/control-plane/control-plane.ts'
import { apiCall } from '../../dev/control-plane/kubernetes.ts'
import {
  installInto,
  type RunningProcess,
  readAdminToken,
  startQuartermaster,
} from '../../dev/quartermaster.ts'
import type { KubeObject } from '../../operator/api/kind.ts'
import { kinds } from '../../operator/api/kinds.ts'
import { eventually, makeTestOrganization, type Organization } from '../support/client.ts'

const rounds = process.env.QUARTERMASTER_SOAK ? 100 : 8

/** A write over REST, and how to see by the API server that all of it is there. */
interface Write {
  readonly path: string
  readonly body: object
  isThere(): Promise<boolean>
}

let controlPlane: ControlPlane
let directory = ''
let operator: RunningProcess
let gateway: RunningProcess
let adminToken = ''
let organization: Organization

const start = () => startQuartermaster(controlPlane, 'gateway', { directory })

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quartermaster-acknowledged-'))
  controlPlane = await startControlPlane({ directory })
  await Promise.all([buildBundles(directory), installInto(controlPlane)])
  ;[operator, gateway] = await Promise.all([
    startQuartermaster(controlPlane, 'operator', { directory }),
    start(),
  ])
  adminToken = await readAdminToken(controlPlane)
  organization = await makeTestOrganization({ access: controlPlane }, 'acknowledged')
  await organization.application('shop')
  await organization.environment('shop', 'dev')
  await ready()
}, 300_000)

afterAll(async () => {
  await Promise.all([operator?.stop(), gateway?.stop()])
  await controlPlane?.stop()
})

/** The status of an answer, undefined when the gateway died before it gave one. */
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

const ready = () =>
  eventually('access', 10_000, async () =>
    (await send('GET', '/apps/shop/envs/dev'))?.status === 200 ? true : undefined,
  )

/** Whether a Secret of the organization holds exactly this. */
async function holds(secret: unknown, content: object): Promise<boolean> {
  const path = `/api/v1/namespaces/${organization.id}/secrets/${String(secret)}`
  const { status, body } = await organization.kube<{ data: Record<string, string> }>('GET', path)
  if (status !== 200) return false
  const plain = Object.entries(body.data).map(([key, value]) => [
    key,
    Buffer.from(value, 'base64').toString(),
  ])
  return JSON.stringify(Object.fromEntries(plain)) === JSON.stringify(content)
}

type Found = { readonly spec: Record<string, any> } // oxlint-disable-line typescript/no-explicit-any -- of many kinds

function writesOf(round: number): Write[] {
  const id = (what: string) => `${what}-${round}`
  const secret = (what: string) => `secret of ${what} ${round}`
  const spec = async (plural: string, name: string) => (await organization.get<Found>(plural, name))?.spec
  return [
    {
      path: '/apps',
      body: { id: id('app'), name: 'App', env: { id: 'first', name: 'First', type: 'development' } },
      isThere: async () =>
        (await spec('applications', id('app')))?.displayName === 'App' &&
        (await spec('environments', `${id('app')}.first`))?.typeName === 'development',
    },
    {
      path: '/apps/shop/envs',
      body: { id: id('env'), name: 'Env', type: 'production' },
      isThere: async () => (await spec('environments', `shop.${id('env')}`))?.typeName === 'production',
    },
    {
      path: '/resources/accounts',
      body: { id: id('account'), name: 'Account', type: 'any', credentials: { token: secret('account') } },
      isThere: async () =>
        holds((await spec('resourceaccounts', id('account')))?.credentialsSecretName, {
          token: secret('account'),
        }),
    },
    {
      path: '/resources/defs',
      body: {
        id: id('definition'),
        name: 'Definition',
        type: 'postgres',
        driver_type: 'quartermaster/echo',
        driver_inputs: { values: { host: id('host') }, secrets: { password: secret('definition') } },
        criteria: [{ env_id: id('env') }],
      },
      async isThere() {
        const { driverInputs, criteria } = (await spec('resourcedefinitions', id('definition'))) ?? {}
        const reference = driverInputs?.secretRefs?.password
        return (
          driverInputs?.values?.host === id('host') &&
          criteria?.[0]?.envId === id('env') &&
          (await holds(reference?.secret, { [String(reference?.key)]: secret('definition') }))
        )
      },
    },
    {
      path: '/apps/shop/values',
      body: { key: `KEY_${round}`, description: '', is_secret: true, value: secret('value') },
      async isThere() {
        const all = await organization.list<Found>('sharedvalues')
        const found = all.find((each) => each.spec.key === `KEY_${round}`)
        return holds(found?.spec.secret?.secret, { [String(found?.spec.secret?.key)]: secret('value') })
      },
    },
    {
      path: '/apps/shop/deltas',
      body: {
        metadata: { name: id('delta') },
        modules: { add: { web: { spec: { round }, externals: {} } } },
      },
      async isThere() {
        const all = await organization.list<Found>('deploymentdeltas')
        return all.some(({ spec: each }) => JSON.stringify(each).includes(`"round":${round}`))
      },
    },
    {
      path: '/apps/shop/envs/dev/deploys',
      body: { comment: id('deployment') },
      async isThere() {
        const all = await organization.list<Found>('environmentdeployments')
        return all.some(({ spec: each }) => each.comment === id('deployment'))
      },
    },
  ]
}

/** Sends writes one after the other until the gateway dies; answers those that were acknowledged, and the last. */
async function writeUntilKilled(writes: readonly Write[], killed: Promise<void>) {
  const acknowledged: Write[] = []
  let isDead = false
  void killed.then(() => {
    isDead = true
  })
  for (const write of writes) {
    const answer = await send('POST', write.path, write.body)
    if (answer && answer.status < 300) acknowledged.push(write)
    else if (answer)
      expect([write.path, answer]).toEqual([write.path, expect.objectContaining({ status: 409 })])
    if (isDead || !answer) break
  }
  return acknowledged
}

test('what was acknowledged is there, and what was not can be asked for again', async () => {
  let acknowledgedCount = 0
  let lostCount = 0
  for (let round = 0; round < rounds; round += 1) {
    const writes = writesOf(round)
    const doomed = gateway
    // Each kind of write in turn is the one that is most likely hit.
    const shifted = [...writes.slice(round % writes.length), ...writes.slice(0, round % writes.length)]
    const killed = sleep(Math.random() * 60).then(() => doomed.kill())
    const acknowledged = await writeUntilKilled(shifted, killed)
    await killed
    for (const write of acknowledged) expect([write.path, await write.isThere()]).toEqual([write.path, true])
    gateway = await start()
    await ready()
    acknowledgedCount += acknowledged.length
    for (const write of writes) {
      if (acknowledged.includes(write)) continue
      lostCount += 1
      const again = await send('POST', write.path, write.body)
      const isMade = (again?.status ?? 500) < 300
      expect([write.path, isMade || again?.status === 409, again]).toEqual([write.path, true, again])
      if (isMade) expect([write.path, await write.isThere()]).toEqual([write.path, true])
      else if (!(await write.isThere())) await madeAnew(write)
    }
  }
  expect(acknowledgedCount).toBeGreaterThan(0)
  expect(lostCount).toBeGreaterThan(0)
}, 120_000)

/** What a death left half-written stands in the way until it is deleted; a deployment only until it has ended. */
async function madeAnew({ path, body, isThere }: Write): Promise<void> {
  const { id, key } = body as { id?: string; key?: string }
  const name = id ?? key
  if (name !== undefined) expect((await send('DELETE', `${path}/${name}`))?.status).toBeLessThan(300)
  await eventually(`'${name ?? path}' made anew`, 10_000, async () => {
    const { status } = (await send('POST', path, body)) ?? { status: 0 }
    return status === 200 || status === 201 ? true : undefined
  })
  expect([path, await isThere()]).toEqual([path, true])
}

test('no Secret of ours is without an owner that is there', async () => {
  const owners = new Set<string>()
  for (const { plural } of kinds)
    for (const { metadata } of await organization.list(plural)) owners.add(metadata.uid ?? '')
  const path = `/api/v1/namespaces/${organization.id}/secrets`
  await eventually('an owner of every Secret', 10_000, async () => {
    const { items } = await apiCall<{ items: KubeObject[] }>(controlPlane, 'GET', path)
    const alone = items.filter(
      ({ metadata }) => !metadata.ownerReferences?.some(({ uid }) => owners.has(uid)),
    )
    if (alone.length > 0) throw new Error(alone.map(({ metadata }) => metadata.name).join(', '))
    return true
  })
})
