import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import type { ResourceAccount } from '../../../operator/api/resource-account.ts'
import { conditionStatus, eventually, moduleWith, readyOf } from '../support/client.ts'
import { makeDnsOrganization } from '../support/cloudflare.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const organization = await makeDnsOrganization(cluster, 'dnsaccounts')
const { provider, zone } = organization
const tokens = [organization.token]
const answers: unknown[] = []
const modules = { web: moduleWith({ dns: { type: 'dns' } }) }

async function rest(method: string, path: string, body?: unknown) {
  const answer = await organization.rest(method, path, body)
  answers.push(answer.body)
  return answer
}
async function newToken() {
  const token = await provider.makeToken(zone)
  tokens.push(token)
  return token
}
const resourceOf = async (environment: string): Promise<ActiveResource | undefined> =>
  (await organization.resources()).find(({ spec }) => spec.environmentName === `shop.${environment}`)
const recordsOf = async (resource: ActiveResource | undefined) =>
  (await provider.records(zone)).filter(({ comment }) => comment?.endsWith(`:${resource?.metadata.name}`))
const ready = (environment: string, status = 'True') =>
  eventually(`Ready ${status} in '${environment}'`, 30_000, async () => {
    const found = await resourceOf(environment)
    return conditionStatus(found, 'Ready') === status ? found : undefined
  })
const gone = (plural: string, name: string) =>
  eventually(`the end of '${name}'`, 30_000, async () =>
    (await organization.get(plural, name)) ? undefined : true,
  )
/** A definition and an account for one environment, which is deployed. */
async function deployed(environment: string, token = organization.token) {
  await organization.secret(`${environment}-token`, { token: token.value })
  await organization.apply('resourceaccounts', 'ResourceAccount', environment, {
    type: 'cloudflare',
    credentialsSecretName: `${environment}-token`,
  })
  await organization.defineDns(environment, { accountName: environment, criteria: [{ envId: environment }] })
  await organization.environment('shop', environment)
  const deployment = await organization.deploy(`shop.${environment}`, { modules })
  expect(conditionStatus(deployment, 'Ready')).toBe('True')
  return resourceOf(environment)
}

beforeAll(async () => {
  await organization.defineDns('dns', { criteria: [{ envId: 'revoked' }] })
})

describe('a token that the provider takes no more', () => {
  let resource: ActiveResource | undefined
  beforeAll(async () => {
    await organization.environment('shop', 'revoked')
    await organization.deploy('shop.revoked', { modules })
    resource = await resourceOf('revoked')
  })

  test('stalls its resources, with a clear reason and without retries', async () => {
    await provider.revoke(organization.token)
    await organization.defineDns('dns', { values: { ttl: 600 }, criteria: [{ envId: 'revoked' }] })
    const before = (await provider.calls(organization.token)).length
    const deployment = await organization.deploy('shop.revoked', { modules })
    expect(deployment.status?.problems).toMatchObject([{ reason: 'Unauthorized' }])
    const stalled = await ready('revoked', 'False')
    expect(conditionStatus(stalled, 'Stalled')).toBe('True')
    expect(readyOf(stalled).message).toContain('does not accept the token of the account')
    await sleep(10_000)
    expect((await provider.calls(organization.token)).length - before).toBeLessThanOrEqual(2)
  })

  test('differs from a good one in a check over REST', async () => {
    await organization.secret('good-token', { token: (await newToken()).value })
    await organization.apply('resourceaccounts', 'ResourceAccount', 'good', {
      type: 'cloudflare',
      credentialsSecretName: 'good-token',
    })
    // The gateway sees an object of kubectl a moment later.
    const good = await eventually('the account over REST', 30_000, async () => {
      const answer = await rest('POST', '/resources/accounts/good/actions/check')
      return answer.status === 404 ? undefined : answer
    })
    expect(good.status).toBe(200)
    expect(good.body.identity_fields).toMatchObject([{ id: 'token_id', value: expect.any(String) }])
    const bad = await rest('POST', '/resources/accounts/provider/actions/check')
    expect(bad.status).toBe(400)
    expect(bad.body).toMatchObject({ error: 'Invalid', message: expect.stringContaining('disabled') })
  })

  test.each([
    ['good', true],
    ['provider', false],
  ])('differs from a good one in a check by annotation too (%s)', async (name, accepted) => {
    const path = `/apis/quartermaster.dev/v1alpha1/namespaces/${organization.id}/resourceaccounts/${name}`
    const mark = { metadata: { annotations: { 'quartermaster.dev/check': 'by-hand' } } }
    await organization.kube('PATCH', path, mark, 'application/merge-patch+json')
    const account = await eventually('the outcome', 30_000, async () => {
      const found = await organization.get<ResourceAccount>('resourceaccounts', name)
      return found?.status?.check?.request === 'by-hand' ? found : undefined
    })
    expect(account.status?.check).toMatchObject({ accepted })
    expect(conditionStatus(account, 'Ready')).toBe('True')
  })

  test('is healed by new credentials over REST, and the record lives on', async () => {
    const [before] = await recordsOf(resource)
    const token = await newToken()
    const change = { credentials: { token: token.value } }
    expect((await rest('PATCH', '/resources/accounts/provider', change)).status).toBe(200)
    await ready('revoked')
    expect(await recordsOf(resource)).toMatchObject([{ id: before?.id, ttl: 600 }])
    expect(await provider.calls(token)).not.toEqual([])
  })
})

