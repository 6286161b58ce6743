import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from '@jest/globals'
import { apiCall } from '../../../dev/control-plane/kubernetes.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import { fc } from '../../support/properties.ts'
import { conditionStatus, eventually, makeTestOrganization, moduleWith } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { leaksIn, plantCanaries } from './canaries.ts'

const cluster = sharedCluster()
const organization = await makeTestOrganization(cluster, 'churn')
const rounds = process.env.QUARTERMASTER_SOAK ? 300 : 12
const echo = 'quartermaster/echo'
const ownType = `${organization.id}/own`
const canaries = plantCanaries(['secret by its type', 'secret by its input'])
const secretName = 'hush'

const part = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
})
const outputsOf = (values: string[], secrets: string[]) => ({
  use: 'direct',
  outputsSchema: { type: 'object', properties: { values: part(...values), secrets: part(...secrets) } },
})
const values = { host: 'h', token: canaries['secret by its type'] }
const environments = ['one', 'two']

/** Events that can happen between two deployments. */
const changes: Readonly<Record<string, () => Promise<unknown>>> = {
  'the type comes': () =>
    organization.apply('resourcetypes', 'ResourceType', 'own', outputsOf(['host'], ['token'])),
  'the type calls nothing secret': () =>
    organization.apply('resourcetypes', 'ResourceType', 'own', outputsOf(['host', 'token'], [])),
  'the type is deleted': () => gone('resourcetypes', 'own'),
  'the definition of the type comes': () => defineOwn({ values }),
  'the definition of the type changes': () => defineOwn({ values: { ...values, host: 'other' } }),
  'the definition of the type is deleted': () => gone('resourcedefinitions', 'own'),
  'the definition with a secret input comes': () =>
    defineFiles({ secretRefs: { token: { secret: secretName, key: 'token' } } }),
  'the definition passes the secret on': () =>
    defineFiles({ values: { url: `x \${resources['${ownType}#shared.own'].outputs.token}` } }),
  'the driver is another one': () =>
    organization.define('files', { type: 's3', driverType: `${organization.id}/wrapping`, criteria: [{}] }),
  'the driver comes': () =>
    organization.apply('resourcedrivers', 'ResourceDriver', 'wrapping', {
      type: 's3',
      target: `driver://${echo}`,
      template: { values: { bucket: 'b' } },
    }),
  'the driver is deleted': () => gone('resourcedrivers', 'wrapping'),
}

async function gone(plural: string, name: string): Promise<void> {
  if (await organization.get(plural, name)) await organization.remove(plural, name)
}

const defineOwn = (driverInputs: object) =>
  organization.define('own', { type: ownType, driverType: echo, driverInputs, criteria: [{}] })
const defineFiles = (driverInputs: object) =>
  organization.define('files', { type: 's3', driverType: echo, driverInputs, criteria: [{}] })

/** Restores all objects that a deployment needs. */
async function restore(): Promise<void> {
  for (const change of [
    'the type comes',
    'the definition of the type comes',
    'the definition with a secret input comes',
  ])
    await changes[change]?.()
}

async function list(path: string): Promise<KubeObject[]> {
  return (await apiCall<{ items: KubeObject[] }>(cluster.access, 'GET', path)).items
}

/** Where a canary shows. A definition that a person wrote holds the plain input, and so does the spec made from it. */
async function leaks(): Promise<string[]> {
  const inside = (group: string, plural: string) => `${group}/namespaces/${organization.id}/${plural}`
  const found: string[] = []
  for (const { kind, plural } of kinds)
    for (const object of await list(inside('/apis/quartermaster.dev/v1alpha1', plural))) {
      const isPlain = ['ResourceDefinition', 'ActiveResource'].includes(kind)
      found.push(...leaksIn(kind, JSON.stringify(isPlain ? object['status'] : object), canaries))
    }
  found.push(...leaksIn('events', JSON.stringify(await list(inside('/api/v1', 'events'))), canaries))
  for (const environment of environments)
    for (const what of ['resources', 'deploys']) {
      const { body } = await organization.rest('GET', `/apps/shop/envs/${environment}/${what}`)
      found.push(...leaksIn(`REST ${what}`, JSON.stringify(body), canaries))
    }
  for (const name of ['gateway.log', 'operator.log'])
    found.push(...leaksIn(name, readFileSync(join(cluster.directory, name), 'utf8'), canaries))
  return found
}

beforeAll(async () => {
  await organization.application('shop')
  await organization.kube('POST', `/api/v1/namespaces/${organization.id}/secrets`, {
    metadata: { name: secretName },
    stringData: { token: canaries['secret by its input'] },
  })
  await restore()
  const modules = { web: moduleWith({ it: { type: 's3' } }) }
  for (const environment of environments) {
    await organization.environment('shop', environment)
    const ended = await organization.deploy(`shop.${environment}`, {
      modules,
      shared: { own: { type: ownType } },
    })
    expect(conditionStatus(ended, 'Ready')).toBe('True')
  }
})

test('deployments end and show no secret, while types, definitions and drivers are created and deleted', async () => {
  const deploys = (environment: string) => `/apps/shop/envs/${environment}/deploys`
  const outcomes = new Set<string | undefined>()
  const sequence = fc.sample(
    fc.array(fc.constantFrom(...Object.keys(changes)), { minLength: 1, maxLength: 3 }),
    rounds,
  )
  for (const [i, round] of sequence.entries()) {
    if (i % 3 === 0) await restore()
    for (const change of round) await changes[change]?.()
    const made = await Promise.all(
      environments.map((environment) =>
        eventually(`a deployment to '${environment}'`, 60_000, async () => {
          const { status, body } = await organization.rest('POST', deploys(environment), {})
          return status === 409 ? undefined : { status, id: body.id }
        }),
      ),
    )
    // More happens while they are on their way.
    await changes[round[0] ?? '']?.()
    for (const { status, id } of made) {
      expect(status).toBe(201)
      outcomes.add(conditionStatus(await organization.ended(id), 'Ready'))
    }
    expect({ round, leaks: await leaks() }).toEqual({ round, leaks: [] })
  }
  expect(outcomes).toEqual(new Set(['True', 'False']))
})
