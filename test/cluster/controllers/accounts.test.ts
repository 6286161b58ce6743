import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { kinds } from '../../../operator/api/kinds.ts'
import type { ResourceAccount } from '../../../operator/api/resource-account.ts'
import { conditionStatus, eventually, makeTestOrganization, moduleWith, readyOf } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const organization = await makeTestOrganization(cluster, 'accounts')
const secrets = `/api/v1/namespaces/${organization.id}/secrets`
const canaries = ['canary-first-token', 'canary-second-token', 'canary-by-kubectl']
const answers: unknown[] = []

async function rest(method: string, path: string, body?: unknown) {
  const answer = await organization.rest(method, path, body)
  answers.push(answer.body)
  return answer
}

const statusOf = async (plural: string, name: string, status: string) =>
  eventually(`Ready ${status} of '${name}'`, 30_000, async () => {
    const found = await organization.get(plural, name)
    return conditionStatus(found, 'Ready') === status ? found : undefined
  })

const secretNameOf = async (account: string) =>
  (await organization.get<ResourceAccount>('resourceaccounts', account))?.spec.credentialsSecretName ?? ''

const database = (id: string, account: string, criteria: object[]) => ({
  id,
  name: id,
  type: 'postgres',
  driver_type: 'quartermaster/echo',
  driver_account: account,
  driver_inputs: { values: { host: 'db' } },
  criteria,
})

beforeAll(async () => {
  await organization.application('shop')
  await organization.environment('shop', 'live')
})

describe('an account', () => {
  test('can be created after the definition that names it, and its Secret after that', async () => {
    const definition = database('late', 'late', [{ env_id: 'other' }])
    expect((await rest('POST', '/resources/defs', definition)).status).toBe(200)
    const missing = await eventually('the outcome on the definition', 30_000, async () => {
      const found = await organization.get('resourcedefinitions', 'late')
      return readyOf(found).reason === 'AccountNotFound' ? found : undefined
    })
    expect(['Ready', 'Reconciling', 'Stalled'].map((each) => conditionStatus(missing, each))).toEqual([
      'Unknown',
      'True',
      undefined,
    ])
    await organization.apply('resourceaccounts', 'ResourceAccount', 'late', {
      type: 'any',
      credentialsSecretName: 'late-token',
    })
    await statusOf('resourcedefinitions', 'late', 'True')
    const waiting = await eventually('the outcome on the account', 30_000, async () => {
      const found = await organization.get('resourceaccounts', 'late')
      return readyOf(found).reason === 'SecretNotFound' ? found : undefined
    })
    expect(readyOf(waiting).message).toContain('late-token')
    await organization.kube('POST', secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'late-token' },
      stringData: { token: canaries[2] },
    })
    await statusOf('resourceaccounts', 'late', 'True')
  })

  test('is created over REST with its credentials in a separate Secret', async () => {
    const account = { id: 'server', name: 'Server', type: 'any', credentials: { token: canaries[0] } }
    expect((await rest('POST', '/resources/accounts', account)).status).toBe(200)
    expect((await rest('POST', '/resources/accounts', account)).status).toBe(409)
    await statusOf('resourceaccounts', 'server', 'True')
    expect((await rest('POST', '/resources/defs', database('database', 'server', [{}]))).status).toBe(200)
    const modules = { api: moduleWith({ db: { type: 'postgres' } }) }
    expect(conditionStatus(await organization.deploy('shop.live', { modules }), 'Ready')).toBe('True')
    expect((await rest('GET', '/resources/accounts/server')).body).toMatchObject({ is_used: true })
  })

  test('in use cannot be deleted over REST: 409 with its users', async () => {
    const { status, body } = await rest('DELETE', '/resources/accounts/server')
    expect(status).toBe(409)
    expect(JSON.stringify(body)).toContain('"database"')
  })

  test('with new credentials has a new Secret, and the old one is deleted once it is unused', async () => {
    const before = await secretNameOf('server')
    const held = async () => {
      const [resource] = await organization.resources()
      return resource?.status?.secretNames ?? []
    }
    expect(await held()).toEqual([before])
    const change = { credentials: { token: canaries[1] } }
    expect((await rest('PATCH', '/resources/accounts/server', change)).status).toBe(200)
    const after = await secretNameOf('server')
    expect(after).not.toBe(before)
    await eventually('the end of the old Secret', 30_000, async () =>
      (await organization.kube('GET', `${secrets}/${before}`)).status === 404 ? true : undefined,
    )
    expect((await organization.kube('GET', `${secrets}/${after}`)).status).toBe(200)
    await eventually('the new Secret in use', 30_000, async () =>
      (await held()).join() === after ? true : undefined,
    )
    await statusOf('resourceaccounts', 'server', 'True')
  })

  test('changed in its name alone keeps its Secret', async () => {
    const before = await secretNameOf('server')
    expect((await rest('PATCH', '/resources/accounts/server', { name: 'Renamed' })).body.name).toBe('Renamed')
    expect(await secretNameOf('server')).toBe(before)
  })
})

test('credentials are in no answer, object, event or log', async () => {
  for (const path of [
    '/resources/accounts',
    '/resources/accounts/server',
    '/resources/defs',
    '/resources/account-types',
  ])
    expect((await rest('GET', path)).status).toBe(200)
  const objects = await Promise.all(kinds.map(({ plural }) => organization.list(plural)))
  const { body: events } = await organization.kube('GET', `/api/v1/namespaces/${organization.id}/events`)
  const logs = ['gateway.log', 'operator.log'].map((name) =>
    readFileSync(join(cluster.directory, name), 'utf8'),
  )
  const text = JSON.stringify([answers, objects, events, logs])
  for (const canary of canaries) {
    expect(text).not.toContain(canary)
    expect(text).not.toContain(Buffer.from(canary).toString('base64'))
  }
})
