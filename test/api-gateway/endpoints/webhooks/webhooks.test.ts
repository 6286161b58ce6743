import { describe, expect, test } from '@jest/globals'
import { newObject } from '../../../../operator/api/kind.ts'
import { Webhook } from '../../../../operator/api/webhook.ts'
import { ApiError } from '../../../../operator/kube/client/api-error.ts'
import { addEnvironment } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(() => {
  addEnvironment(gateway)
  addEnvironment(gateway, 'development', 'development', 'other')
})

const webhooks = '/orgs/acme/apps/shop/webhooks'
const chat = {
  id: 'chat',
  url: 'hooks.example.com/path?room=1',
  headers: { 'X-Token': 'canary-1' },
  payload: { text: '${app_id} is ${status}', kept: null, nested: [{ n: 1, none: null }] },
  triggers: [
    { scope: 'deployment', type: 'finished' },
    { scope: 'environment', type: 'created' },
  ],
  disabled: false,
}
const plain = { id: 'chat', url: 'hooks.example.com' }

async function create(body: object = chat) {
  const answer = await gateway.send(`POST ${webhooks}`, { body })
  expect(answer.status).toBe(201)
  const { signing_secret: signingSecret, ...webhook } = answer.body
  return { signingSecret, webhook }
}

function specOf(id = 'chat') {
  return gateway.cluster.store.get(Webhook, 'acme', id)?.spec
}

function secretText(index: number): string {
  const { secret } = (gateway.cluster.secrets[index]?.['data'] ?? {}) as { secret?: string } // a Secret
  return Buffer.from(secret ?? '', 'base64').toString()
}

