import { describe, expect, test } from '@jest/globals'
import { addEnvironment } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(addEnvironment)

const app = '/orgs/acme/apps/shop'
const deploys = `POST ${app}/envs/development/deploys`
const web = { profile: 'quartermaster/default-module', spec: {}, externals: { db: { type: 'postgres' } } }

const changes: readonly object[] = [
  {},
  { modules: { add: { web } } },
  { modules: { add: { web: null }, remove: ['web'] } },
  { shared: [{ op: 'add', path: '/main', value: { type: 'dns' } }] },
  {
    modules: { add: { web }, update: {} },
    shared: [{ op: 'add', path: '/main', value: { type: 'dns', class: 'fast' } }],
  },
  { modules: { update: { web: [{ op: 'remove', path: '/externals/db' }] } } },
  { modules: { add: { web: { externals: { db: { type: 'not a type' } } } } } },
]

async function storedDelta(delta: object): Promise<string | undefined> {
  return (await gateway.send(`POST ${app}/deltas`, { body: delta })).body.id
}

describe('a delta within the request to deploy', () => {
  test.each(changes.map((each) => [JSON.stringify(each), each] as const))(
    '%s has the plan of the same delta when it is stored, and writes nothing',
    async (_, delta) => {
      gateway.cluster.writes.length = 0
      const inline = await gateway.send(`${deploys}?dry_run=true`, { body: { delta } })
      expect(gateway.cluster.writes).toEqual([])
      const delta_id = await storedDelta(delta)
      // A delta that cannot be stored is refused by the same words.
      const stored = delta_id
        ? await gateway.send(`${deploys}?dry_run=true`, { body: { delta_id } })
        : await gateway.send(`POST ${app}/deltas`, { body: delta })
      expect([inline.status, inline.body]).toEqual([stored.status, stored.body])
    },
  )

  test('deploys the set that the stored delta gives, and no delta is stored', async () => {
    const delta = { modules: { add: { web } } }
    const { status, body } = await gateway.send(deploys, { body: { delta, comment: 'direct' } })
    expect([status, body.comment, body.delta_id]).toEqual([201, 'direct', undefined])
    expect((await gateway.send(`GET ${app}/deltas`)).body).toEqual([])
    const { body: set } = await gateway.send(`GET ${app}/sets/${body.set_id}`)
    expect(set.modules.web).toMatchObject(web)
  })

  test.each([{ delta_id: 'x' }, { set_id: 'x' }, { score: [{ yaml: 'x' }] }])(
    'is refused beside %j',
    async (other) => {
      const { status, body } = await gateway.send(deploys, { body: { delta: {}, ...other } })
      expect([status, body.error]).toEqual([400, 'Invalid'])
      expect(body.message).toContain("'delta'")
    },
  )
})
