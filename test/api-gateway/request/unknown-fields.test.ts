import { describe, expect, test } from '@jest/globals'
import { addEnvironment } from '../support/objects.ts'
import { setUpGateway } from '../support/set-up.ts'

const gateway = await setUpGateway(addEnvironment)

const org = '/orgs/acme'
const app = `${org}/apps/shop`
const deploys = `${app}/envs/development/deploys`

describe('a body that contains an object other than the one expected', () => {
  test.each<[operation: string, body: object, unknown: string, known: string]>([
    [`POST ${deploys}`, { deltaId: 'x' }, 'deltaId', 'delta_id'],
    [`POST ${deploys}`, { deltaId: 'x', comment: null }, 'deltaId', 'comment'],
    [`PATCH ${app}/envs/development`, { id: 'other' }, 'id', 'name, type'],
    [`PATCH ${org}/resources/types/acme%2Fqueue`, { type: 'acme/topic' }, 'type', 'use, name'],
    [`PATCH ${org}/resources/defs/queue`, { driverType: 'x' }, 'driverType', 'driver_type'],
    [`PATCH ${app}/deltas/${'0'.repeat(40)}`, [{ modules: {} }, { workloads: {} }], 'workloads', 'modules'],
    [`POST ${app}/envs/development/runtime/actions/restart`, { modules: [] }, 'modules', 'workloads'],
    [`PATCH ${app}/deltas/${'0'.repeat(40)}`, [{ modules: { updates: { web: [] } } }], 'updates', 'update'],
    [`PATCH ${org}/resources/defs/queue`, { driver_inputs: { value: {} } }, 'value', 'values'],
    [
      `PATCH ${org}/resources/defs/queue`,
      { provision: { s3: { isDependent: true } } },
      'isDependent',
      'params',
    ],
    [`PUT ${org}/resources/defs/queue/criteria`, [{ app: 'shop' }], 'app', 'app_id'],
  ])('is refused with 422, and its fields are named: %s %j', async (operation, body, unknown, known) => {
    gateway.cluster.writes.length = 0
    const { status, body: answer } = await gateway.send(operation, { body })
    expect([status, gateway.cluster.writes]).toEqual([422, []])
    expect(answer.message).toContain(`only unknown fields: '${unknown}'; known fields are `)
    expect(answer.message).toContain(known)
  })
})

test('the message has the place of an object that is not the one expected', async () => {
  const body = { provision: { 's3#logs': { isDependent: true } } }
  const { body: answer } = await gateway.send(`PATCH ${org}/resources/defs/queue`, { body })
  expect(answer.message).toBe(
    "'provision.s3#logs' has only unknown fields: 'isDependent'; known fields are is_dependent, match_dependents, params",
  )
})

describe('a misspelt field in addition to a known one', () => {
  const definition = { id: 'new', name: 'New', type: 's3', driver_type: 'quartermaster/echo' }
  test.each<[operation: string, body: unknown, wrong: string, meant: string]>([
    [`POST ${deploys}`, { deltaId: 'x', comment: 'first' }, 'deltaId', 'delta_id'],
    [
      `POST ${app}/envs`,
      { id: 'copy', name: 'Copy', from_deploy_di: 'x' },
      'from_deploy_di',
      'from_deploy_id',
    ],
    [
      `POST ${app}/values`,
      { key: 'A', value: 'b', description: '', is_secert: true },
      'is_secert',
      'is_secret',
    ],
    [`POST ${app}/deltas`, { modules: { add: {}, updates: {} } }, 'updates', 'update'],
    [`POST ${org}/resources/defs`, { ...definition, criterai: [] }, 'criterai', 'criteria'],
    [`PUT ${org}/resources/defs/queue/criteria`, [{ app_id: 'shop', evn_id: 'x' }], 'evn_id', 'env_id'],
    [
      `PATCH ${org}/resources/defs/queue`,
      { provision: { s3: { is_dependent: true, match_dependants: true } } },
      'match_dependants',
      'match_dependents',
    ],
  ])(
    'is refused with 422, and the field that is meant is named: %s %j',
    async (operation, body, wrong, meant) => {
      gateway.cluster.writes.length = 0
      const { status, body: answer } = await gateway.send(operation, { body })
      expect([status, gateway.cluster.writes]).toEqual([422, []])
      expect(answer.message).toContain(` has the unknown field '${wrong}'; did you mean '${meant}'?`)
    },
  )
})

describe('a misspelt query parameter', () => {
  test.each([
    [`POST ${deploys}?dryrun=true`, 'dryrun', 'dry_run'],
    [`POST ${deploys}?DRY_RUN=true`, 'DRY_RUN', 'dry_run'],
    [`POST ${deploys}?dry-run=true`, 'dry-run', 'dry_run'],
    [`POST ${deploys}?dry_run[]=true`, 'dry_run[]', 'dry_run'],
    [`POST ${deploys}?dry_rum=true`, 'dry_rum', 'dry_run'],
    [`DELETE ${app}?dryRun=true`, 'dryRun', 'dry_run'],
    [`DELETE ${app}/envs/development/resources/s3/x?detatch=true`, 'detatch', 'detach'],
    [
      `GET ${app}/envs/development/resources?scheduled_deletoin=true`,
      'scheduled_deletoin',
      'scheduled_deletion',
    ],
  ])('is refused with 400, and nothing is done: %s', async (operation, wrong, meant) => {
    gateway.cluster.writes.length = 0
    const { status, body } = await gateway.send(operation, {
      body: operation.startsWith('POST') ? {} : undefined,
    })
    expect([status, gateway.cluster.writes]).toEqual([400, []])
    expect(body.message).toBe(`query: '${wrong}' is not known; did you mean '${meant}'?`)
  })

  test.each(['colour=red', 'dry_run=true&dryrun=false'])('others are ignored: %s', async (query) => {
    expect(
      (await gateway.send(`POST ${deploys}?${query}`, { body: { comment: 'first' } })).status,
    ).toBeLessThan(300)
  })
})

describe('a body is accepted', () => {
  test.each<[rule: string, body: object]>([
    ['that is empty', {}],
    ['with an unknown field in addition to a known one', { colour: 'red', comment: 'first' }],
    ['with an unknown field that is like a short known one', { code: 'red', comment: 'first' }],
    ['with a misspelt field beside the right one', { comments: 'x', comment: 'first' }],
    ['with an unknown field that is null, which counts as absent', { deltaId: null }],
  ])('%s', async (_, body) => {
    expect((await gateway.send(`POST ${deploys}`, { body })).status).toBe(201)
  })

  test('with metadata of a delta as they were answered', async () => {
    const body = { metadata: { created_by: 'ana', archived: false } }
    expect((await gateway.send(`POST ${app}/deltas`, { body })).status).toBe(200)
  })

  test('with keys that the user defines', async () => {
    const body = { web: 2 }
    const { status } = await gateway.send(`PATCH ${app}/envs/development/runtime/replicas`, { body })
    expect(status).not.toBe(422)
  })
})
