import { describe, expect, test } from '@jest/globals'
import { AutomationRule } from '../../../../operator/api/automation-rule.ts'
import { addEnvironment } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(() => {
  addEnvironment(gateway)
  addEnvironment(gateway, 'second', 'development')
})

const rules = '/orgs/acme/apps/shop/envs/development/rules'
const send = (operation: string, body?: unknown) => gateway.send(operation, { body })
/** The body that the Terraform provider sends. */
const fromTerraform = {
  active: true,
  artefacts_filter: ['registry.example.com/shop/web'],
  exclude_artefacts_filter: false,
  match_ref: 'refs/heads/main',
  type: 'update',
}

test('a new rule answers what was sent, and defaults for the rest', async () => {
  const { status, body } = await send(`POST ${rules}`, fromTerraform)
  expect([status, body]).toEqual([
    201,
    {
      ...fromTerraform,
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      images_filter: [],
      exclude_images_filter: false,
      match: '',
      update_to: '',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    },
  ])
  expect((await send(`GET ${rules}/${body.id}`)).body).toEqual(body)
  expect((await send(`GET ${rules}`)).body).toEqual([body])
})

test('a rule in the older form answers in the older form', async () => {
  const older = { images_filter: ['web'], exclude_images_filter: true, match: '^v', update_to: 'tag' }
  const { body } = await send(`POST ${rules}`, { type: 'update', ...older })
  expect(body).toMatchObject({ ...older, active: true, artefacts_filter: [], match_ref: '' })
})

test('a rule that a client reads can be sent back', async () => {
  const { body } = await send(`POST ${rules}`, fromTerraform)
  const { id, created_at, updated_at: _, ...rest } = body
  expect((await send(`PUT ${rules}/${id}`, rest)).body).toMatchObject({ ...rest, id, created_at })
})

test('a rule is replaced as a whole', async () => {
  const { body } = await send(`POST ${rules}`, fromTerraform)
  const changed = await send(`PUT ${rules}/${body.id}`, { type: 'update', active: false })
  expect(changed.body).toMatchObject({ active: false, artefacts_filter: [], match_ref: '' })
  const stored = gateway.cluster.store.get(AutomationRule, 'acme', body.id)
  expect(stored?.spec).toEqual({
    applicationName: 'shop',
    environmentId: 'development',
    type: 'update',
    active: false,
  })
})

test('a rule is deleted', async () => {
  const { body } = await send(`POST ${rules}`, fromTerraform)
  expect((await send(`DELETE ${rules}/${body.id}`)).status).toBe(204)
  expect((await send(`GET ${rules}/${body.id}`)).status).toBe(404)
})

test('a rule of another environment is not found', async () => {
  const { body } = await send(`POST ${rules}`, fromTerraform)
  const other = `/orgs/acme/apps/shop/envs/second/rules/${body.id}`
  for (const operation of [`GET ${other}`, `PUT ${other}`, `DELETE ${other}`])
    expect((await send(operation, operation.startsWith('PUT') ? fromTerraform : undefined)).status).toBe(404)
  expect((await send('GET /orgs/acme/apps/shop/envs/second/rules')).body).toEqual([])
})

describe('a rule is refused', () => {
  test.each<[rule: string, body: object, status: number, text: string]>([
    ['without a type', { type: undefined }, 422, 'type'],
    ['of another type', { type: 'create' }, 400, 'type'],
    ['with a pattern that does not parse', { match_ref: '(' }, 400, 'match_ref'],
    ['with a pattern that is too large', { match_ref: '(a{1000}){1000}' }, 400, 'match_ref'],
    ['with both forms of the pattern', { match: 'main' }, 400, 'update_to'],
    ['with both forms of the filter', { images_filter: ['web'] }, 400, 'images_filter'],
    ['with an unknown kind of reference', { match_ref: '', update_to: 'commit' }, 400, 'update_to'],
  ])('%s', async (_, body, status, text) => {
    const answer = await send(`POST ${rules}`, { ...fromTerraform, ...body })
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(text)])
  })
})
