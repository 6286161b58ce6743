import { mkdir, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { provideBundles } from '../../../dev/build.ts'
import { type ControlPlane, startControlPlane } from '../../../dev/control-plane/control-plane.ts'
import { apiCall, eventually } from '../../../dev/control-plane/kubernetes.ts'
import { installInto, type RunningProcess, startQuartermaster } from '../../../dev/quartermaster.ts'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { conditionStatus, makeTestOrganization, moduleWith, type Organization } from '../support/client.ts'

const rounds = process.env.QUARTERMASTER_SOAK ? 50 : 3
const killsPerRound = 4
const failovers = process.env.QUARTERMASTER_SOAK ? 100 : 2
const modules = 20
const resourcesPerModule = 10
// Four modules also have a name and a database, which has its own name, and each name needs an ingress.
const resourceCount = modules * resourcesPerModule + 4 * 5

let controlPlane: ControlPlane
let directory = ''
let operator: RunningProcess
let organization: Organization

// The same identity each time: a container that is started again is the same candidate.
const settings = { QUARTERMASTER_IDENTITY: 'operator', QUARTERMASTER_LEASE_SECONDS: '30' }
const start = () => startQuartermaster(controlPlane, 'operator', { directory, settings })

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quartermaster-crash-'))
  controlPlane = await startControlPlane({ directory, auditLog: true })
  await Promise.all([provideBundles(directory, ['operator']), installInto(controlPlane)])
  operator = await start()
  organization = await makeTestOrganization({ access: controlPlane }, 'crash')
  await organization.application('shop')
  await organization.define('redis', {
    type: 'redis',
    driverType: 'quartermaster/echo',
    driverInputs: { values: { host: '${context.env.id}', port: 6379, id: '${context.res.id}' } },
    criteria: [{}],
  })
  await organization.define('dns', {
    type: 'dns',
    driverType: 'quartermaster/echo',
    driverInputs: { values: { host: '${context.env.id}.example.test' } },
    provision: { ingress: {} },
    criteria: [{}],
  })
  await organization.define('ingress', {
    type: 'ingress',
    driverType: 'quartermaster/ingress',
    criteria: [{}],
  })
  await organization.define('postgres', {
    type: 'postgres',
    driverType: 'quartermaster/echo',
    driverInputs: {
      values: { host: '${resources.dns.outputs.host}' },
      secretRefs: { password: { secret: 'login', key: 'password' } },
    },
    criteria: [{}],
  })
  await organization.kube('POST', `/api/v1/namespaces/${organization.id}/secrets`, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'login' },
    stringData: { password: 'canary-of-the-crash-test' },
  })
}, 900_000)

afterAll(async () => {
  await operator?.stop()
  await controlPlane?.stop()
})

/** About 200 resources: independent ones, chains, objects and secret outputs. */
function content() {
  const externals = Object.fromEntries(
    Array.from({ length: resourcesPerModule }, (_, each) => [`cache-${each}`, { type: 'redis' }]),
  )
  const spec = { ingress: { rules: { 'externals.dns': { http: { '/': { type: 'prefix', port: 80 } } } } } }
  const workloads = Array.from({ length: modules }, (_, each) =>
    each < 4
      ? [`w${each}`, moduleWith({ ...externals, dns: { type: 'dns' }, db: { type: 'postgres' } }, spec)]
      : [`w${each}`, moduleWith(externals)],
  )
  return { modules: Object.fromEntries(workloads) }
}

/** The resources of an environment, without fields that differ between environments. */
async function stateOf(environment: string) {
  const resources = (await organization.resources()).filter(
    ({ spec }) => spec.environmentName === `shop.${environment}`,
  )
  const namespace = `${organization.id}--shop--${environment}`
  const ingresses = await organization.kube<{ items: KubeObject[] }>(
    'GET',
    `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses`,
  )
  const describe = ({ spec, status }: ActiveResource) =>
    JSON.stringify([
      spec.type,
      spec.resourceId,
      status?.outputs,
      status?.objects?.length,
      conditionStatus({ status }, 'Ready'),
    ])
  const names = new Map(
    resources.map(({ metadata, spec }) => [metadata.name, `${spec.type}#${spec.resourceId}`]),
  )
  const neutral = (text: string) =>
    [...names].reduce(
      (result, [name, descriptor]) => result.replaceAll(name, descriptor),
      text.replaceAll(environment, 'ENV'),
    )
  return {
    resources: resources.map(describe).map(neutral).sort(),
    ingresses: ingresses.body.items
      .map(({ metadata, spec }) => neutral(JSON.stringify([metadata.name, spec])))
      .sort(),
    secrets: resources
      .flatMap(({ status }) => (status?.outputsSecretName ? [neutral(status.outputsSecretName)] : []))
      .sort(),
  }
}

