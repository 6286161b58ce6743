import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { provideBundles } from '../../../dev/build.ts'
import { type ControlPlane, startControlPlane } from '../../../dev/control-plane/control-plane.ts'
import {
  installInto,
  type RunningProcess,
  readAdminToken,
  startQuartermaster,
} from '../../../dev/quartermaster.ts'
import { eventually, makeTestOrganization, moduleWith, type Organization } from '../support/client.ts'

const names = ['operator', 'gateway'] as const
const hour = 3_600_000
const steps = [
  ['back by an hour', -hour],
  ['forward by an hour', hour],
  ['forward by eight days', 8 * 24 * hour],
] as const

/** Shifts the wall clock of a process by the milliseconds in a file, which may change at any time. */
const shift = (file: string) => `
import { readFileSync } from 'node:fs'
const Real = Date
let offset = 0
const read = () => { offset = Number(readFileSync(${JSON.stringify(file)}, 'utf8')) || 0 }
read()
setInterval(read, 50).unref()
globalThis.Date = class Date extends Real {
  constructor(...given) { if (given.length === 0) super(Real.now() + offset); else super(...given) }
  static now() { return Real.now() + offset }
}
`

let directory: string
let controlPlane: ControlPlane
let organization: Organization
let gatewayUrl: string
let adminToken: string
const running: RunningProcess[] = []
const fileOf = (name: string) => join(directory, `${name}-offset`)

async function step(name: string, ms: number): Promise<void> {
  await writeFile(fileOf(name), String(ms))
  await sleep(200)
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quartermaster-clock-'))
  controlPlane = await startControlPlane({ directory })
  await Promise.all([provideBundles(directory), installInto(controlPlane)])
  for (const name of names) {
    await writeFile(fileOf(name), '0')
    const module = join(directory, `${name}-shift.mjs`)
    await writeFile(module, shift(fileOf(name)))
    const settings = {
      NODE_OPTIONS: `--import=${pathToFileURL(module).href}`,
      QUARTERMASTER_RESYNC_SECONDS: '5',
    }
    running.push(
      await startQuartermaster(controlPlane, name, { directory, logDirectory: directory, settings }),
    )
  }
  adminToken = await readAdminToken(controlPlane)
  gatewayUrl = running.find(({ name }) => name === 'gateway')?.url ?? ''
  organization = await makeTestOrganization({ access: controlPlane, gatewayUrl, adminToken }, 'clock')
  await organization.define('redis', {
    type: 'redis',
    driverType: 'quartermaster/echo',
    driverInputs: { values: { host: '${context.env.id}', port: 6379 } },
    criteria: [{}],
  })
  await organization.rest('POST', '/apps', { id: 'shop', name: 'Shop' })
  await organization.rest('POST', '/apps/shop/envs', { id: 'dev', name: 'Dev', type: 'development' })
  const url = 'https://hooks.example.test/'
  await organization.rest('POST', '/apps/shop/webhooks', { id: 'hook', url, triggers: [] })
}, 300_000)

afterAll(async () => {
  await Promise.all(running.map((each) => each.stop()))
  await controlPlane?.stop()
})

/** Deploys a module over REST, and returns the deployment when it has ended. */
async function deploy(name: string) {
  const { rest } = organization
  const add = { web: moduleWith({ [name]: { type: 'redis' } }) }
  const delta = await rest('POST', '/apps/shop/deltas', { metadata: { env_id: 'dev' }, modules: { add } })
  const { status, body } = await rest('POST', '/apps/shop/envs/dev/deploys', {
    delta_id: (delta.body as { id: string }).id,
  })
  if (status >= 300) throw new Error(JSON.stringify([delta, status, body]))
  const deployed = body as { id: string }
  return eventually('the end of the deployment', 60_000, async () => {
    const { body } = await rest('GET', `/apps/shop/envs/dev/deploys/${deployed.id}`)
    return ['succeeded', 'failed'].includes(body.status) ? body : undefined
  })
}

/** Within less than any step, and more than a deployment takes on a busy machine. */
const near = (time: string) => Math.abs(Date.parse(time) - Date.now()) < hour / 2

describe.each(steps)('when the clock steps %s', (what, ms) => {
  test.each([
    ['of the operator', [ms, 0]],
    ['of the gateway', [0, ms]],
    ['of both', [ms, ms]],
  ] as const)(
    '%s, deployments end as before',
    async (whose, offsets) => {
      for (const [i, name] of names.entries()) await step(name, offsets[i] ?? 0)
      const id = `c${steps.findIndex(([each]) => each === what)}-${whose.split(' ').at(-1)}`
      const { rest } = organization
      const deployment = await deploy(id)
      expect(deployment).toMatchObject({ status: 'succeeded' })
      expect(near(deployment.created_at) && near(deployment.status_changed_at)).toBe(true)
      const calls = await eventually('calls', 60_000, async () => {
        const { body } = await rest('GET', '/apps/shop/webhooks/hook/calls')
        return body.length > 0 ? body : undefined
      })
      expect(calls.map(({ status }: { status: string }) => status)).toEqual(calls.map(() => 'pending'))
      // A gateway that is behind leaves no record out.
      const { body: records } = await rest('GET', '/audit-logs?per_page=1')
      expect(records).toMatchObject([{ request_path: expect.stringMatching(/\/deploys$/) }])
      expect(near(new Date(Date.parse(records[0].at) - offsets[1]).toISOString())).toBe(true)
      for (const name of names) await step(name, 0)
      expect(await deploy(`${id}-after`)).toMatchObject({ status: 'succeeded' })
    },
    200_000,
  )
})

test('a session ends by the clock of the gateway, and no step has cost the lead or an error', async () => {
  for (const name of names) await step(name, 0)
  const send = (method: string, token: string, body?: object) =>
    fetch(new URL('/auth/session', gatewayUrl), {
      method,
      headers: { 'content-type': 'application/json', cookie: `token=${token}` },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  const { token } = (await (await send('POST', '', { token: adminToken })).json()) as { token: string }
  const isOpen = async () => Object.hasOwn((await (await send('GET', token)).json()) as object, 'expires_at')
  const seen: boolean[] = []
  for (const ms of [0, -hour, hour, 8 * 24 * hour, 0]) {
    await step('gateway', ms)
    seen.push(await isOpen())
  }
  expect(seen).toEqual([true, true, true, false, true])
  const logs = (await readdir(directory)).filter((each) => each.endsWith('.log'))
  const texts = await Promise.all(logs.map((each) => readFile(join(directory, each), 'utf8')))
  expect(texts.join('\n')).not.toMatch(/leadership lost|RangeError|TimeoutOverflowWarning/)
})