describe('a new webhook', () => {
  test('answers 201 with the request body, and is listed', async () => {
    const { webhook } = await create()
    expect(webhook).toEqual({ ...chat, created_at: expect.any(String), created_by: 'admin' })
    expect(await gateway.send(`GET ${webhooks}/chat`)).toMatchObject({ status: 200, body: webhook })
    expect((await gateway.send(`GET ${webhooks}`)).body).toEqual([webhook])
    expect(JSON.stringify(gateway.logged)).not.toContain('canary')
  })

  test('is an object that kubectl sees', async () => {
    await create()
    const { id: _, ...rest } = chat
    const signingSecretName = expect.stringMatching(/^chat-webhook-signing-[0-9a-f]{8}$/)
    expect(specOf()).toEqual({ ...rest, applicationName: 'shop', signingSecretName })
  })

  test.each<[rule: string, sent: object, answered: object]>([
    ['an address with its protocol stays as it is', { url: 'https://a.test/x' }, { url: 'https://a.test/x' }],
    ['an address without protocol stays as it is', {}, { url: 'hooks.example.com' }],
    ['headers may be empty', { headers: {} }, { headers: {} }],
    ['headers that are null stay null', { headers: null }, { headers: null }],
    ['headers may be left out', {}, { headers: {} }],
    ['a payload that is null stays null', { payload: null }, { payload: null }],
    ['a payload may be left out', {}, { payload: null }],
    ['a payload may be empty', { payload: {} }, { payload: {} }],
    ['triggers may be empty', { triggers: [] }, { triggers: [] }],
    ['triggers are a list even when they are null', { triggers: null }, { triggers: [] }],
    ['triggers may be left out', {}, { triggers: [] }],
    ['it may be disabled', { disabled: true }, { disabled: true }],
    ['it is not disabled otherwise', { disabled: null }, { disabled: false }],
    ['an unknown field is left out', { more: 1 }, { url: 'hooks.example.com' }],
  ])('%s', async (_rule, sent, answered) => {
    const { webhook } = await create({ ...plain, ...sent })
    expect(webhook).toMatchObject(answered)
    expect((await gateway.send(`GET ${webhooks}/chat`)).body).toEqual(webhook)
  })

  test('has a signing secret that is shown this once, in a Secret that it owns and names', async () => {
    const { signingSecret } = await create()
    expect(signingSecret).toMatch(/^whsec_/)
    expect(Buffer.from(signingSecret.slice('whsec_'.length), 'base64')).toHaveLength(32)
    expect(secretText(0)).toBe(signingSecret)
    const [secret] = gateway.cluster.secrets
    expect(secret?.metadata).toMatchObject({
      namespace: 'acme',
      name: specOf()?.signingSecretName,
      ownerReferences: [
        { kind: 'Webhook', uid: gateway.cluster.store.get(Webhook, 'acme', 'chat')?.metadata.uid },
      ],
    })
    expect(gateway.cluster.writes).toEqual([
      'create Webhook acme/chat',
      `create Secret acme/${secret?.metadata.name}`,
    ])
    expect(JSON.stringify([specOf(), gateway.logged])).not.toContain(signingSecret)
  })

  test('has a separate signing secret', async () => {
    const [first, second] = [await create(), await create({ ...plain, id: 'pager' })]
    expect(first.signingSecret).not.toBe(second.signingSecret)
  })

  test('whose signing secret cannot be kept is not there', async () => {
    gateway.cluster.failNext('create Secret', new ApiError(500, 'InternalError', 'no'))
    expect((await gateway.send(`POST ${webhooks}`, { body: chat })).status).toBe(500)
    expect(specOf()).toBeUndefined()
    await create()
  })

  test.each([webhooks, '/orgs/acme/apps/other/webhooks'])(
    'with an id that is taken: 409 at %s',
    async (path) => {
      await create()
      expect((await gateway.send(`POST ${path}`, { body: plain })).status).toBe(409)
    },
  )

  test('takes an id that another organization has', async () => {
    await create()
    addEnvironment(gateway, 'development', 'development', 'shop', 'globex')
    expect((await gateway.send('POST /orgs/globex/apps/shop/webhooks', { body: plain })).status).toBe(201)
  })

  test('of an application that is not there: 404', async () => {
    expect((await gateway.send('POST /orgs/acme/apps/missing/webhooks', { body: plain })).status).toBe(404)
  })

  test.each<[rule: string, changes: object, status: number, field: string]>([
    ['without an id', { id: undefined }, 422, 'id'],
    ['without an address', { url: undefined }, 422, 'url'],
    ['with null for an address', { url: null }, 422, 'url'],
    ['with an id that cannot be', { id: 'Chat' }, 400, 'id'],
    ['with an empty address', { url: '' }, 400, 'url'],
    ['with HTTP', { url: 'http://hooks.example.com' }, 400, 'url'],
    ['with another protocol', { url: 'ftp://hooks.example.com' }, 400, 'url'],
    ['with a password in the address', { url: 'me:canary-2@hooks.example.com' }, 400, 'url'],
    ['with a space in the address', { url: 'hooks.example.com/a b' }, 400, 'url'],
    ['with headers that are a list', { headers: [] }, 422, 'headers'],
    ['with a header that is no text', { headers: { a: 1 } }, 422, 'headers'],
    ['with a header that is null', { headers: { a: null } }, 422, 'headers'],
    ['with a header of two lines', { headers: { a: 'canary-2\r\nb: c' } }, 400, 'headers'],
    ['with a header that is ours', { headers: { Host: 'canary-2' } }, 400, 'headers'],
    ['with a header twice', { headers: { a: 'canary-2', A: '' } }, 400, 'headers'],
    ['with a payload that is a list', { payload: [] }, 422, 'payload'],
    ['with a payload that is a text', { payload: 'x' }, 422, 'payload'],
    ['with a payload that is too large', { payload: { a: 'x'.repeat(70_000) } }, 400, 'payload'],
    ['with triggers that are an object', { triggers: {} }, 422, 'triggers'],
    ['with a trigger without a type', { triggers: [{ scope: 'deployment' }] }, 422, 'triggers'],
    ['with an unknown scope', { triggers: [{ scope: 'pod', type: 'created' }] }, 400, 'triggers'],
    ['with no such event', { triggers: [{ scope: 'deployment', type: 'deleted' }] }, 400, 'triggers'],
    ['with something else for disabled', { disabled: 'yes' }, 422, 'disabled'],
  ])('%s is refused, and the field is named', async (_rule, changes, status, field) => {
    const answer = await gateway.send(`POST ${webhooks}`, { body: { ...plain, ...changes } })
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(field)])
    expect(JSON.stringify([answer.body, gateway.logged])).not.toContain('canary')
    expect(gateway.cluster.writes).toEqual([])
  })
})

