import { beforeEach, describe, expect, test } from '@jest/globals'
import { SharedValue } from '../../../../operator/api/shared-value.ts'
import { ApiError } from '../../../../operator/kube/client/api-error.ts'
import { addEnvironment } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(() => {
  addEnvironment(gateway)
  gateway.addUser('dev')
  gateway.addMember('acme', 'dev', {
    role: 'member',
    applications: [{ applicationName: 'shop', role: 'developer' }],
  })
})

const app = '/orgs/acme/apps/shop/values'
const env = '/orgs/acme/apps/shop/envs/development/values'
const level = { key: 'LOG_LEVEL', description: 'How much is said', value: 'info' }
const token = { key: 'TOKEN', description: null, value: 'canary-1', is_secret: true }
const plainParts = { is_secret: false, secret_key: null, secret_store_id: null, secret_version: null }

const post = (path: string, body: object) => gateway.send(`POST ${path}`, { body })
const stored = () => gateway.cluster.store.list(SharedValue, 'acme')
const specOf = (key: string) => stored().find(({ spec }) => spec.key === key)?.spec

function contentOf(index: number): string {
  const data = (gateway.cluster.secrets[index]?.['data'] ?? {}) as Record<string, string> // a Secret
  expect(Object.keys(data)).toEqual(['value'])
  return Buffer.from(data['value'] ?? '', 'base64').toString()
}

describe('a secret value', () => {
  test.each<[rule: string, body: object]>([
    ['by is_secret', token],
    ['by secret_ref', { ...token, value: undefined, secret_ref: { value: 'canary-1' } }],
  ])('%s is kept in a Secret that it owns, and is never returned', async (_, body) => {
    const { status, body: answer } = await post(app, body)
    expect(status).toBe(201)
    expect(answer).toMatchObject({
      key: 'TOKEN',
      value: '',
      is_secret: true,
      description: null,
      secret_key: 'orgs--acme--apps--shop--secret_values--TOKEN',
      secret_store_id: 'kubernetes',
      secret_version: '1',
    })
    const { body: list } = await gateway.send(`GET ${app}`)
    expect(JSON.stringify([answer, list, stored(), gateway.logged])).not.toContain('canary')
    expect(contentOf(0)).toBe('canary-1')
    const [value] = stored()
    expect(gateway.cluster.secrets[0]?.metadata).toMatchObject({
      namespace: 'acme',
      name: value?.spec.secret?.secret,
      ownerReferences: [{ kind: 'SharedValue', name: value?.metadata.name, uid: value?.metadata.uid }],
    })
    expect(gateway.cluster.writes.map((write) => write.split(' ', 2).join(' '))).toEqual([
      'create SharedValue',
      'create Secret',
    ])
  })

  test('of an environment says so in its name', async () => {
    const { body } = await post(env, token)
    expect(body.secret_key).toBe('orgs--acme--apps--shop--envs--development--secret_values--TOKEN')
  })

  test('whose Secret cannot be made is not there', async () => {
    gateway.cluster.failNext('create Secret', new ApiError(500, 'InternalError', 'no'))
    expect((await post(app, token)).status).toBe(500)
    expect(stored()).toEqual([])
    expect((await post(app, token)).status).toBe(201)
  })

  test('is made empty and filled later', async () => {
    expect((await post(app, { ...token, value: '' })).status).toBe(201)
    const { status, body } = await gateway.send(`PATCH ${app}/TOKEN`, { body: { value: 'canary-2' } })
    expect(status).toBe(200)
    expect(body).toMatchObject({ value: '', is_secret: true, secret_version: '2' })
    expect([contentOf(0), contentOf(1)]).toEqual(['', 'canary-2'])
  })

  test('that changes is a new Secret, made first, and counts up', async () => {
    await post(app, token)
    gateway.cluster.writes.length = 0
    const { body } = await gateway.send(`PUT ${app}/TOKEN`, {
      body: { description: 'new', secret_ref: { value: 'canary-2' } },
    })
    expect(body).toMatchObject({ value: '', description: 'new', secret_version: '2' })
    expect(body.secret_key).toBe('orgs--acme--apps--shop--secret_values--TOKEN')
    const [first, second] = gateway.cluster.secrets.map(({ metadata }) => metadata.name)
    expect(specOf('TOKEN')?.secret?.secret).toBe(second)
    expect(first).not.toBe(second)
    expect(gateway.cluster.writes[1]).toBe(`create Secret acme/${second}`)
  })

  test.each<[rule: string, method: string, body: object]>([
    ['PATCH of its description', 'PATCH', { description: 'new' }],
    ['PUT of its description', 'PUT', { description: 'new' }],
    ['PUT without a value', 'PUT', { description: 'new', is_secret: true, value: null }],
    ['PUT of the empty value that is shown', 'PUT', { description: 'new', is_secret: true, value: '' }],
    ['PATCH of the empty value that is shown', 'PATCH', { description: 'new', value: '' }],
    [
      'PATCH with the reference as it was answered',
      'PATCH',
      {
        description: 'new',
        secret_ref: {
          ref: 'orgs--acme--apps--shop--secret_values--TOKEN',
          store: 'kubernetes',
          version: '1',
        },
      },
    ],
  ])('%s leaves the secret', async (_, method, body) => {
    await post(app, token)
    const before = specOf('TOKEN')?.secret
    const answer = await gateway.send(`${method} ${app}/TOKEN`, { as: 'dev', body })
    expect(answer.body).toMatchObject({ description: 'new', is_secret: true, secret_version: '1' })
    expect(specOf('TOKEN')?.secret).toEqual(before)
    expect(gateway.cluster.secrets).toHaveLength(1)
  })

  test('is emptied by an empty text of its reference', async () => {
    await post(app, token)
    const body = { secret_ref: { value: '' } }
    expect((await gateway.send(`PATCH ${app}/TOKEN`, { body })).body.secret_version).toBe('2')
    expect(contentOf(1)).toBe('')
  })

  test('becomes plain only with a new value', async () => {
    await post(app, token)
    const toPlain = { description: null, is_secret: false }
    expect((await gateway.send(`PUT ${app}/TOKEN`, { body: toPlain })).status).toBe(400)
    const { status, body } = await gateway.send(`PUT ${app}/TOKEN`, { body: { ...toPlain, value: 'open' } })
    expect(status).toBe(200)
    expect(body).toMatchObject({ value: 'open', ...plainParts })
    expect(specOf('TOKEN')).not.toHaveProperty('secret')
  })

  test('may be made of a plain one', async () => {
    await post(app, level)
    const { body } = await gateway.send(`PUT ${app}/LOG_LEVEL`, {
      body: { description: '', is_secret: true },
    })
    expect(body).toMatchObject({ value: '', is_secret: true, secret_version: '1' })
    expect(specOf('LOG_LEVEL')).not.toHaveProperty('value')
    expect(contentOf(0)).toBe('info')
  })
})

