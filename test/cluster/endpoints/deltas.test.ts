import { beforeAll, describe, expect, test } from '@jest/globals'
import { eventually } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { makeRestOrganization } from './twelve-endpoints.ts'

const { send } = await makeRestOrganization(sharedCluster(), 'deltas')
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/)
const hex = expect.stringMatching(/^[0-9a-f]{32,}$/)
const text = expect.stringMatching(/./)
const module = { profile: 'humanitec/default-module', spec: {}, externals: {} }

beforeAll(async () => {
  for (const type of ['redis', 'dns']) {
    const body = {
      id: type,
      name: type,
      type,
      driver_type: 'quartermaster/echo',
      criteria: [{}, { class: 'large' }],
    }
    await send('POST ~/resources/dynamic', { body })
  }
})

describe('endpoint 3: the change of a delta', () => {
  let id = ''
  const at = () => `~/apps/shop/deltas/${id}`
  beforeAll(async () => {
    id = (await send('POST ~/apps/shop/deltas', { body: { modules: { add: { web: module } } } })).body.id
  })

  test.each([
    ['/spec/shared/one', { type: 'redis' }],
    ['/spec/shared/two', { type: 'redis.large' }],
    ['/three', { type: 'redis', class: 'large' }],
    ['/spec/shared/four', { type: 'redis', class: 'default', params: {} }],
  ])('adds the shared dependency %s: 200 with the whole delta', async (pointer, value) => {
    const body = [{ shared: [{ op: 'add', path: pointer, value }] }]
    const changed = await send(`PATCH ${at()}`, { as: 'developer', body })
    expect(changed.status).toBe(200)
    expect(changed.body).toEqual({
      id,
      metadata: {
        created_by: text,
        created_at: time,
        last_modified_at: time,
        archived: false,
        contributers: expect.any(Array),
      },
      modules: { add: { web: expect.any(Object) }, remove: [], update: expect.any(Object) },
      shared: expect.any(Array),
    })
    expect(JSON.stringify(changed.body.shared)).toContain(pointer.split('/').at(-1))
  })

  test('adds a private dependency to a workload', async () => {
    const update = { web: [{ op: 'add', path: '/externals/cache', value: { type: 'redis.large' } }] }
    const changed = await send(`PATCH ${at()}`, { as: 'developer', body: [{ modules: { update } }] })
    expect([changed.status, JSON.stringify(changed.body.modules)]).toEqual([
      200,
      expect.stringContaining('"cache"'),
    ])
  })

  test('with several elements applies them in order, or none of them', async () => {
    const add = (name: string) => ({
      shared: [{ op: 'add', path: `/spec/shared/${name}`, value: { type: 'dns' } }],
    })
    expect((await send(`PATCH ${at()}`, { body: [add('main'), add('other')] })).status).toBe(200)
    const before = (await send(`GET ${at()}`)).body
    const wrong = { shared: [{ op: 'jump', path: '/x' }] }
    expect((await send(`PATCH ${at()}`, { body: [add('third'), wrong] })).status).toBe(400)
    expect((await send(`GET ${at()}`)).body).toEqual(before)
  })

  test('twenty at once are all kept', async () => {
    const { body: made } = await send('POST ~/apps/shop/deltas', { body: {} })
    const patches = Array.from({ length: 20 }, (_, i) => ({
      body: [{ shared: [{ op: 'add', path: `/spec/shared/at-once-${i}`, value: { type: 'redis' } }] }],
    }))
    const one = `~/apps/shop/deltas/${made.id}`
    const answers = await Promise.all(patches.map((each) => send(`PATCH ${one}`, each)))
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([200])
    expect((await send(`GET ${one}`)).body.shared).toHaveLength(20)
  })

  test.each<[string, unknown, number]>([
    ['no value', undefined, 422],
    ['null', null, 422],
    ['a text', 'redis', 422],
    ['an object without a type', { class: 'large' }, 422],
    ['a type that is no text', { type: 7 }, 422],
    ['a class that is no text', { type: 'redis', class: 7 }, 422],
    ['a type that cannot be', { type: 'redis x' }, 400],
    ['a class that cannot be', { type: 'redis.a.b' }, 400],
    ['two classes', { type: 'redis.large', class: 'small' }, 400],
  ])('with %s as the dependency is refused, shared and private', async (_, value, status) => {
    const operation = { op: 'add', value }
    const bodies = [
      [{ shared: [{ ...operation, path: '/spec/shared/x' }] }],
      [{ shared: [{ ...operation, path: '/x', op: 'replace' }] }],
      [{ modules: { update: { web: [{ ...operation, path: '/externals/x' }] } } }],
      [{ modules: { add: { api: { ...module, externals: { x: value ?? null } } } } }],
    ]
    const before = (await send(`GET ${at()}`)).body
    for (const body of bodies) expect((await send(`PATCH ${at()}`, { body })).status).toBe(status)
    expect((await send(`GET ${at()}`)).body).toEqual(before)
  })

  test.each(['a b', 'a~1b', 'ä', 'x'.repeat(300)])('with the id %j is refused: 400', async (name) => {
    const body = [{ shared: [{ op: 'add', path: `/spec/shared/${name}`, value: { type: 'redis' } }] }]
    expect((await send(`PATCH ${at()}`, { body })).status).toBe(400)
  })

  test('is deployed with the comment of its request', async () => {
    const asked = {
      comment: 'first',
      pipeline: { id: 'release', run_id: 'r-7', job_id: 'deploy', step_index: 2 },
      value_set_version_id: 'v-1',
    }
    const deploys = '~/apps/shop/envs/dev/deploys'
    const started = await send(`POST ${deploys}`, { body: { delta_id: id, ...asked } })
    expect([started.status, started.body]).toEqual([
      201,
      {
        ...asked,
        id: text,
        env_id: 'dev',
        delta_id: id,
        set_id: hex,
        dependency_graph_id: hex,
        from_id: '',
        status: expect.stringMatching(/^(pending|in progress)$/),
        status_changed_at: time,
        created_at: time,
        created_by: text,
        export_status: '',
        export_file: '',
      },
    ])
    const at = `${deploys}/${started.body.id}`
    const ended = await eventually('the end', 30_000, async () => {
      const { body } = await send(`GET ${at}`)
      return ['succeeded', 'failed'].includes(body.status) ? body : undefined
    })
    expect([ended.status, (await send(`GET ${at}/errors`)).body]).toEqual(['succeeded', []])
    expect(ended).toMatchObject(asked)
    const found = await send(`GET ${deploys}?pipelineRunId=release,r-7`)
    expect(found.body).toEqual([ended])
    expect((await send(`GET ${deploys}?pipelineRunId=release,r-8`)).body).toEqual([])
  })

  test('is over once it is archived: 400, until it is taken back', async () => {
    const body = [{ shared: [{ op: 'add', path: '/spec/shared/late', value: { type: 'redis' } }] }]
    await send(`PUT ${at()}/metadata/archived`, { body: true })
    const archived = await send(`PATCH ${at()}`, { body })
    await send(`PUT ${at()}/metadata/archived`, { body: false })
    expect([archived.status, (await send(`PATCH ${at()}`, { body })).status]).toEqual([400, 200])
  })
})