test('new credentials by kubectl in the middle of a deployment lose no record', async () => {
  const [first, second] = [await newToken(), await newToken()]
  await organization.secret('flight-token', { token: first.value })
  await organization.secret('flight-token-2', { token: second.value })
  const account = (credentialsSecretName: string) =>
    organization.apply('resourceaccounts', 'ResourceAccount', 'flight', {
      type: 'cloudflare',
      credentialsSecretName,
    })
  await account('flight-token')
  await organization.defineDns('flight', { accountName: 'flight', criteria: [{ envId: 'flight' }] })
  await organization.environment('shop', 'flight')
  await provider.misbehave(first, { match: { method: 'POST' }, do: 'slow', delayMs: 1500 })
  const externals = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`dns-${i}`, { type: 'dns' }]))
  const deployment = organization.deploy('shop.flight', { modules: { web: moduleWith(externals) } })
  await eventually('a call in flight', 30_000, async () =>
    (await provider.calls(first)).some(({ method }) => method === 'POST') ? true : undefined,
  )
  await account('flight-token-2')
  await organization.kube('DELETE', `/api/v1/namespaces/${organization.id}/secrets/flight-token`)
  expect(conditionStatus(await deployment, 'Ready')).toBe('True')
  const resources = (await organization.resources()).filter(
    ({ spec }) => spec.environmentName === 'shop.flight',
  )
  expect(await Promise.all(resources.map(async (each) => (await recordsOf(each)).length))).toEqual([
    1, 1, 1, 1, 1,
  ])
  await provider.revoke(first)
  await organization.remove('environments', 'shop.flight')
  await gone('environments', 'shop.flight')
  for (const each of resources) expect(await recordsOf(each)).toEqual([])
})

test('an account that is deleted while it is used still serves the deletion of the environment', async () => {
  const resource = await deployed('used', await newToken())
  expect(await recordsOf(resource)).toHaveLength(1)
  await organization.remove('resourceaccounts', 'used')
  await organization.kube('DELETE', `/api/v1/namespaces/${organization.id}/secrets/used-token`)
  await organization.remove('environments', 'shop.used')
  await gone('environments', 'shop.used')
  expect(await recordsOf(resource)).toEqual([])
  await eventually('the end of the Secret', 30_000, async () => {
    const path = `/api/v1/namespaces/${organization.id}/secrets/used-token`
    return (await organization.kube('GET', path)).status === 404 || undefined
  })
})

test('an environment whose every call the provider refused is deleted without the provider', async () => {
  const token = await newToken()
  await provider.revoke(token)
  await organization.secret('refused-token', { token: token.value })
  await organization.apply('resourceaccounts', 'ResourceAccount', 'refused', {
    type: 'cloudflare',
    credentialsSecretName: 'refused-token',
  })
  await organization.defineDns('refused', { accountName: 'refused', criteria: [{ envId: 'refused' }] })
  await organization.environment('shop', 'refused')
  const deployment = await organization.deploy('shop.refused', { modules })
  expect(deployment.status?.problems).toMatchObject([{ reason: 'Unauthorized' }])
  expect((await ready('refused', 'False'))?.status?.provisioned).toBeUndefined()
  await organization.remove('environments', 'shop.refused')
  await gone('environments', 'shop.refused')
  await organization.remove('resourceaccounts', 'refused')
  await organization.kube('DELETE', `/api/v1/namespaces/${organization.id}/secrets/refused-token`)
  await eventually('the end of the Secret', 30_000, async () => {
    const path = `/api/v1/namespaces/${organization.id}/secrets/refused-token`
    return (await organization.kube('GET', path)).status === 404 || undefined
  })
})

test('in every order of deletion of definition (d), account (a) and environment (e), the record is deleted', async () => {
  const orders = ['dae', 'dea', 'ade', 'aed', 'eda', 'ead']
  const token = await newToken()
  const resources = await Promise.all(orders.map((order) => deployed(order, token)))
  for (const each of resources) expect(await recordsOf(each)).toHaveLength(1)
  for (const order of orders) await organization.untilRest(`/resources/defs/${order}`)
  await Promise.all(
    orders.map(async (order) => {
      for (const each of order) {
        await sleep(Math.random() * 300)
        if (each === 'd')
          expect((await rest('DELETE', `/resources/defs/${order}?force=true`)).status).toBe(204)
        if (each === 'a') await organization.remove('resourceaccounts', order)
        if (each === 'e') await organization.remove('environments', `shop.${order}`)
      }
    }),
  )
  for (const order of orders) {
    await gone('environments', `shop.${order}`)
    await gone('resourceaccounts', order)
    await gone('resourcedefinitions', order)
  }
  for (const each of resources) expect(await recordsOf(each)).toEqual([])
})

test('a token is in no answer, object, event or log', async () => {
  const paths = ['/resources/accounts', '/resources/defs', '/apps/shop/envs/revoked/resources']
  for (const path of paths) expect((await rest('GET', path)).status).toBe(200)
  const objects = await Promise.all(kinds.map(({ plural }) => organization.list(plural)))
  const { body: events } = await organization.kube('GET', `/api/v1/namespaces/${organization.id}/events`)
  const logs = ['gateway.log', 'operator.log'].map((name) =>
    readFileSync(join(cluster.directory, name), 'utf8'),
  )
  const text = JSON.stringify([answers, objects, events, logs])
  for (const { value } of tokens) {
    expect(text).not.toContain(value)
    expect(text).not.toContain(Buffer.from(value).toString('base64'))
  }
})
