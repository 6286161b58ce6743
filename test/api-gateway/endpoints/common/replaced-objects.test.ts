import { describe, expect, test } from '@jest/globals'
import { AccessToken, Membership } from '../../../../operator/api/access.ts'
import { Application } from '../../../../operator/api/application.ts'
import { ArtefactVersion } from '../../../../operator/api/artefact-version.ts'
import { AutomationRule } from '../../../../operator/api/automation-rule.ts'
import { Environment } from '../../../../operator/api/environment.ts'
import { EnvironmentType } from '../../../../operator/api/environment-type.ts'
import type { Kind } from '../../../../operator/api/kind.ts'
import { Registry } from '../../../../operator/api/registry.ts'
import { ResourceAccount } from '../../../../operator/api/resource-account.ts'
import { ResourceClass } from '../../../../operator/api/resource-class.ts'
import { ResourceDefinition } from '../../../../operator/api/resource-definition.ts'
import { ResourceDriver } from '../../../../operator/api/resource-driver.ts'
import { ResourceType } from '../../../../operator/api/resource-type.ts'
import type { FreeForm } from '../../../../operator/api/schema.ts'
import { SharedValue } from '../../../../operator/api/shared-value.ts'
import { Webhook } from '../../../../operator/api/webhook.ts'
import { addEnvironment } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'
import { showStale } from '../../support/stale-objects.ts'

const gateway = await setUpGateway(() => {
  addEnvironment(gateway)
  gateway.addUser('service', { type: 'service', organizationName: 'acme' })
})

const sixOf = (make: (id: string) => object) => ['one', 'two', 'three', 'four', 'five', 'six'].map(make)

const org = '/orgs/acme'
const app = `${org}/apps/shop`
const definition = { id: 'own', name: 'n', type: 'dns', driver_type: 'quartermaster/echo' }
const account = { id: 'own', name: 'n', type: 'aws', credentials: { key: 'a' } }
const driver = {
  type: 'redis',
  target: 'https://driver.example.com',
  account_types: [],
  inputs_schema: {},
}
const webhook = { id: 'own', url: 'h.example.com', headers: {}, triggers: [] }
const value = { key: 'own', value: 'v', description: '' }
const registry = {
  id: 'own',
  registry: 'r.example.com',
  type: 'basic',
  creds: { username: 'a', password: 'b' },
}

/** Objects that are created in a folder, and two changes: one to what the object has, one to something else. */
const rows: [kind: Kind, folder: string, body: object, changes: [string, unknown, unknown][], id?: string][] =
  [
    [Application, `${org}/apps`, { id: 'own', name: 'n' }, [['PATCH', { name: 'n' }, { name: 'm' }]]],
    [
      Environment,
      `${app}/envs`,
      { id: 'own', name: 'n', type: 'development' },
      [
        ['PATCH', { name: 'n' }, { name: 'm' }],
        ['PUT /runtime/paused', false, true],
      ],
    ],
    [
      EnvironmentType,
      `${org}/env-types`,
      { id: 'own', description: 'n' },
      [['PATCH', { description: 'n' }, { description: 'm' }]],
    ],
    [
      ResourceDefinition,
      `${org}/resources/defs`,
      definition,
      [
        ['PATCH', { name: 'n' }, { name: 'm' }],
        ['PATCH', { name: 'n' }, { driver_inputs: { secrets: { a: 'b' } } }],
      ],
    ],
    [
      ResourceAccount,
      `${org}/resources/accounts`,
      account,
      [
        ['PATCH', { name: 'n' }, { name: 'm' }],
        ['PATCH', { name: 'n' }, { credentials: { key: 'b' } }],
      ],
    ],
    [
      ResourceDriver,
      `${org}/resources/drivers`,
      { id: 'own', ...driver },
      [['PUT', driver, { ...driver, type: 's3' }]],
    ],
    [
      ResourceType,
      `${org}/resources/types`,
      { type: 'acme/own', use: 'direct', name: 'n' },
      [['PATCH', { name: 'n' }, { name: 'm' }]],
      'acme%2Fown',
    ],
    [
      ResourceClass,
      `${org}/resources/types/dns/classes`,
      { id: 'own', description: 'n' },
      [['PATCH', { description: 'n' }, { description: 'm' }]],
    ],
    [Webhook, `${app}/webhooks`, webhook, [['PATCH', { disabled: false }, { disabled: true }]]],
    [SharedValue, `${app}/values`, value, [['PATCH', { value: 'v' }, { value: 'w' }]]],
    [
      SharedValue,
      `${app}/envs/development/values`,
      { ...value, is_secret: true },
      [['PATCH', { description: '' }, { value: 'w' }]],
    ],
    [Registry, `${org}/registries`, registry, [['PATCH', { type: 'basic' }, { creds: registry.creds }]]],
    [AccessToken, '/users/service/tokens', { id: 'own' }, []],
  ]
const cases = rows.map(([kind, folder, body, changes, id = 'own']) => ({ kind, folder, body, changes, id }))

/** The object of a kind that was written last. */
function newest(kind: Kind) {
  return Array.from(gateway.cluster.store.cacheOf(kind).all()).sort(
    (left, right) => Number(right.metadata.resourceVersion) - Number(left.metadata.resourceVersion),
  )[0]
}

