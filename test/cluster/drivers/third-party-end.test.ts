import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import type { HttpDriverServer } from '../../drivers/support/http-driver-server.ts'
import { conditionStatus, eventually, makeTestOrganization } from '../support/client.ts'
import { endEnvironment, gone, readinessIn, secretAt, untilEnded } from '../support/observing.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { thirdPartyOf } from '../support/third-party.ts'

const cluster = sharedCluster()
const organization = await makeTestOrganization(cluster, 'own-drivers')
const { serve, registerByRest, registerByKubectl, deploy, bucketIn, close } = thirdPartyOf(organization)

const pathOfDriver = `/apis/quartermaster.dev/v1alpha1/namespaces/${organization.id}/resourcedrivers`
const calls = (method: string, server: HttpDriverServer) =>
  server.journal.filter((each) => each.method === method)

beforeAll(async () => {
  await organization.application('shop')
})
afterAll(close)

describe('a driver that is deleted while its resources live', () => {
  let server: HttpDriverServer
  beforeAll(async () => {
    server = await serve()
    expect((await registerByRest('leaving', server.target)).status).toBe(200)
    await deploy('leaving', 'leaving')
    expect(server.existing.size).toBe(1)
  })

  test('over REST is refused while a definition names it: 409 with the definition', async () => {
    await organization.untilRest('/resources/defs/leaving')
    const { status, body } = await organization.rest('DELETE', '/resources/drivers/leaving')
    expect([status, JSON.stringify(body)]).toEqual([409, expect.stringContaining('"leaving"')])
  })

  test('by kubectl still deprovisions at its old target, with its cookie, when the environment is deleted', async () => {
    const { name } = (await bucketIn('leaving')).metadata
    await organization.remove('resourcedrivers', 'leaving')
    await gone(organization, [`${pathOfDriver}/leaving`])
    await endEnvironment(organization, 'leaving')
    const [call, ...others] = calls('DELETE', server)
    expect([call?.url, others]).toEqual([`/driver/${name}`, []])
    expect(call?.headers['humanitec-driver-cookie']).toBe(`made-${name.slice(0, 4)}`)
    expect(server.existing.size).toBe(0)
  })
})

test('a driver that cannot be reached keeps a deletion waiting, and the command in the condition ends it', async () => {
  const server = await serve()
  await registerByKubectl('silent', server.target)
  await deploy('silent', 'silent')
  const { name } = (await bucketIn('silent')).metadata
  await server.close()
  await organization.remove('environments', 'shop.silent')
  const message = await readinessIn(organization, 'silent', 's3', 'DriverUnreachable')
  const [command = ''] = /kubectl annotate .*$/.exec(message) ?? []
  expect(command).toContain(name)
  execFileSync(cluster.kubectl, command.split(' ').slice(1), {
    env: { ...process.env, KUBECONFIG: cluster.kubeconfigPath },
  })
  await eventually('the end of the environment', 30_000, async () =>
    (await organization.get('environments', 'shop.silent')) ? undefined : true,
  )
})

test('a driver that refuses a deletion is asked again, so that the deletion ends once nothing hinders it', async () => {
  const server = await serve()
  await registerByKubectl('full', server.target)
  await deploy('full', 'full')
  const refusal = { status: 400, body: { error: 'RES-100', message: 'the bucket is not empty' } }
  server.next.push(refusal, refusal, refusal)
  await organization.remove('environments', 'shop.full')
  expect(await readinessIn(organization, 'full', 's3', 'DriverRefused')).toContain('the bucket is not empty')
  await untilEnded(organization, 'full')
  expect(server.existing.size).toBe(0)
  expect(calls('DELETE', server)).toHaveLength(4)
})

test('an organization whose namespace is deleted by kubectl deprovisions the resources of its drivers', async () => {
  const leaving = await makeTestOrganization(cluster, 'whole')
  const drivers = thirdPartyOf(leaving)
  const server = await serve()
  await leaving.application('shop')
  await drivers.registerByKubectl('mine', server.target)
  await drivers.deploy('one', 'mine')
  await drivers.deploy('two', 'mine')
  expect(server.existing.size).toBe(2)
  await leaving.kube('DELETE', `/api/v1/namespaces/${leaving.id}`)
  await gone(organization, [`/api/v1/namespaces/${leaving.id}`], 60_000)
  expect(server.existing.size).toBe(0)
  const cookies = calls('DELETE', server).map(({ headers }) => headers['humanitec-driver-cookie'])
  expect(cookies.filter((each) => String(each).startsWith('made-'))).toHaveLength(2)
})

