import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { apiCall } from '../../../dev/control-plane/kubernetes.ts'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import { conditionStatus, eventually, makeTestOrganization, moduleWith, readyOf } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { leaksIn, plantCanaries } from './canaries.ts'

const cluster = sharedCluster()
const organization = await makeTestOrganization(cluster, 'secrecy')
const echo = 'quartermaster/echo'
const databaseType = `${organization.id}/db`
const inside = `/api/v1/namespaces/${organization.id}`
const canaries = plantCanaries(['first', 'second', 'third', 'literal', 'by hand'])
const needs = { modules: { web: moduleWith({ it: { type: 's3' } }) } }
const password = `\${resources['${databaseType}'].outputs.password}`

const part = (names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
})
const typeWith = (values: string[], secrets: string[]) => ({
  use: 'direct',
  outputsSchema: { type: 'object', properties: { values: part(values), secrets: part(secrets) } },
})

async function applyType(values: string[], secrets: string[]): Promise<void> {
  await organization.apply('resourcetypes', 'ResourceType', 'db', typeWith(values, secrets))
}

const changePassword = (text: string) =>
  organization.rest('PATCH', '/resources/defs/db', {
    driver_inputs: { values: { host: 'h', password: text } },
  })

async function resourceOf(type: string): Promise<ActiveResource> {
  const found = (await organization.resources()).find(({ spec }) => spec.type === type)
  if (!found) throw new Error(`no resource of type '${type}'`)
  return found
}