/** Lets another client send a request just before the next call of a method of the cluster. */
function sendBefore(method: 'replace' | 'createSecret', operation: string, body: object) {
  const { cluster } = gateway
  const original = cluster[method] as (given: unknown, more?: unknown) => Promise<unknown>
  Object.assign(cluster, {
    async [method](given: unknown, more?: unknown) {
      Object.assign(cluster, { [method]: original })
      expect((await gateway.send(operation, { body })).status).toBe(200)
      return original(given, more)
    },
  })
}

describe('a change of a value during that of another client', () => {
  const toSecret = { description: null, is_secret: true }
  const path = `${app}/LOG_LEVEL`
  beforeEach(() => post(app, level))

  test('keeps it secret when it becomes so', async () => {
    sendBefore('replace', `PUT ${path}`, toSecret)
    const { status, body } = await gateway.send(`PATCH ${path}`, { body: { value: 'canary-2' } })
    expect([status, body.is_secret, body.value, body.secret_version]).toEqual([200, true, '', '2'])
    expect(JSON.stringify(stored())).not.toContain('canary')
    expect(contentOf(1)).toBe('canary-2')
    expect(gateway.cluster.secrets[1]?.metadata.name).toBe(specOf('LOG_LEVEL')?.secret?.secret)
  })

  test('keeps its new text when it makes it secret', async () => {
    sendBefore('createSecret', `PATCH ${path}`, { value: 'canary-2' })
    expect((await gateway.send(`PUT ${path}`, { body: toSecret })).status).toBe(200)
    const name = specOf('LOG_LEVEL')?.secret?.secret
    expect(gateway.cluster.secrets.map(({ metadata }) => metadata.name).indexOf(name ?? '')).toBe(1)
    expect(contentOf(1)).toBe('canary-2')
  })

  test('is refused when it needs a value that is secret now', async () => {
    sendBefore('replace', `PUT ${path}`, toSecret)
    const body = { description: 'new', is_secret: false }
    expect((await gateway.send(`PUT ${path}`, { body })).status).toBe(400)
    expect(specOf('LOG_LEVEL')?.secret).toBeDefined()
  })
})

