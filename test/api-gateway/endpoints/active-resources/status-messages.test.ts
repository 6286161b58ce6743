import { beforeEach, describe, expect, test } from '@jest/globals'
import { Application } from '../../../../operator/api/application.ts'
import { Environment } from '../../../../operator/api/environment.ts'
import { type Kind, newObject, type ObjectMeta } from '../../../../operator/api/kind.ts'
import { ResourceAccount } from '../../../../operator/api/resource-account.ts'
import { ResourceDefinition } from '../../../../operator/api/resource-definition.ts'
import { ResourceDriver } from '../../../../operator/api/resource-driver.ts'
import { addEnvironment, addResource, ready } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(() => {})

const shop = '/orgs/acme/apps/shop'
const environment = `${shop}/envs/development`
const going = { deletionTimestamp: '2026-03-01T00:00:00Z', finalizers: ['x/y'] }

type Word = 'True' | 'False' | 'Unknown'

/** A condition `Ready` as the outcome of a reconcile. */
function reported(status: Word, reason: string, message = 'why', observedGeneration = 1) {
  const condition = { type: 'Ready', status, reason, message, lastTransitionTime: '2026-02-01T00:00:00Z' }
  return { observedGeneration, conditions: [condition] }
}
const pending = reported('Unknown', 'Pending', 'waiting for the operator', -1)

function mark<K extends Kind>(kind: K, name: string, status: object, metadata: Partial<ObjectMeta> = {}) {
  const { cluster } = gateway
  const object = cluster.store.get<Kind>(kind, 'acme', name)
  if (!object) throw new Error(`no '${name}'`)
  cluster.put<Kind>(kind, { ...object, metadata: { ...object.metadata, ...metadata } })
  cluster.setStatus(kind, 'acme', name, status)
}

describe('an environment says why it hangs', () => {
  const remain = reported('Unknown', 'ResourcesRemain', 'waiting')
  const files = { type: 's3', resourceId: 'modules.web.externals.files' }
  const refused = reported('False', 'DriverRefused', 'bucket is not empty')
  const whyFiles = 's3.default#modules.web.externals.files: DriverRefused: bucket is not empty'

  test.each<[rule: string, status: object, resource: object, expected: string]>([
    [
      'while resources hold it up, the first that is refused',
      remain,
      refused,
      `ResourcesRemain: waiting; ${whyFiles}`,
    ],
    ['also before the operator said it of the environment', pending, refused, whyFiles],
    [
      'once, if the condition names it',
      reported('Unknown', 'ResourcesRemain', `waiting: ${whyFiles}`),
      refused,
      `ResourcesRemain: waiting: ${whyFiles}`,
    ],
    [
      'in addition to another one that the condition names',
      reported('Unknown', 'ResourcesRemain', 'waiting: dns.default#shared.a: NotAllowed: no'),
      refused,
      `ResourcesRemain: waiting: dns.default#shared.a: NotAllowed: no; ${whyFiles}`,
    ],
    ['a resource that waits is not a cause', remain, reported('Unknown', 'X'), 'ResourcesRemain: waiting'],
    [
      'a failure from before the deletion is not a cause',
      remain,
      reported('False', 'X', 'y', 0),
      'ResourcesRemain: waiting',
    ],
    ['another reason', reported('Unknown', 'NamespaceRemains', 'waits'), ready, 'NamespaceRemains: waits'],
  ])('being deleted: %s', async (_, status, resource, expected) => {
    addEnvironment(gateway)
    mark(Environment, 'shop.development', status, going)
    addResource(gateway, {}, { status: reported('Unknown', 'DependentsRemain') })
    addResource(gateway, files, { status: resource })
    addResource(gateway, { ...files, type: 'zzz' }, { status: resource })
    const one = (await gateway.send(`GET ${environment}`)).body
    const [listed] = (await gateway.send(`GET ${shop}/envs`)).body
    expect([one.status, one.status_message, listed]).toEqual(['deleting', expected, one])
  })

  test.each<[rule: string, status: object, expected: string | undefined]>([
    [
      'its type is not there',
      reported('Unknown', 'EnvironmentTypeNotFound', 'waits'),
      'EnvironmentTypeNotFound: waits',
    ],
    ['nothing when it is ready', ready, undefined],
    ['nothing before the first reconcile', pending, undefined],
    ['nothing from before the deletion', reported('False', 'Failed', 'before', 0), undefined],
  ])('not being deleted: %s', async (_, status, expected) => {
    addEnvironment(gateway)
    mark(Environment, 'shop.development', status)
    addResource(gateway, files, { status: refused })
    const { body } = await gateway.send(`GET ${environment}`)
    expect([body.status, body.status_message]).toEqual(['active', expected])
  })

  test.each([
    [
      'names the environment of the resource',
      'waiting',
      "waiting; s3.default#modules.web.externals.files of environment 'shop.production': DriverRefused: bucket is not empty",
    ],
    [
      'says it once, if the condition names the resource',
      `waiting: 'shop.production': ResourcesRemain: waiting: ${whyFiles}`,
      `waiting: 'shop.production': ResourcesRemain: waiting: ${whyFiles}`,
    ],
  ])('an application %s', async (_, message, expected) => {
    addEnvironment(gateway)
    addEnvironment(gateway, 'production')
    mark(Application, 'shop', reported('Unknown', 'EnvironmentsRemain', message), going)
    addResource(gateway, { ...files, environment: 'production' }, { status: refused })
    const one = (await gateway.send(`GET ${shop}`)).body
    const [listed] = (await gateway.send('GET /orgs/acme/apps')).body
    expect([one.status_message, listed]).toEqual([`EnvironmentsRemain: ${expected}`, one])
  })

  test('an application that is well says nothing', async () => {
    expect(
      (await gateway.send('POST /orgs/acme/apps', { body: { id: 'new', name: 'New' } })).body,
    ).not.toHaveProperty('status_message')
  })
})