/** A resource as REST shows it. */
interface Shown {
  readonly type: string
  readonly driver_type: string
  readonly resource: object
  readonly status: { readonly state: string }
}

describe('a driver that wraps another', () => {
  const template = 'values:\n  region: {{ .driver.values.place | upper }}\n  size: {{ .resource.size }}'
  const driverInputs = { values: { place: 'north' } }
  const shown = async (environment: string) => {
    const bucketIn = (body: Shown[]) =>
      body.find(({ type, status }) => type === 's3' && status.state === 'active')
    const bucket = bucketIn(
      await organization.untilRest(`/apps/shop/envs/${environment}/resources`, bucketIn),
    )
    return [bucket?.driver_type, bucket?.resource]
  }

  test('gives its inputs, put in other words, to a driver of the organization, which is shown as the driver', async () => {
    const server = await serve()
    await registerByKubectl('inner', server.target)
    await registerByKubectl('outer', `driver://${organization.id}/inner`, { template })
    expect(conditionStatus(await deploy('outer', 'outer', { driverInputs }), 'Ready')).toBe('True')
    expect(await shown('outer')).toEqual([`${organization.id}/inner`, { region: 'NORTH', size: 3 }])
    expect(JSON.parse(server.journal[0]?.body ?? '').driver.values).toEqual({ region: 'NORTH', size: 3 })
    await organization.remove('resourcedrivers', 'outer')
    await endEnvironment(organization, 'outer')
    expect(server.existing.size).toBe(0)
  })

  test('gives its inputs to a built-in driver, under any of its names', async () => {
    const target = 'driver://humanitec/echo'
    expect((await registerByRest('echoing', target, { template })).status).toBe(200)
    expect(conditionStatus(await deploy('echoing', 'echoing', { driverInputs }), 'Ready')).toBe('True')
    expect(await shown('echoing')).toEqual([expect.stringMatching(/\/echo$/), { region: 'NORTH', size: 3 }])
  })
})

const examples = join(import.meta.dirname, '../../../examples/driver')
const hasPython = spawnSync('python3', ['--version']).status === 0
const inPython = hasPython ? describe : describe.skip

inPython('the driver of examples/driver', () => {
  const data = mkdtempSync(join(tmpdir(), 'buckets-'))
  const buckets = () => readdirSync(join(data, 'objects'))
  let python: ChildProcess
  afterAll(() => {
    python?.kill()
    rmSync(data, { recursive: true, force: true })
  })

  test('makes a bucket for a deployment, and takes it away with the environment', async () => {
    const options = ['--port', '0', '--data', data, '--seconds', '0.3']
    python = spawn('python3', [join(examples, 'bucket_driver.py'), ...options], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [line] = await once(python.stdout as NodeJS.EventEmitter, 'data') // it is a pipe
    const { spec } = parse(readFileSync(join(examples, 'driver.yaml'), 'utf8'))
    await registerByKubectl('buckets', String(line).trim(), { ...spec, target: String(line).trim() })
    const { spec: definition } = parse(readFileSync(join(examples, 'definition.yaml'), 'utf8'))
    const { driverInputs } = definition
    expect(conditionStatus(await deploy('python', 'buckets', { driverInputs }), 'Ready')).toBe('True')
    const { status } = await bucketIn('python')
    expect(status?.outputs).toMatchObject({ region: 'eu-north-1' })
    expect(buckets()).toEqual([status?.outputs?.bucket])
    const path = `/api/v1/namespaces/${organization.id}/secrets/${status?.outputsSecretName}`
    expect(Object.keys((await secretAt(organization, path)) ?? {})).toEqual([
      'aws_access_key_id',
      'aws_secret_access_key',
    ])
    await endEnvironment(organization, 'python')
    expect(buckets()).toEqual([])
  })
})