describe('a value by reference to a Secret', () => {
  const reference = { key: 'TOKEN', description: '', secret_ref: { store: 'kubernetes', ref: 'login/token' } }

  test.each([
    ['with a version', { version: '7' }, '7'],
    ['without one', {}, '1'],
  ])('of an administrator is returned as sent, %s', async (_, more, version) => {
    const body = { ...reference, secret_ref: { ...reference.secret_ref, ...more } }
    expect((await post(app, body)).body).toMatchObject({
      is_secret: true,
      secret_key: 'login/token',
      secret_store_id: 'kubernetes',
      secret_version: version,
    })
    expect(specOf('TOKEN')?.secret).toMatchObject({ secret: 'login', key: 'token' })
    expect(gateway.cluster.secrets).toEqual([])
  })

  test('into another store is accepted as in a definition: the store can be created later', async () => {
    const given = { store: 'vault', ref: 'x/y', version: '2' }
    const shown = {
      is_secret: true,
      secret_key: 'x/y',
      secret_store_id: 'vault',
      secret_version: '2',
      value: '',
    }
    expect((await post(app, { ...reference, secret_ref: given })).body).toMatchObject(shown)
    expect(specOf('TOKEN')).toMatchObject({ storeReference: given })
    const path = `PATCH ${app}/TOKEN`
    expect((await gateway.send(path, { body: { description: 'x' } })).body).toMatchObject(shown)
    expect((await gateway.send(path, { body: { secret_ref: given } })).body).toMatchObject(shown)
    const moved = { store: 'kubernetes', ref: 'x/y' }
    const { body } = await gateway.send(path, { body: { secret_ref: moved } })
    expect(body).toMatchObject({ secret_key: 'x/y', secret_store_id: 'kubernetes' })
    expect(specOf('TOKEN')).not.toHaveProperty('storeReference')
    expect(gateway.cluster.secrets).toEqual([])
  })

  test.each([
    ['a Secret', { store: 'kubernetes', ref: 'login/token' }],
    ['another store', { store: 'vault', ref: 'x/y' }],
  ])('to %s changes its version, and keeps it when the reference has none', async (_, place) => {
    const change = (secret_ref: object) => gateway.send(`PATCH ${app}/TOKEN`, { body: { secret_ref } })
    await post(app, { ...reference, secret_ref: { ...place, version: '1' } })
    expect((await change({ ...place, version: '2' })).body).toMatchObject({ secret_version: '2' })
    expect((await change(place)).body).toMatchObject({ secret_version: '2' })
  })

  test.each(['PUT', 'PATCH'])('is kept by %s of the value as it was answered', async (method) => {
    await post(app, { ...reference, secret_ref: { ...reference.secret_ref, version: '7' } })
    const before = specOf('TOKEN')
    const [answered] = (await gateway.send(`GET ${app}`)).body
    expect((await gateway.send(`${method} ${app}/TOKEN`, { body: answered })).body).toEqual(answered)
    expect(specOf('TOKEN')).toEqual(before)
  })

  test.each<[rule: string, method: string]>([
    ['is not for developers: they could read every Secret of the organization', 'POST'],
    ['nor when it changes', 'PATCH'],
  ])('%s', async (_, method) => {
    if (method === 'PATCH') await post(app, token)
    const path = method === 'PATCH' ? `${app}/TOKEN` : app
    const { status } = await gateway.send(`${method} ${path}`, { as: 'dev', body: reference })
    expect(status).toBe(403)
    expect(specOf('TOKEN')?.secret?.secret).not.toBe('login')
  })

  test.each([
    ['to a whole Secret', { ref: 'login' }],
    ['to an object other than a Secret', { ref: 'a/b/c' }],
    ['to nothing', { store: 'vault', version: '1' }],
  ])('%s is refused', async (_, given) => {
    expect((await post(app, { ...reference, secret_ref: given })).status).toBe(400)
    expect(stored()).toEqual([])
  })
})