describe('an active resource says why', () => {
  beforeEach(() => addEnvironment(gateway))

  const since = '2026-02-03T00:00:00Z'
  const unused = {
    ...ready,
    conditions: [
      ...ready.conditions,
      { ...ready.conditions[0], type: 'Unused', reason: 'NotReferenced', message: 'kept for a roll-back' },
    ],
  }

  test.each<
    [rule: string, changes: Parameters<typeof addResource>[2], state: string, why: string | undefined]
  >([
    ['it is in use: nothing', { status: ready }, 'active', undefined],
    ['nothing uses it', { status: unused }, 'active', 'NotReferenced: kept for a roll-back'],
    ['it waits', { status: reported('Unknown', 'DependencyNotReady') }, 'pending', 'DependencyNotReady: why'],
    ['it failed', { status: reported('False', 'ProvisionFailed') }, 'pending', 'ProvisionFailed: why'],
    ['before the first reconcile', { status: pending }, 'pending', 'Pending: waiting for the operator'],
    [
      'before the current spec is reconciled',
      { status: reported('False', 'Failed', 'before', 0) },
      'pending',
      'Pending: waiting for the operator',
    ],
    [
      'it cannot be deprovisioned',
      { metadata: going, status: reported('False', 'DeprovisionFailed') },
      'deleting',
      'DeprovisionFailed: why',
    ],
    [
      'it waits to be deprovisioned',
      { metadata: { ...going, generation: 2 }, status: ready },
      'deleting',
      'Pending: waiting for the operator',
    ],
  ])('%s', async (_, changes, state, why) => {
    const name = addResource(gateway, {}, changes)
    const [shown] = (await gateway.send(`GET ${environment}/resources`)).body
    expect([shown.status_message, shown.status]).toEqual([
      why,
      { gu_res_id: name, state, ...(why === undefined ? {} : { message: why }) },
    ])
    expect((await gateway.send('GET /orgs/acme/resources/defs/dns-any/resources')).body).toEqual([shown])
    const headers = { 'Humanitec-User-Agent': 'sdk/1' }
    const plain = (await gateway.send(`GET ${environment}/resources`, { headers })).body
    expect(plain).toEqual([{ ...shown, status: state }])
  })

  test.each([
    ['since when nothing uses it', { unusedSince: since }, since],
    ['nothing while something does', {}, undefined],
  ])('and %s', async (_, spec, expected) => {
    addResource(gateway, {}, { spec, status: ready })
    expect((await gateway.send(`GET ${environment}/resources`)).body[0].unused_since).toBe(expected)
  })

  test.each([
    ['it was made', {}, {}, '2026-01-01T00:00:00Z'],
    ['it was ready', {}, ready, '2026-02-01T00:00:00Z'],
    [
      'it was provisioned again',
      {},
      { ...ready, provisionTime: '2026-02-02T00:00:00Z' },
      '2026-02-02T00:00:00Z',
    ],
    ['it failed after that', {}, { ...ready, provisionTime: '2026-01-31T00:00:00Z' }, '2026-02-01T00:00:00Z'],
    [
      'it was provisioned within the second',
      { creationTimestamp: '2026-02-02T00:00:00Z' },
      { ...ready, provisionTime: '2026-02-02T00:00:00.120Z' },
      '2026-02-02T00:00:00.120Z',
    ],
    ['it was deleted', going, ready, going.deletionTimestamp],
  ])('and was updated when %s', async (_, metadata, status, expected) => {
    addResource(gateway, {}, { metadata: { creationTimestamp: '2026-01-01T00:00:00Z', ...metadata }, status })
    expect((await gateway.send(`GET ${environment}/resources`)).body[0].updated_at).toBe(expected)
  })
})