/** Creates an object twice, and shows the gateway the first one until it asks the cluster; answers the second one. */
async function makeAgain(kind: Kind, folder: string, body: object) {
  const create = async () => {
    expect([200, 201]).toContain((await gateway.send(`POST ${folder}`, { body })).status)
    const made = newest(kind)
    if (!made) throw new Error(`no object of kind '${kind.kind}'`)
    return made
  }
  const first = await create()
  const { namespace, name } = first.metadata
  gateway.cluster.drop(kind, namespace ?? '', name)
  if (kind === Application) gateway.cluster.drop(Environment, 'acme', 'own.development')
  const second = await create()
  const restore = showStale(gateway, kind, name, [first])
  return { second, restore }
}

describe.each(cases)('POST $folder, which other gateways deleted and repeated a moment ago:', (row) => {
  const { kind, folder, body, changes, id } = row
  const path = `${folder}/${id}`

  test('the later one is deleted', async () => {
    const { second, restore } = await makeAgain(kind, folder, body)
    const { status } = await gateway.send(`DELETE ${path}`)
    restore()
    const left = gateway.cluster.store.get(kind, second.metadata.namespace ?? '', second.metadata.name)
    expect([202, 204]).toContain(status)
    expect(left === undefined || left.metadata.deletionTimestamp !== undefined).toBe(true)
  })

  for (const [method, same, other] of changes)
    test.each([same, other])(`the later one is changed: ${method} %j`, async (change) => {
      const { second, restore } = await makeAgain(kind, folder, body)
      const [verb, part = ''] = method.split(' ')
      const { status } = await gateway.send(`${verb} ${path}${part}`, { body: change })
      restore()
      expect(status).toBe(part === '' ? 200 : 204)
      expect(newest(kind)?.metadata.uid).toBe(second.metadata.uid)
    })
})

test('a rule of an environment that is made again is deleted', async () => {
  const rules = `${app}/envs/development/rules`
  const { id } = (await gateway.send(`POST ${rules}`, { body: { type: 'update' } })).body
  const first = gateway.cluster.store.get(AutomationRule, 'acme', id)
  if (!first) throw new Error('no rule')
  gateway.cluster.drop(AutomationRule, 'acme', id)
  const { uid: _, ...metadata } = first.metadata
  gateway.cluster.put(AutomationRule, { ...first, metadata })
  const restore = showStale(gateway, AutomationRule, id, [first])
  const { status } = await gateway.send(`DELETE ${rules}/${id}`)
  restore()
  expect([status, gateway.cluster.store.get(AutomationRule, 'acme', id)]).toEqual([204, undefined])
})

const version = { type: 'container', name: 'r.example.com/web', digest: `sha256:${'0'.repeat(64)}` }

test.each<[what: string, kind: Kind, folder: string, bodies: object[], path: (made: FreeForm) => string]>([
  ['values', SharedValue, `${app}/values`, sixOf((key) => ({ ...value, key })), () => `${app}/values`],
  ['webhooks', Webhook, `${app}/webhooks`, sixOf((id) => ({ ...webhook, id })), () => `${app}/jobs`],
  [
    'versions of an artefact',
    ArtefactVersion,
    `${org}/artefact-versions`,
    sixOf((each) => ({ ...version, version: each })),
    ({ artefact_id }) => `${org}/artefacts/${String(artefact_id)}`,
  ],
])('all %s are deleted, however many were made again', async (_, kind, folder, bodies, path) => {
  const made: FreeForm[] = []
  for (const body of bodies) made.push((await gateway.send(`POST ${folder}`, { body })).body)
  const all = () => Array.from(gateway.cluster.store.cacheOf(kind).all(), ({ metadata }) => metadata.name)
  const again = new Set(all())
  expect(again.size).toBe(bodies.length)
  const { remove } = gateway.cluster
  gateway.cluster.remove = async (asked, object, ...others) =>
    !again.delete(object.metadata.name) && remove(asked, object, ...others)
  const { status } = await gateway.send(`DELETE ${path(made[0] ?? {})}`)
  gateway.cluster.remove = remove
  expect([status, all()]).toEqual([204, []])
})

test.each([
  { method: 'DELETE' },
  { method: 'PATCH', body: { name: 'Mine' } },
  { method: 'PATCH', body: { name: 'n' } },
])('who owned an application may not $method one that another user made again', async ({ method, body }) => {
  gateway.addUser('ana')
  gateway.addMember('acme', 'ana', {
    role: 'member',
    applications: [{ applicationName: 'own', role: 'owner' }],
  })
  const own = { id: 'own', name: 'n', skip_environment_creation: true }
  const owner = gateway.cluster.store.get(Membership, 'acme', 'ana')
  if (!owner) throw new Error('no membership')
  const { second, restore } = await makeAgain(Application, `${org}/apps`, own)
  gateway.cluster.put(Membership, { ...owner, spec: { role: 'member' } })
  const restoreRoles = showStale(gateway, Membership, 'ana', [owner])
  const { status } = await gateway.send(`${method} ${org}/apps/own`, { as: 'ana', body })
  restoreRoles()
  restore()
  const { spec, metadata } = gateway.cluster.store.get(Application, 'acme', 'own') ?? second
  expect([status, metadata.deletionTimestamp, spec]).toEqual([403, undefined, { displayName: 'n' }])
})