describe('a webhook', () => {
  test.each<[rule: string, changes: object, changed: object]>([
    ['absent fields stay', {}, {}],
    ['an id may be sent along', { id: 'chat', disabled: true }, { disabled: true }],
    ['the address alone', { url: 'https://b.test' }, { url: 'https://b.test' }],
    ['an address that is null stays', { url: null }, {}],
    ['headers as a whole', { headers: { other: '1' } }, { headers: { other: '1' } }],
    ['null removes headers', { headers: null }, { headers: null }],
    ['the payload as a whole', { payload: { a: null } }, { payload: { a: null } }],
    ['null removes the payload', { payload: null }, { payload: null }],
    ['null removes triggers', { triggers: null }, { triggers: [] }],
    ['it is disabled', { disabled: true }, { disabled: true }],
    ['it is enabled by null', { disabled: null }, { disabled: false }],
  ])('is changed in part: %s', async (_rule, changes, changed) => {
    const { webhook } = await create()
    const answer = await gateway.send(`PATCH ${webhooks}/chat`, { body: changes })
    expect(answer).toMatchObject({ status: 200, body: { ...webhook, ...changed } })
    expect((await gateway.send(`GET ${webhooks}/chat`)).body).toEqual(answer.body)
  })

  test.each<[rule: string, changes: object, status: number]>([
    ['to another id', { id: 'pager' }, 400],
    ['by its id alone', { id: 'chat' }, 422],
    ['by its id and an unknown field', { id: 'chat', address: 'b.test' }, 422],
    ['to HTTP', { url: 'http://hooks.example.com' }, 400],
    ['to an unknown event', { triggers: [{ scope: 'deployment', type: 'created' }] }, 400],
    ['to something of a wrong type', { headers: 'x' }, 422],
  ])('is not changed %s', async (_rule, changes, status) => {
    const { webhook } = await create()
    expect((await gateway.send(`PATCH ${webhooks}/chat`, { body: changes })).status).toBe(status)
    expect((await gateway.send(`GET ${webhooks}/chat`)).body).toEqual(webhook)
  })

  test('keeps both changes of a race', async () => {
    await create()
    gateway.cluster.failNext('replace Webhook', new ApiError(409, 'Conflict', 'modified'))
    const { status } = await gateway.send(`PATCH ${webhooks}/chat`, { body: { disabled: true } })
    expect([status, specOf()?.disabled]).toEqual([200, true])
  })

  test('gets a new signing secret as a new Secret, and names that', async () => {
    const { signingSecret: first, webhook } = await create()
    const { status, body } = await gateway.send(`POST ${webhooks}/chat/actions/rotate-secret`)
    expect([status, body]).toEqual([200, { signing_secret: expect.stringMatching(/^whsec_/) }])
    expect(body.signing_secret).not.toBe(first)
    expect(secretText(1)).toBe(body.signing_secret)
    expect(specOf()?.signingSecretName).toBe(gateway.cluster.secrets[1]?.metadata.name)
    expect((await gateway.send(`GET ${webhooks}/chat`)).body).toEqual(webhook)
  })

  test('is deleted with 204', async () => {
    await create()
    expect((await gateway.send(`DELETE ${webhooks}/chat`)).status).toBe(204)
    expect((await gateway.send(`GET ${webhooks}/chat`)).status).toBe(404)
    expect((await gateway.send(`DELETE ${webhooks}/chat`)).status).toBe(404)
  })

  test.each<[operation: string, body: unknown]>([
    ['GET', undefined],
    ['PATCH', {}],
    ['DELETE', undefined],
    ['POST /actions/rotate-secret', undefined],
    ['GET /calls', undefined],
    ['POST /calls/chat.1/redeliver', undefined],
  ])('of another application is not found: %s', async (operation, body) => {
    await create()
    const [method = '', rest = ''] = operation.split(' ')
    const path = `/orgs/acme/apps/other/webhooks/chat${rest}`
    expect((await gateway.send(`${method} ${path}`, { body })).status).toBe(404)
    expect((await gateway.send('GET /orgs/acme/apps/other/webhooks')).body).toEqual([])
    expect(specOf()?.url).toBe(chat.url)
  })

  test('that kubectl made is answered with all its fields', async () => {
    const spec = { applicationName: 'shop', url: 'hooks.example.com' }
    gateway.cluster.put(Webhook, newObject(Webhook, { namespace: 'acme', name: 'by-kubectl' }, spec))
    expect((await gateway.send(`GET ${webhooks}/by-kubectl`)).body).toEqual({
      id: 'by-kubectl',
      url: 'hooks.example.com',
      headers: null,
      payload: null,
      triggers: [],
      disabled: false,
      created_at: expect.any(String),
      created_by: '',
    })
  })
})
