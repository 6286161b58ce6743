import { expect, test } from '@jest/globals'
import { ResourceDefinition } from '../../../../operator/api/resource-definition.ts'
import { addEnvironment, addResource } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway()

const defs = '/orgs/acme/resources/defs'
const definition = { id: 'files', name: 'Files', type: 's3', driver_type: 'humanitec/echo' }

async function create() {
  return (await gateway.send(`POST ${defs}`, { body: definition })).body
}

test('a definition has one version: its current content', async () => {
  const { active_version_id: version, created_at } = await create()
  const { status, body } = await gateway.send(`GET ${defs}/files/versions?per_page=50`)
  expect([status, body]).toMatchObject([
    200,
    [
      {
        id: version,
        def_id: 'files',
        type: 's3',
        driver_account: '',
        driver_inputs: {},
        provision: {},
        action: 'created',
        archived: false,
        active: true,
        proposed: false,
        updated_at: created_at,
      },
    ],
  ])
  expect((await gateway.send(`GET ${defs}/files/versions/${version}`)).body).toEqual(body[0])
  expect((await gateway.send(`GET ${defs}/files/versions/0f`)).status).toBe(404)
  expect((await gateway.send(`GET ${defs}/missing/versions`)).status).toBe(404)
})

test.each<[what: string, isOther: boolean, body: object]>([
  ['the driver', true, { driver_type: 'humanitec/template' }],
  ['the account', true, { driver_account: 'main' }],
  ['the inputs', true, { driver_inputs: { values: { a: 1 } } }],
  ['the name', false, { name: 'Other' }],
  ['what is co-provisioned', false, { provision: { dns: {} } }],
])('a change of %s makes another version: %s', async (_, isOther, body) => {
  const { active_version_id: before } = await create()
  const { active_version_id: after } = (await gateway.send(`PATCH ${defs}/files`, { body })).body
  expect(after !== before).toBe(isOther)
})

test.each<[string, string, unknown, boolean]>([
  ['a change of inputs', 'PATCH /files', { driver_inputs: { values: { a: 1 } } }, true],
  ['a replacement', 'PUT /files', { name: 'Other' }, true],
  ['a replacement with the same', 'PUT /files', { name: 'Files' }, false],
  ['a new criterion', 'POST /files/criteria', { env_type: 'development' }, true],
  ['a change that is only tried', 'PATCH /files?dry_run=true', { name: 'Other' }, false],
])('the time of %s is shown', async (_, operation, body, isShown) => {
  const created = await create()
  expect(created).not.toHaveProperty('updated_at')
  const [method, path] = operation.split(' ')
  expect((await gateway.send(`${method} ${defs}${path}`, { body })).status).toBe(200)
  const { updated_at: time } = (await gateway.send(`GET ${defs}/files`)).body
  expect(time !== undefined).toBe(isShown)
  const [version] = (await gateway.send(`GET ${defs}/files/versions`)).body
  expect([version.action, version.updated_at]).toEqual(
    isShown ? ['updated', time] : ['created', created.created_at],
  )
})

test('a deleted definition has its version while its resources exist', async () => {
  addEnvironment(gateway)
  await create()
  addResource(gateway, { definition: 'files', type: 's3' })
  gateway.cluster.drop(ResourceDefinition, 'acme', 'files')
  expect((await gateway.send(`GET ${defs}/files/versions`)).status).toBe(404)
  const { body } = await gateway.send(`GET ${defs}/files/versions?deleted=true`)
  expect(body).toMatchObject([{ action: 'deleted', active: false, is_deleted: true }])
})
