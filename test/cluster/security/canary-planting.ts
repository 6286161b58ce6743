import { expect } from '@jest/globals'
import { issueCertificate } from '../../../dev/development-authority.ts'
import type { HttpDriverServer } from '../../drivers/support/http-driver-server.ts'
import type { Receiver } from '../support/receiver/receiver.ts'
import type { SharedCluster } from '../support/shared-cluster.ts'
import type { ThirdParty } from '../support/third-party.ts'
import { inAllForms } from './canaries.ts'
import type { CanaryClient } from './canary-client.ts'

const account = (id: string, credentials: unknown, type = 'any') => ({ id, name: id, type, credentials })
const definition = (id: string, type: string, driver: string, inputs: object, more: object = {}) => ({
  id,
  name: id,
  type,
  driver_type: driver,
  driver_inputs: inputs,
  criteria: [{ env_id: id }],
  ...more,
})

/** Everything that takes a secret, by the interface that is made for it. */
export async function plant(
  { canaries, of, rest, shownOnce }: CanaryClient,
  { gatewayUrl, adminToken }: SharedCluster,
  receiver: Receiver,
): Promise<void> {
  await rest('POST /resources/accounts', account('cloud', { key: of('account text') }), 200)
  await rest('POST /resources/accounts', account('nested', { file: { key: of('account object') } }), 200)
  await rest('PATCH /resources/accounts/cloud', { credentials: { key: of('account change') } }, 200)
  await rest('POST /resources/accounts', account('list', [of('account refused')]), 422)
  await rest('POST /resources/accounts', account('odd', { 'a b': of('account refused') }), 400)
  const refused = account('refused', { token: of('account refused by the provider') }, 'cloudflare')
  await rest('POST /resources/accounts?check_credential=true', refused, 400)
  await rest('POST /resources/accounts', refused, 200)
  await rest(
    'POST /apps/shop/values',
    { key: 'TOKEN', description: '', is_secret: true, value: of('value') },
    201,
  )
  const byReference = {
    key: 'OTHER',
    description: '',
    is_secret: true,
    secret_ref: { value: of('value by secret_ref') },
  }
  await rest('POST /apps/shop/values', byReference, 201)
  const own = { key: 'TOKEN', description: '', is_secret: true, value: of('value of an environment') }
  await rest('POST /apps/shop/envs/works/values', own, 201)
  const hook = {
    id: 'chat',
    url: receiver.url('/chat'),
    headers: { 'x-token': of('webhook header') },
    triggers: [{ scope: 'deployment', type: 'finished' }],
  }
  const { signing_secret: signingSecret = '' } = await shownOnce('POST /apps/shop/webhooks', hook)
  canaries['signing secret'] = signingSecret
  await rest(
    'POST /apps/shop/webhooks',
    { ...hook, id: 'odd', url: `me:${of('webhook address')}@localhost` },
    400,
  )
  const user = await shownOnce('POST /users', { name: 'Robot', role: 'member' })
  const token = await fetch(`${gatewayUrl}/users/${user['id']}/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'ci', description: 'CI' }),
  })
  expect(token.status).toBe(200)
  canaries['token of a user'] = ((await token.json()) as { token: string }).token
}

/** Secrets where there should be none. */
export async function misplace({ of, rest }: CanaryClient): Promise<void> {
  const wrong = of('token in Authorization')
  for (const authorization of [
    `Bearer ${wrong}`,
    `Bearer qm_admin_${wrong}`,
    `Basic ${wrong}`,
    wrong,
    `JWT ${wrong}`,
  ])
    await rest('GET /apps', undefined, 403, { authorization })
  await rest('POST /apps', `{"id": "x1", "name": "${of('malformed body')}`, 422)
  await rest('POST /apps', of('malformed body'), 422)
  await rest('POST /apps', { id: of('malformed body'), name: 'x' }, 400)
  await rest('POST /apps', { id: 'more', name: 'x', token: of('unexpected field') }, 201)
  const inputs = { values: {}, secrets: { tls: { 'tls.key': { key: of('definition refused') } } } }
  await rest('POST /resources/defs', definition('odd', 'dns', 'quartermaster/dns-cloudflare', inputs), 400)
  const both = {
    secrets: { a: of('definition refused') },
    secret_refs: { a: { value: of('definition refused') } },
  }
  await rest('POST /resources/defs', definition('odd', 's3', 'quartermaster/echo', both), 400)
}

/** Tokens in wrong places: plain data may be shown, a token never. */
export async function misplaceTokens({ of, rest, canaries }: CanaryClient): Promise<void> {
  const inPath = encodeURIComponent(`qm_ci_${of('token in a path')}`)
  const payload = Buffer.from(JSON.stringify({ sub: of('session in a path') })).toString('base64url')
  for (const place of [
    '/apps/*',
    '/apps/shop/values/*',
    '/apps/shop/webhooks/*',
    '/*',
    '/*/*',
    '/resources/types/*',
  ])
    for (const method of ['GET', 'PUT', 'DELETE', 'PROPFIND'])
      for (const each of [inPath, `eyJhbGciOiJFZERTQSJ9.${payload}.c2ln`])
        await rest(`${method} ${place.replaceAll('*', each)}`, method === 'PUT' ? {} : undefined)
  const inQuery = encodeURIComponent(`qm_ci_${of('token in a query')}`)
  for (const path of ['/apps', '/audit-logs', '/apps/shop/envs/works/deploys', '/resources/defs', '/nothing'])
    for (const name of ['page', 'token', 'user_id', 'app', 'access_token', 'dry_run', inQuery])
      await rest(`GET ${path}?${name}=${inQuery}`)
  // What these names allow: a real token is made of no more.
  canaries['token as an id of a request'] = `qm_ci_${'0123456789abcdef'.repeat(2)}`
  const named = canaries['token as an id of a request']
  const headers = [
    'x-request-id',
    'idempotency-key',
    'humanitec-user-agent',
    'x-api-key',
    'cookie',
    'user-agent',
    'referer',
  ]
  for (const name of headers)
    for (const value of [`qm_ci_${of('token in a header')}`, named])
      for (const path of ['/apps', '/nothing', '/apps/none'])
        await rest(`GET ${path}`, undefined, undefined, {
          [name]: name === 'cookie' ? `token=${value}` : value,
        })
  const token = `qm_ci_${of('token in a body')}`
  await rest('POST /apps', { id: token, name: 'x' }, 400)
  await rest('POST /apps/shop/users', { id: token, role: 'viewer' })
  await rest('POST /apps/shop/envs', { id: 'x1', name: 'x', type: token })
  await rest('POST /apps/shop/pipeline-runs', {
    trigger: 'deployment_request',
    env_id: token,
    delta_id: token,
  })
  await rest('POST /resources/defs', definition('odd', token, 'quartermaster/echo', {}), 400)
  await rest('POST /users', { name: [token], role: token }, 422)
}

/** Drivers, some of which repeat their input, and definitions that use them; answers the one that works. */
export async function makeDrivers(
  { organization, canaries, of, rest }: CanaryClient,
  { serve, registerByRest }: ThirdParty,
  cluster: SharedCluster,
): Promise<{ readonly journal: HttpDriverServer['journal'] }> {
  const cookie = { 'set-humanitec-driver-cookie': of('cookie') }
  const works = await serve()
  const output = (id: string) => ({
    id,
    type: 's3',
    resource: { values: { bucket: 'b' }, secrets: { key: of('secret output') } },
    manifests: [],
  })
  works.next.push({ status: 200, headers: cookie, body: output('any') })
  const tell = await serve()
  const reported = ['definition secrets', 'definition secret_refs', 'account change']
    .map(of)
    .map(inAllForms)
    .join('\n')
  tell.next.push({ status: 400, headers: cookie, body: { error: 'Invalid', message: reported } })
  const fail = await serve()
  fail.next.push(...Array.from({ length: 20 }, () => ({ status: 500, headers: cookie, body: reported })))
  for (const [environment, server] of Object.entries({ works, tell, fail })) {
    expect((await registerByRest(environment, server.target)).status).toBe(200)
    const inputs = {
      values: {},
      secrets: { a: of('definition secrets'), b: { c: of('definition secret_refs') } },
    }
    const more = { driver_account: 'cloud' }
    const made = definition(environment, 's3', `${organization.id}/${environment}`, inputs, more)
    await rest('POST /resources/defs', made, 200)
  }
  const change = { a: { value: of('definition change') }, b: { c: { value: of('definition secret_refs') } } }
  await rest('PATCH /resources/defs/works', { driver_inputs: { secret_refs: change } }, 200)
  const templates = { outputs: 'host: {{ .driver.secrets.password }}' }
  const leaky = { values: { templates }, secrets: { password: of('template secret') } }
  await rest('POST /resources/defs', definition('leaky', 'postgres', 'quartermaster/template', leaky), 200)
  const broken = { ...leaky, values: { templates: { outputs: '{{ fail .driver.secrets.password }}' } } }
  await rest('POST /resources/defs', definition('broken', 'postgres', 'quartermaster/template', broken), 200)
  const { crt, key } = await issueCertificate(cluster.directory, ['*.other.test'])
  canaries['private key'] = key.split('\n')[1] ?? ''
  const dns = {
    values: { zone_id: cluster.cloudflare.zoneId, domain: 'other.test' },
    secrets: { tls: { 'tls.crt': crt, 'tls.key': key } },
  }
  const refused = { driver_account: 'refused' }
  await rest(
    'POST /resources/defs',
    definition('dns', 'dns', 'quartermaster/dns-cloudflare', dns, refused),
    200,
  )
  await rest(
    'POST /resources/defs',
    definition('all', 'workload', 'quartermaster/workload', {}, { criteria: [{}] }),
    200,
  )
  return works
}