test('SIGKILL of the operator at any moment of a deployment ends in the same state as without', async () => {
  await organization.environment('shop', 'calm')
  await organization.deploy('shop.calm', content())
  const expected = await stateOf('calm')
  expect(expected.resources).toHaveLength(resourceCount)

  for (let round = 0; round < rounds; round += 1) {
    const environment = `storm${round}`
    await organization.environment('shop', environment)
    const deployed = organization.deploy(`shop.${environment}`, content())
    for (let kill = 0; kill < killsPerRound; kill += 1) {
      // From before planning to after the end, denser where the writes are.
      await pause(Math.random() ** 2 * 900)
      await operator.kill()
      operator = await start()
    }
    expect(conditionStatus(await deployed, 'Ready')).toBe('True')
    expect(await stateOf(environment)).toEqual(expected)
  }
}, 900_000)

describe('of two operators', () => {
  const leasePath =
    '/apis/coordination.k8s.io/v1/namespaces/quartermaster-system/leases/quartermaster-operator'
  interface Lease {
    readonly holderIdentity: string
    readonly renewTime: string
    readonly acquireTime: string
    readonly leaseDurationSeconds: number
  }
  const lease = async () => (await apiCall<{ spec: Lease }>(controlPlane, 'GET', leasePath)).spec
  const running = new Map<string, RunningProcess>()
  const startAs = async (identity: string) => {
    const own = join(directory, identity)
    await mkdir(own, { recursive: true })
    const places = { directory, logDirectory: own, pidDirectory: own }
    const ofTwo = { QUARTERMASTER_IDENTITY: identity, QUARTERMASTER_LEASE_SECONDS: '15' }
    running.set(identity, await startQuartermaster(controlPlane, 'operator', { ...places, settings: ofTwo }))
  }
  beforeAll(async () => {
    await operator.stop()
    await Promise.all(['first', 'second'].map(startAs))
  })
  afterAll(() => Promise.all([...running.values()].map((process) => process.stop())))

  test.each(Array.from({ length: failovers }, (_, index) => index))(
    'the other one continues deployment %d when the leader ends, at once if it ends in order',
    async (index) => {
      const environment = `failover${index}`
      await organization.environment('shop', environment)
      const deployed = organization.deploy(`shop.${environment}`, content())
      await pause(Math.random() * 900)
      const before = await lease()
      const leader = running.get(before.holderIdentity)
      const isOrderly = index % 2 === 0
      await (isOrderly ? leader?.stop() : leader?.kill())
      const after = await eventually('another leader', 120_000, async () => {
        const found = await lease()
        return ['', before.holderIdentity].includes(found.holderIdentity) ? undefined : found
      })
      // A released lease is taken before it would end, and one of a dead leader not before it has ended.
      const ends = Date.parse(before.renewTime) + before.leaseDurationSeconds * 1000
      expect(Date.parse(after.acquireTime) < ends).toBe(isOrderly)
      await startAs(before.holderIdentity)
      expect(conditionStatus(await deployed, 'Ready')).toBe('True')
      expect((await stateOf(environment)).resources).toEqual((await stateOf('calm')).resources)
    },
    900_000,
  )
})

describe('after all of this', () => {
  test('nothing is made twice', async () => {
    const created = new Map<string, number>()
    for (const line of (await readFile(controlPlane.auditLogPath ?? '', 'utf8')).split('\n')) {
      if (!line.includes('"verb":"create"') && !line.includes('"verb":"delete"')) continue
      const { verb, objectRef, responseStatus, user } = JSON.parse(line)
      const isOurs = user.username === 'system:serviceaccount:quartermaster-system:quartermaster-operator'
      if (!isOurs || objectRef?.resource !== 'activeresources' || responseStatus.code >= 300) continue
      expect(verb).toBe('create')
      created.set(objectRef.name, (created.get(objectRef.name) ?? 0) + 1)
    }
    // A create whose client died is not recorded as answered, so a few may be missing here.
    expect(created.size).toBeGreaterThan((rounds + 1) * resourceCount * 0.5)
    expect([...created.values()].filter((times) => times !== 1)).toEqual([])
  })

  test('no secret appears in the log of the operator', async () => {
    const log = await readFile(join(directory, 'operator.log'), 'utf8')
    expect(log).not.toContain('canary-of-the-crash-test')
    expect(log).not.toContain(Buffer.from('canary-of-the-crash-test').toString('base64'))
  })
})

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
}
