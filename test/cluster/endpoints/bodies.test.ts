import { describe, expect, test } from '@jest/globals'
import { sharedCluster } from '../support/shared-cluster.ts'
import { makeRestOrganization } from './twelve-endpoints.ts'

const { id: org, users, send } = await makeRestOrganization(sharedCluster(), 'bodies')
const me = users.administrator
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/)
const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/)
const echo = 'quartermaster/echo'

describe('endpoint 1: an account', () => {
  const body = { id: 'main', name: 'Main', type: 'cloudflare', credentials: { token: 'never-shown' } }
  const answer = {
    id: 'main',
    name: 'Main',
    type: 'cloudflare',
    is_used: false,
    created_by: me,
    created_at: time,
  }

  test('is answered 200 with its fields and without its credentials', async () => {
    const made = await send('POST ~/resources/accounts', { body })
    expect([made.status, made.body]).toEqual([200, answer])
    expect((await send('GET ~/resources/accounts/main')).body).toEqual(made.body)
  })

  test('with an id that is taken: 409, and nothing changes', async () => {
    const again = await send('POST ~/resources/accounts', { body: { ...body, name: 'Other' } })
    expect([again.status, again.body.error]).toEqual([409, 'Conflict'])
    expect((await send('GET ~/resources/accounts/main')).body.name).toBe('Main')
  })

  test('of type `local` needs no credential at all', async () => {
    const local = { id: 'here', name: 'Here', type: 'local', credentials: {} }
    expect((await send('POST ~/resources/accounts', { body: local })).status).toBe(200)
  })

  test('with dry_run is only checked: 204, and not there', async () => {
    const dry = await send('POST ~/resources/accounts?dry_run=true', { body: { ...body, id: 'dry' } })
    expect([dry.status, dry.body]).toEqual([204, undefined])
    expect((await send('GET ~/resources/accounts/dry')).status).toBe(404)
  })

  test('is in use as soon as a definition names it, and then stays: 409 with its users', async () => {
    const definition = {
      id: 'uses',
      name: 'Uses',
      type: 'dns',
      account_id: 'main',
      driver_type: echo,
      criteria: [],
    }
    await send('POST ~/resources/dynamic', { body: definition })
    expect((await send('GET ~/resources/accounts/main')).body.is_used).toBe(true)
    const refused = await send('DELETE ~/resources/accounts/main')
    expect(refused.status).toBe(409)
    expect(refused.body.details.referencing_resources.resource_definitions).toEqual(['uses'])
  })
})