/** The secret outputs of a resource. */
async function secretsOf({ metadata }: ActiveResource): Promise<Record<string, string>> {
  const { body } = await organization.kube<{ data?: Record<string, string> }>(
    'GET',
    `${inside}/secrets/${metadata.name}-outputs`,
  )
  return Object.fromEntries(
    Object.entries(body.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  )
}

async function makeSecret(name: string, stringData: object): Promise<void> {
  await organization.kube('POST', `${inside}/secrets`, { metadata: { name }, stringData })
}

async function list(path: string): Promise<KubeObject[]> {
  return (await apiCall<{ items: KubeObject[] }>(cluster.access, 'GET', path)).items
}

beforeAll(async () => {
  await organization.application('shop')
  await organization.environment('shop', 'dev')
  await applyType(['host'], ['password'])
  await makeSecret('by-hand', {
    data: '${context.app.id}',
    text: `${canaries['by hand']} \${context.app.id}`,
  })
  await organization.define('db', { type: databaseType, driverType: echo, criteria: [{}] })
  await organization.untilRest('/resources/defs/db')
  expect((await changePassword(canaries.first)).status).toBe(200)
})

describe('secret inputs', () => {
  test('have their placeholders resolved, over REST', async () => {
    const { status } = await organization.rest('POST', '/resources/defs', {
      id: 'files',
      name: 'Files',
      type: 's3',
      driver_type: echo,
      criteria: [{}],
      driver_inputs: { values: {}, secrets: { url: `${canaries.literal} ${password}` } },
    })
    expect(status).toBe(200)
    expect(conditionStatus(await organization.deploy('shop.dev', needs), 'Ready')).toBe('True')
    const files = await resourceOf('s3')
    expect(await secretsOf(files)).toEqual({ url: `${canaries.literal} ${canaries.first}` })
    expect(files.spec.dependsOn).toEqual([(await resourceOf(databaseType)).metadata.name])
  })

  test('follow the objects that they name', async () => {
    await changePassword(canaries.second)
    await organization.deploy('shop.dev', needs)
    await eventually('the new password', 30_000, async () => {
      const { url = '' } = await secretsOf(await resourceOf('s3'))
      return url === `${canaries.literal} ${canaries.second}` || undefined
    })
  })

  test('have placeholders resolved where a manifest of a definition contains or lists them, and are data elsewhere', async () => {
    await organization.environment('shop', 'manifest')
    const secretRefs = {
      held: { value: `it is ${password}` },
      listed: { secret: 'by-hand', key: 'text', placeholders: ['context.app.id'] },
      data: { secret: 'by-hand', key: 'data' },
    }
    const criteria = [{ envId: 'manifest' }]
    await organization.define('by-kubectl', {
      type: 's3',
      driverType: echo,
      criteria,
      driverInputs: { secretRefs },
    })
    expect(conditionStatus(await organization.deploy('shop.manifest', needs), 'Ready')).toBe('True')
    const made = (await organization.resources()).find(
      ({ spec }) => spec.environmentName === 'shop.manifest' && spec.type === 's3',
    )
    expect(made && (await secretsOf(made))).toEqual({
      held: `it is ${canaries.second}`,
      listed: `${canaries['by hand']} shop`,
      data: '${context.app.id}',
    })
    await organization.remove('environments', 'shop.manifest')
    await eventually('the end of the environment', 60_000, async () => {
      return (await organization.get('environments', 'shop.manifest')) === undefined || undefined
    })
  })
})

describe('when the type of a resource is deleted', () => {
  test('its definitions are not ready, and nothing of it is deployed', async () => {
    await organization.remove('resourcetypes', 'db')
    await eventually('the outcome on the definition', 30_000, async () => {
      const found = await organization.get('resourcedefinitions', 'db')
      return (found && readyOf(found).reason === 'TypeNotFound') || undefined
    })
    await changePassword(canaries.third)
    const deployment = await organization.deploy('shop.dev', needs)
    expect(conditionStatus(deployment, 'Stalled')).toBe('True')
    expect(deployment.status?.problems).toMatchObject([{ reason: 'TypeNotFound' }])
  })

  test('and created again with other outputs, former secrets stay secret', async () => {
    await applyType(['host', 'password'], [])
    const deployment = await organization.deploy('shop.dev', needs)
    expect(conditionStatus(deployment, 'Ready')).toBe('True')
    const database = await resourceOf(databaseType)
    expect([database.status?.outputs, await secretsOf(database)]).toEqual([
      { host: 'h' },
      { password: canaries.third },
    ])
    expect(await secretsOf(await resourceOf('s3'))).toEqual({ url: `${canaries.literal} ${canaries.third}` })
  })
})

test('an output that a type now declares secret leaves the status without a deployment', async () => {
  await applyType(['password'], ['host'])
  await eventually('the plain output to go', 30_000, async () => {
    const { status } = await resourceOf(databaseType)
    return (status?.outputs?.['host'] === undefined && readyIs(status)) || undefined
  })
  expect(await secretsOf(await resourceOf(databaseType))).toEqual({ host: 'h', password: canaries.third })
})

const readyIs = (status: ActiveResource['status']) =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True')

test('no secret was shown anywhere', async () => {
  const found: string[] = []
  // Plain values of a definition appear in it, and in the resources deployed with it.
  const inputs = new Set(['ResourceDefinition', 'ActiveResource'])
  const hidden = { literal: canaries.literal, 'by hand': canaries['by hand'] }
  for (const { kind, plural } of kinds) {
    const path = `/apis/quartermaster.dev/v1alpha1/namespaces/${organization.id}/${plural}`
    const objects = await list(path)
    found.push(...leaksIn(kind, JSON.stringify(objects), inputs.has(kind) ? hidden : canaries))
    const statuses = objects.map((each) => (each as { status?: object }).status ?? {})
    found.push(...leaksIn(`status of ${kind}`, JSON.stringify(statuses), canaries))
  }
  found.push(...leaksIn('events', JSON.stringify(await list('/api/v1/events')), canaries))
  for (const path of ['resources', 'deploys', 'resources/graph']) {
    const { body } = await organization.rest('GET', `/apps/shop/envs/dev/${path}`)
    found.push(...leaksIn(path, JSON.stringify(body ?? ''), canaries))
  }
  const { body } = await organization.rest('GET', '/resources/defs')
  found.push(...leaksIn('definitions', JSON.stringify(body), hidden))
  for (const name of ['gateway.log', 'operator.log'])
    found.push(...leaksIn(name, readFileSync(join(cluster.directory, name), 'utf8'), canaries))
  expect(found).toEqual([])
})
