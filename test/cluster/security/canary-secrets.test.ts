import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import { apiCall } from '../../../dev/control-plane/kubernetes.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import type { HttpDriverServer } from '../../drivers/support/http-driver-server.ts'
import { conditionStatus, eventually, makeTestOrganization, moduleWith } from '../support/client.ts'
import { type Receiver, startReceiver } from '../support/receiver/receiver.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { thirdPartyOf } from '../support/third-party.ts'
import { leaksIn } from './canaries.ts'
import { createCanaryClient } from './canary-client.ts'
import { makeDrivers, misplace, misplaceTokens, plant } from './canary-planting.ts'

const cluster = sharedCluster()
const organization = await makeTestOrganization(cluster, 'canaries')
const thirdParty = thirdPartyOf(organization)
const client = createCanaryClient(cluster, organization)
const { canaries, answers, of, rest } = client
const secretsPath = `/api/v1/namespaces/${organization.id}/secrets`

let receiver: Receiver
let journal: HttpDriverServer['journal'] = []

const variables = { A: '${values.TOKEN}', B: 'x ${values.OTHER}' }
const moduleOf = (type: string) => moduleWith({ it: { type } }, { containers: { main: { variables } } })
const outcomes = {
  works: 'True',
  tell: 'False',
  fail: 'False',
  leaky: 'False',
  broken: 'False',
  dns: 'False',
}
const typeIn = (environment: string) =>
  environment === 'dns' ? 'dns' : ['leaky', 'broken'].includes(environment) ? 'postgres' : 's3'

beforeAll(async () => {
  receiver = await startReceiver(cluster.directory)
  receiver.answer('/chat', (response, { headers }) => response.writeHead(500).end(JSON.stringify(headers)))
  await organization.application('shop')
  for (const environment of Object.keys(outcomes)) await organization.environment('shop', environment)
  await plant(client, cluster, receiver)
  await misplace(client)
  await misplaceTokens(client)
  journal = (await makeDrivers(client, thirdParty, cluster)).journal
  await organization.kube('POST', secretsPath, {
    metadata: { name: 'by-kubectl' },
    stringData: { token: of('account by kubectl') },
  })
  await organization.apply('resourceaccounts', 'ResourceAccount', 'by-kubectl', {
    type: 'cloudflare',
    credentialsSecretName: 'by-kubectl',
  })
})

afterAll(async () => {
  await Promise.all([thirdParty.close(), receiver?.close()])
})

test('deployments with them succeed, and fail, as they should', async () => {
  const ends = await Promise.all(
    Object.keys(outcomes).map(async (environment) => {
      const modules = { web: moduleOf(typeIn(environment)) }
      const end = await organization.deploy(`shop.${environment}`, { modules })
      return [environment, conditionStatus(end, 'Ready')]
    }),
  )
  expect(Object.fromEntries(ends)).toEqual(outcomes)
  expect(JSON.parse(journal[0]?.body ?? '')).toMatchObject({
    driver: { secrets: { a: of('definition change'), account: { key: of('account change') } } },
  })
  const calls = await receiver.awaitCalls('/chat', 3)
  expect(calls[0]?.headers['x-token']).toBe(of('webhook header'))
})

describe('no secret appears, in no form', () => {
  const isHeader = (name: string) => name === 'webhook header'

  test('in any answer of REST', async () => {
    const params: Record<string, string[]> = {
      app_id: ['shop'],
      env_id: Object.keys(outcomes),
      def_id: [...Object.keys(outcomes), 'all'],
      account_id: ['cloud', 'nested', 'refused', 'by-kubectl'],
      driver_id: ['works'],
      webhook_id: ['chat'],
      value_key: ['TOKEN'],
    }
    const fill = (path: string): string[] => {
      const [whole, name = ''] = /\{(\w+)\}/.exec(path) ?? []
      if (!whole) return [path]
      return (params[name] ?? ['none']).flatMap((value) => fill(path.replace(whole, value)))
    }
    const gets = endpoints.filter(
      ({ method, path }) => method === 'get' && path.startsWith('/orgs/{org_id}/'),
    )
    for (const { path } of gets)
      for (const each of fill(path.replace('/orgs/{org_id}', ''))) await rest(`GET ${each}`)
    expect(answers.filter(({ text }) => text.length > 0).length).toBeGreaterThan(100)
    const isWebhook = (where: string) => /^GET .*\/webhooks(\/chat)?$/.test(where)
    expect(
      answers.flatMap(({ where, text }) =>
        leaksIn(
          where,
          text,
          canaries,
          // The sender of an unknown id gets it back, and no other user does.
          (name) =>
            (isWebhook(where) && isHeader(name)) || (where.startsWith('POST ') && name === 'token in a body'),
        ),
      ),
    ).toEqual([])
  })

  test('in any object but Secrets, nor in the metadata of Secrets', async () => {
    const list = async (path: string) =>
      (await apiCall<{ items: KubeObject[] }>(cluster.access, 'GET', path)).items
    const found: string[] = []
    for (const { kind, plural } of kinds) {
      const text = JSON.stringify(await list(`/apis/quartermaster.dev/v1alpha1/${plural}`))
      found.push(...leaksIn(kind, text, canaries, (name) => kind === 'Webhook' && isHeader(name)))
    }
    const others = [
      '/api/v1/events',
      '/api/v1/configmaps',
      '/api/v1/namespaces',
      '/apis/networking.k8s.io/v1/ingresses',
    ]
    for (const path of others) found.push(...leaksIn(path, JSON.stringify(await list(path)), canaries))
    const secrets = (await list('/api/v1/secrets')).map(({ metadata, type }) => ({ metadata, type }))
    found.push(...leaksIn('metadata of Secrets', JSON.stringify(secrets), canaries))
    expect(found).toEqual([])
  })

  test('in any log or figure', async () => {
    const found: string[] = []
    for (const name of ['gateway.log', 'operator.log'])
      found.push(...leaksIn(name, readFileSync(join(cluster.directory, name), 'utf8'), canaries))
    // It holds the bodies of writes of webhooks, whose headers are plain data.
    found.push(...leaksIn('audit log', readFileSync(cluster.auditLogPath, 'utf8'), canaries, isHeader))
    for (const url of [cluster.gatewayUrl, cluster.operatorUrl]) {
      // A process may end an idle connection just as the request comes.
      const read = async () => (await fetch(`${url}/metrics`)).text()
      found.push(...leaksIn(`${url}/metrics`, await eventually('the figures', 30_000, read), canaries))
    }
    expect(found).toEqual([])
  })

  test('but where they belong', async () => {
    const { body } = await organization.kube<{ items: { data?: Record<string, string> }[] }>(
      'GET',
      secretsPath,
    )
    const kept = body.items
      .flatMap(({ data = {} }) => Object.values(data))
      .map((text) => Buffer.from(text, 'base64').toString())
    for (const name of [
      'account change',
      'account object',
      'definition change',
      'value',
      'cookie',
      'secret output',
      'signing secret',
    ])
      expect([
        name,
        kept.some((text) => text.includes(of(name)) || text.includes(JSON.stringify(of(name)).slice(1, -1))),
      ]).toEqual([name, true])
  })
})