describe('endpoint 2: a definition', () => {
  const common = { name: 'Buckets', type: 's3', driver_type: echo }
  const criteria = [
    { app_id: 'shop', env_type: 'production' },
    { class: 'fast', res_id: 'shared.x', env_id: 'dev' },
  ]
  const inputs = {
    values: { bucket: '${context.app.id}', nested: { camelCase: [1, null, true], snake_case: '' } },
    secrets: { key: 'never-shown', deep: { key: 'never-shown' } },
  }
  const answered = (id: string) => ({
    ...common,
    org_id: org,
    id,
    created_at: time,
    created_by: me,
    is_default: false,
    is_deleted: false,
    in_place_driver_change: false,
    active_version_id: uuid,
    current_version_id: uuid,
    criteria: [
      { ...criteria[0], id: expect.any(String), class: 'default' },
      { ...criteria[1], id: expect.any(String) },
    ],
  })
  const reference = { store: expect.any(String), ref: expect.any(String), version: '1' }
  const answeredInputs = { values: inputs.values, secret_refs: { key: reference, deep: { key: reference } } }

  test.each([
    ['in the spelling of the specification at /dynamic', 'dynamic', 'account_id', 'driver_params'],
    ['in the current spelling at /defs', 'defs', 'driver_account', 'driver_inputs'],
    ['in the spelling of the specification at /defs', 'defs', 'account_id', 'driver_params'],
    ['in the current spelling at /dynamic', 'dynamic', 'driver_account', 'driver_inputs'],
  ])('%s is answered 200 in the same spelling, field for field', async (_, path, account, params) => {
    const id = `${path}-${account.replace('_', '-')}`
    const own = criteria.map((each) => ({ ...each, app_id: id }))
    const body = { ...common, id, criteria: own, [account]: 'main', [params]: inputs }
    const made = await send(`POST ~/resources/${path}`, { body })
    const wanted = answered(id)
    expect([made.status, made.body]).toEqual([
      200,
      {
        ...wanted,
        criteria: wanted.criteria.map((each) => ({ ...each, app_id: id })),
        [account]: 'main',
        [params]: answeredInputs,
      },
    ])
    const [newer, older] = [
      await send(`GET ~/resources/defs/${id}`),
      await send(`GET ~/resources/dynamic/${id}`),
    ]
    expect([newer.body.driver_account, older.body.account_id]).toEqual(['main', 'main'])
    expect(newer.body.driver_inputs).toEqual(answeredInputs)
    expect(older.body.driver_params).toEqual(answeredInputs)
    expect(JSON.stringify([made.body, newer.body, older.body])).not.toContain('never-shown')
  })

  test('with the fields that are required alone has those alone', async () => {
    const made = await send('POST ~/resources/dynamic', { body: { ...common, id: 'bare' } })
    const { criteria: _, ...bare } = answered('bare')
    expect([made.status, made.body]).toEqual([200, bare])
  })

  test('co-provisions: an empty object is allowed, and is not dependent', async () => {
    const provision = { dns: {}, 'ingress.fast#shared.web': { is_dependent: true } }
    const made = await send('POST ~/resources/dynamic', { body: { ...common, id: 'co', provision } })
    expect(made.body.provision).toEqual({ ...provision, dns: { is_dependent: false } })
  })

  test('with an id that is taken: 409; with a criterion that is taken: 409', async () => {
    const taken = await send('POST ~/resources/dynamic', { body: { ...common, id: 'bare' } })
    const body = { ...common, id: 'second', criteria: [{ app_id: 'def-dup' }] }
    expect((await send('POST ~/resources/dynamic', { body })).status).toBe(200)
    const double = await send('POST ~/resources/defs', { body: { ...body, id: 'third' } })
    expect([taken.status, double.status]).toEqual([409, 409])
    expect(double.body.details.definition).toBe('second')
  })

  test('with one criterion, ten at once: one succeeds, nine are refused with its name', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, number) => {
        const body = { ...common, id: `at-once-${number}`, criteria: [{ app_id: 'at-once' }] }
        return send('POST ~/resources/dynamic', { body })
      }),
    )
    expect(answers.map(({ status }) => status).sort((left, right) => left - right)).toEqual([
      200,
      ...Array(9).fill(409),
    ])
    const winner = answers.find(({ status }) => status === 200)?.body.id
    for (const { body } of answers.filter(({ status }) => status === 409))
      expect(body.details.definition).toBe(winner)
  })

  test('that is changed has the time and the user; an unchanged one does not', async () => {
    const changed = await send('PATCH ~/resources/defs/bare', { body: { name: 'Renamed' } })
    expect([changed.body.updated_at, changed.body.updated_by]).toEqual([time, me])
    const other = (await send('GET ~/resources/defs/co')).body
    expect([other.updated_at, other.updated_by]).toEqual([undefined, undefined])
  })
})

describe('endpoint 11: a webhook', () => {
  const path = '~/apps/shop/webhooks'
  const triggers = [{ scope: 'environment', type: 'created' }]

  test.each([
    ['hooks.example.com/x', { headers: {}, payload: { app: '${app_id}', n: 1 } }],
    ['https://hooks.example.com/x', { headers: { 'X-Team': 'shop' }, payload: null }],
    ['hooks.example.com:8443/x?y=1', { headers: { a: 'b' }, payload: {} }],
  ])('with the url %s is answered 201, and returned as sent', async (url, more) => {
    const id = `hook-${url.length}`
    const made = await send(`POST ${path}`, { body: { id, url, triggers, ...more } })
    const { signing_secret: secret, ...webhook } = made.body
    expect([made.status, webhook]).toEqual([
      201,
      { id, url, triggers, ...more, disabled: false, created_at: time, created_by: me },
    ])
    expect(secret).toMatch(/^whsec_/)
    expect((await send(`GET ${path}/${id}`)).body).toEqual(webhook)
  })

  test.each([
    ['http://hooks.example.com', 400],
    ['ftp://hooks.example.com', 400],
    ['//hooks.example.com', 400],
    ['', 400],
    [7, 422],
  ])('with the url %j: %i', async (url, status) => {
    expect((await send(`POST ${path}`, { body: { id: 'wrong', url, triggers } })).status).toBe(status)
  })

  test('with an id that another application has: 409', async () => {
    await send('POST ~/apps', { body: { id: 'blog', name: 'Blog', skip_environment_creation: true } })
    const body = { id: 'hook-19', url: 'hooks.example.com', headers: {}, payload: {}, triggers }
    expect((await send('POST ~/apps/blog/webhooks', { body })).status).toBe(409)
  })
})

describe('endpoint 12: the organizations', () => {
  const shown = { id: org, name: org, created_at: time, created_by: '', trial_expires_at: null, logo: {} }

  test.each(['member', 'viewer', 'developer', 'owner', 'manager', 'administrator'] as const)(
    'of a %s are those that they can access',
    async (as) => {
      const { status, body } = await send('GET /orgs', { as })
      expect([status, body]).toEqual([200, [shown]])
    },
  )

  test('of other users differ', async () => {
    const { body } = await send('GET /orgs', { as: 'stranger' })
    expect(body).toHaveLength(1)
    expect(body[0].id).not.toBe(org)
  })
})