describe('problems found by the operator are shown', () => {
  const definition = { type: 'dns', driverType: 'quartermaster/echo', criteria: [{}] }
  const driver = { type: 'dns', target: 'https://drivers.example.com' }

  test.each<[what: string, path: string, kind: Kind, spec: object]>([
    ['a definition', 'defs', ResourceDefinition, definition],
    ['a definition in the older spelling', 'dynamic', ResourceDefinition, definition],
    ['an account', 'accounts', ResourceAccount, { type: 'local' }],
    ['a driver', 'drivers', ResourceDriver, driver],
  ])('%s', async (_, path, kind, spec) => {
    gateway.cluster.put(kind, newObject(kind, { namespace: 'acme', name: 'one' }, spec))
    const shown = async () => {
      const all = `/orgs/acme/resources/${path}`
      const listed: { id: string; status_message?: string }[] = (await gateway.send(`GET ${all}`)).body
      const { body } = await gateway.send(`GET ${all}/one`)
      expect(listed.filter(({ id }) => id === 'one')).toEqual([body])
      return body.status_message
    }
    expect(await shown()).toBeUndefined()
    mark(kind, 'one', reported('False', 'DuplicateCriterion'))
    expect(await shown()).toBe('DuplicateCriterion: why')
    mark(kind, 'one', reported('False', 'DuplicateCriterion', 'why', 0))
    expect(await shown()).toBeUndefined()
    mark(kind, 'one', ready)
    expect(await shown()).toBeUndefined()
    const warning = { ...ready.conditions[0], type: 'Warning', reason: 'DoubtfulInputs', message: 'unread' }
    mark(kind, 'one', { ...ready, conditions: [...ready.conditions, warning] })
    expect(await shown()).toBe('DoubtfulInputs: unread')
  })
})

test('the answer to a write of a definition warns of what has no effect, as the operator will', async () => {
  const defs = '/orgs/acme/resources/defs'
  const inputs = (values: object) => ({ driver_inputs: { values } })
  const misspelt = inputs({ clas: 'nginx' })
  const made = {
    id: 'web',
    name: 'Web',
    type: 'ingress',
    driver_type: 'quartermaster/ingress',
    criteria: [{}],
  }
  const warning =
    "DoubtfulInputs: driver 'quartermaster/ingress' does not read the input 'values.clas'; did you mean 'class'?"
  const answers = [
    await gateway.send(`POST ${defs}`, { body: { ...made, ...misspelt } }),
    await gateway.send(`PATCH ${defs}/web`, { body: { name: 'Other' } }),
    await gateway.send(`PUT ${defs}/web`, { body: { name: 'Web', ...misspelt } }),
    await gateway.send(`PATCH ${defs}/web`, { body: inputs({ class: 'nginx' }) }),
    await gateway.send(`POST ${defs}`, { body: { ...made, id: 'other', criteria: [{ app_id: 'shop-*' }] } }),
  ]
  expect(answers.map(({ status, body }) => [status, body.status_message])).toEqual([
    [200, warning],
    [200, warning],
    [200, warning],
    [200, undefined],
    [
      200,
      "DoubtfulCriteria: a criterion with app_id 'shop-*' never matches: an application cannot have this id",
    ],
  ])
})
