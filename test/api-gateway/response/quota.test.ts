import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { manifestFiles } from '../../../dev/quartermaster.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import { quotaRefusalIn } from '../../../operator/domain/base/quota.ts'
import { kindsInStore } from '../../../operator/kube/cache/kinds-in-store.ts'
import { QuotaError } from '../../../operator/kube/client/api-error.ts'
import { grantedRights } from '../../support/rights.ts'
import { acceptCredentials, addEverything, keepState } from '../support/everything.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { finish } from '../support/objects.ts'

const org = '/orgs/acme'
const app = `${org}/apps/acme-app`
const env = `${app}/envs/acme-env`
const def = { name: 'DNS', type: 'dns', driver_type: 'quartermaster/echo' }
const secrets = { driver_inputs: { secrets: { token: 'canary' } } }
const account = { id: 'cf', name: 'Cloudflare', type: 'cloudflare', credentials: { token: 'canary' } }
const driver = { type: 's3', target: 'https://example.test', inputs_schema: {}, account_types: [] }
const module = { modules: { add: { api: { profile: 'humanitec/default-module', spec: {} } } } }
const value = { key: 'SECRET', description: '', value: 'canary', is_secret: true }

/** Requests that create objects, and the kinds that they create. */
const creations: [operation: string, body: object | undefined, kinds: string[]][] = [
  [`POST ${org}/env-types`, { id: 'qa' }, ['EnvironmentType']],
  [`POST ${org}/apps`, { id: 'new', name: 'New' }, ['Application', 'Environment']],
  [`POST ${app}/envs`, { id: 'qa', name: 'QA', type: 'development' }, ['Environment']],
  [`POST ${org}/resources/types`, { type: 'acme/new', use: 'direct' }, ['ResourceType']],
  [`POST ${org}/resources/types/dns/classes`, { id: 'big', description: '' }, ['ResourceClass']],
  [`POST ${org}/resources/accounts`, account, ['ResourceAccount', 'Secret']],
  [`PATCH ${org}/resources/accounts/acme-account`, { credentials: { a: 'canary' } }, ['Secret']],
  [`POST ${org}/resources/drivers`, { id: 'new', ...driver }, ['ResourceDriver']],
  [`POST ${org}/resources/defs`, { id: 'new', ...def, ...secrets }, ['ResourceDefinition', 'Secret']],
  [`PATCH ${org}/resources/defs/acme-def`, secrets, ['Secret']],
  [`PUT ${org}/resources/defs/acme-def`, { ...def, ...secrets }, ['Secret']],
  [`POST ${app}/deltas`, module, ['DeploymentDelta']],
  [`POST ${env}/deploys`, { delta_id: '{delta}' }, ['DeploymentSet', 'EnvironmentDeployment']],
  [
    `POST ${app}/pipeline-runs`,
    { trigger: 'deployment_request', env_id: 'acme-env', delta_id: '{delta}' },
    ['DeploymentSet', 'EnvironmentDeployment'],
  ],
  [`POST ${app}/values`, value, ['SharedValue', 'Secret']],
  [`POST ${env}/values`, value, ['SharedValue', 'Secret']],
  [`POST ${app}/webhooks`, { id: 'new', url: 'hooks.example.com' }, ['Webhook', 'Secret']],
  [`POST ${app}/webhooks/acme-hook/actions/rotate-secret`, undefined, ['Secret']],
  [
    `POST ${org}/artefact-versions`,
    { type: 'container', name: 'registry.example.com/web', version: '1' },
    ['ArtefactVersion'],
  ],
  [`POST ${env}/rules`, { active: true, type: 'update' }, ['AutomationRule']],
  [`POST ${org}/registries`, { id: 'new', registry: 'registry.example.com', type: 'public' }, ['Registry']],
  [`POST ${org}/users`, { name: 'New', role: 'member' }, ['User', 'Membership']],
  ['POST /users/acme-robot/tokens', { id: 'new' }, ['AccessToken']],
]

let gateway: TestGateway
let restore: () => void
let delta: string

beforeAll(async () => {
  gateway = await startGateway()
  acceptCredentials(gateway.cluster)
  const ids = await addEverything(gateway, 'acme', 'acme')
  const answer = await gateway.send(`POST ${app}/deltas`, { body: module })
  delta = answer.body.id
  finish(gateway, ids.deploy_id ?? '')
  restore = keepState(gateway.cluster)
})
beforeEach(() => restore())
afterAll(() => gateway.close())

function send(operation: string, body: object | undefined) {
  const text = body && JSON.stringify(body).replace('{delta}', delta)
  return gateway.send(operation, text === undefined ? {} : { text })
}

/** Kinds in the order in which a request created them. */
function created(): string[] {
  return gateway.cluster.writes.flatMap((write) => /^create (\w+) /.exec(write)?.[1] ?? [])
}

/** All specs, without the sets: an unused set has no effect, and the operator deletes it. */
function content() {
  const { cluster } = gateway
  return kindsInStore
    .filter(({ kind }) => kind.kind !== 'DeploymentSet')
    .flatMap(({ kind }) =>
      Array.from(cluster.store.cacheOf(kind).all(), ({ metadata, spec }) => [
        kind.kind,
        metadata.name,
        metadata.deletionTimestamp,
        spec,
      ]),
    )
}

function refusal(kind: string): QuotaError {
  const plural = kinds.find((each) => each.kind === kind)?.plural
  const key = `count/${plural ? `${plural}.quartermaster.dev` : 'secrets'}`
  const text = `x is forbidden: exceeded quota: team, requested: ${key}=1, used: ${key}=7, limited: ${key}=7`
  const found = quotaRefusalIn(text, 'acme')
  if (!found) throw new Error('not a refusal of a quota')
  return new QuotaError('acme', found)
}

describe.each(creations)('%s', (operation, body, wanted) => {
  test(`creates ${wanted.join(' and ')}`, async () => {
    const { status, body: answer } = await send(operation, body)
    expect([status < 300, answer]).toEqual([true, answer])
    expect(created()).toEqual(wanted)
  })

  test.each(wanted)(`answers 400 when a quota refuses the %s, and leaves nothing behind`, async (kind) => {
    const before = content()
    gateway.cluster.failNext(`create ${kind} `, refusal(kind))
    const { status, body: answer } = await send(operation, body)
    expect([status, answer.error]).toEqual([400, 'QuotaExceeded'])
    const [{ kind: named, ...numbers }] = answer.details.quotas
    expect(numbers).toEqual({ quota: 'team', used: 7, limit: 7 })
    expect(answer.message).toContain(`'${named}' (7 used, 1 more needed)`)
    expect(content()).toEqual(before)
    expect(gateway.cluster.secrets).toEqual([])
  })
})

test('the requests create every kind that the gateway may create', () => {
  const granted = grantedRights('gateway', manifestFiles).filter(({ verb }) => verb === 'create')
  const may = granted.map(({ resource }) => resource)
  const pluralOf = (kind: string) => kinds.find((each) => each.kind === kind)?.plural ?? 'secrets'
  const made = creations.flatMap(([, , each]) => each.map(pluralOf))
  expect([...new Set(made)].sort()).toEqual([...new Set(may)].sort())
})
