import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { provideBundles } from '../../../dev/build.ts'
import { type ControlPlane, startControlPlane } from '../../../dev/control-plane/control-plane.ts'
import { ensureDevelopmentAuthority } from '../../../dev/development-authority.ts'
import { installInto, type RunningProcess, startQuartermaster } from '../../../dev/quartermaster.ts'
import type { Trigger, WebhookCall } from '../../../operator/api/webhook.ts'
import { createRandom } from '../../support/random.ts'
import { conditionStatus, eventually, type Organization } from '../support/client.ts'
import { type FaultProxy, proxiedKubeconfig, startFaultProxy } from '../support/fault-proxy.ts'
import { type Receiver, startReceiver } from '../support/receiver/receiver.ts'
import { callWith, deploySet, hook, makeHookOrganization } from '../support/receiver/webhooks.ts'

const isSoak = Boolean(process.env.QUARTERMASTER_SOAK)
const withinMs = isSoak ? 600_000 : 300_000
const mostKills = isSoak ? 1000 : 10
/** Writes from one death to the next one. */
const random = createRandom(1)
const nextGap = () => (isSoak ? 1 : 1 + random.below(8))

const own = ['event', 'env_id', 'deploy_id', 'status', 'triggered_by', 'triggered_at']
const payload = Object.fromEntries(own.map((name) => [name, `\${${name}}`]))
const finished: Trigger[] = [{ scope: 'deployment', type: 'finished' }]
const webhooks = {
  everything: {},
  flaky: {},
  finished: { triggers: finished },
  disabled: { disabled: true },
}

let controlPlane: ControlPlane
let proxy: FaultProxy
let directory = ''
let kubeconfig = ''
let operator: RunningProcess
let receiver: Receiver
let organization: Organization

async function start(allowed: string): Promise<RunningProcess> {
  const settings = {
    QUARTERMASTER_KUBECONFIG: kubeconfig,
    QUARTERMASTER_IDENTITY: 'operator', // a container that is started again is the same candidate
    QUARTERMASTER_LEASE_SECONDS: '30',
    QUARTERMASTER_SETTLE_SECONDS: '1',
    QUARTERMASTER_OUTBOUND_ALLOWED: allowed,
    NODE_EXTRA_CA_CERTS: join(directory, 'ca.crt'),
  }
  return startQuartermaster(controlPlane, 'operator', { directory, settings })
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quartermaster-webhooks-'))
  await ensureDevelopmentAuthority(directory)
  ;[controlPlane, receiver] = await Promise.all([startControlPlane({ directory }), startReceiver(directory)])
  await Promise.all([provideBundles(directory, ['operator']), installInto(controlPlane)])
  proxy = await startFaultProxy(controlPlane)
  kubeconfig = await proxiedKubeconfig(proxy, controlPlane, directory)
  operator = await start('localhost')
  organization = await makeHookOrganization({ access: controlPlane }, 'hookcrash')
  for (const [name, spec] of Object.entries(webhooks))
    await hook(organization, name, { url: receiver.url(`/${name}`), payload, ...spec })
  receiver.answer('/flaky', ...Array.from({ length: 40 }, (_, index) => (index % 2 ? 200 : 500)), 200)
}, 300_000)

afterAll(async () => {
  await operator?.stop()
  await Promise.all([receiver?.close(), proxy?.close()])
  await controlPlane?.stop()
})

/** Kills the operator again and again between a write of the API server and its answer. */
function beginKilling(): { end(): Promise<number> } {
  let left = nextGap()
  let kills = 0
  let current = Promise.resolve()
  const kill = async () => {
    await sleep(20)
    await operator.kill()
    operator = await start('localhost')
    kills += 1
    left = nextGap()
  }
  proxy.inject(
    (method, url) => {
      if (method === 'GET' || url.includes('/leases') || kills >= mostKills) return false
      left -= 1
      if (left === 0) current = kill()
      return left === 0
    },
    { kind: 'freeze' },
    Number.POSITIVE_INFINITY,
  )
  return {
    async end() {
      proxy.heal()
      await current
      return kills
    },
  }
}

/** The calls at a receiver: by id, all bodies under it. */
function heardAt(path: string): Map<string, Set<string>> {
  const heard = new Map<string, Set<string>>()
  for (const { headers, body } of receiver.calls(path)) {
    const id = headers['webhook-id'] ?? ''
    heard.set(id, (heard.get(id) ?? new Set()).add(body))
  }
  return heard
}

const openCalls = async () =>
  (await organization.list<WebhookCall>('webhookcalls')).filter(
    (each) => conditionStatus(each, 'Ready') !== 'True',
  )

test('SIGKILL of the operator after any write loses no event, delivers no false one, and changes no id', async () => {
  const killing = beginKilling()
  await organization.environment('shop', 'storm')
  await deploySet(organization, 'storm', { withinMs })
  await deploySet(organization, 'storm', { number: 2, externals: { nothing: { type: 'unknown' } }, withinMs })
  await organization.remove('environments', 'shop.storm')
  await eventually('the end of the environment', withinMs, async () =>
    (await organization.get('environments', 'shop.storm')) ? undefined : true,
  )
  await eventually('the end of all calls', withinMs, async () =>
    (await openCalls()).length === 0 ? true : undefined,
  )
  const kills = await killing.end()
  if (isSoak) console.info({ kills })
  expect(kills).toBeGreaterThan(3)
  await eventually('the end of what was left', 60_000, async () =>
    (await openCalls()).length === 0 ? true : undefined,
  )

  const happened = [
    'deployment.finished 1 succeeded',
    'deployment.finished 2 failed',
    'deployment.started 1 in progress',
    'deployment.started 2 in progress',
    'environment.created',
    'environment.deleted',
  ]
  const reported = (path: string) =>
    [...heardAt(path).values()]
      .map((bodies): string => {
        expect(bodies.size).toBe(1)
        const { event, env_id, deploy_id, status } = JSON.parse([...bodies].join(''))
        expect(env_id).toBe('storm')
        return event.startsWith('environment')
          ? event
          : `${event} ${String(deploy_id).split('.').at(-1)} ${status}`
      })
      .toSorted((one, other) => one.localeCompare(other))
  expect(reported('/everything')).toEqual(happened)
  expect(reported('/flaky')).toEqual(happened)
  expect(reported('/finished')).toEqual(happened.slice(0, 2))
  expect(reported('/disabled')).toEqual([])
  // Two webhooks receive the same event under the same id.
  expect([...heardAt('/flaky').keys()].toSorted()).toEqual([...heardAt('/everything').keys()].toSorted())
}, 3_600_000)

test('without an exception for this machine its servers are not called, under any name', async () => {
  await operator.stop()
  operator = await start('')
  const { port } = receiver
  const hosts = [
    'localhost',
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '[::1]',
    '[::ffff:7f00:1]',
    '①②⑦.0.0.1',
    '0.0.0.0',
  ]
  const before = receiver.connections
  await Promise.all(
    hosts.map((host, index) => hook(organization, `host-${index}`, { url: `${host}:${port}/` })),
  )
  await organization.environment('shop', 'refused')
  for (const index of hosts.keys()) {
    const { status } = await callWith(organization, `host-${index}`, 'TargetRefused')
    expect(status?.attempts).toBeUndefined()
  }
  expect(receiver.connections).toBe(before)
})
