import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Endpoint } from '../../../api-gateway/endpoint.ts'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import { AccessToken, User } from '../../../operator/api/access.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { systemNamespace } from '../../../operator/api/names.ts'
import { allows } from '../../../operator/domain/access/roles.ts'
import { someInTurn } from '../../support/properties.ts'
import {
  acceptCredentials,
  addApplication,
  addEverything,
  type Ids,
  keepState,
  pathWith,
} from '../support/everything.ts'
import { startGateway, type TestGateway, tokenOf } from '../support/gateway.ts'
import { addEnvironment } from '../support/objects.ts'
import { everybody, members, ruleOf } from '../support/rules.ts'

let gateway: TestGateway
let restore: () => void
let own: Ids
let foreign: Ids
let neighbour: Ids
const badTokens: Record<string, string> = {
  'no token': 'Bearer ',
  'an unknown token': 'Bearer qm_nobody_secret',
  'a wrong secret': 'Bearer qm_admin_secret',
  'no token of ours': 'Bearer 0123456789abcdef',
  'another scheme': `Basic ${tokenOf('admin')}`,
  'a token as a session': `JWT ${tokenOf('admin')}`,
}

beforeAll(async () => {
  gateway = await startGateway()
  for (const [name, spec] of Object.entries(members)) {
    gateway.addUser(name)
    gateway.addMember('acme', name, spec)
  }
  addEnvironment(gateway)
  own = await addEverything(gateway, 'acme', 'acme', 'shop')
  foreign = await addEverything(gateway, 'globex', 'globex')
  neighbour = await addApplication(gateway, 'acme', 'other', 'other', own['user_id'])
  await addBadTokens()
  acceptCredentials(gateway.cluster)
  restore = keepState(gateway.cluster)
})
afterAll(() => gateway.close())

async function addBadTokens(): Promise<void> {
  const { cluster } = gateway
  for (const name of ['expired', 'revoked', 'left', 'closed']) {
    gateway.addUser(name)
    gateway.addMember('acme', name, { role: 'administrator' })
    const session = await gateway.send('POST /auth/session', { as: null, body: { token: tokenOf(name) } })
    badTokens[`a token: ${name}`] = `Bearer ${tokenOf(name)}`
    badTokens[`a session: ${name}`] = `Bearer ${session.body.token}`
  }
  const { metadata, spec } = cluster.store.get(AccessToken, systemNamespace, 'expired') ?? {}
  if (!metadata || !spec) throw new Error('the token to expire is missing')
  cluster.put(
    AccessToken,
    newObject(AccessToken, metadata, { ...spec, expirationTime: '2026-01-01T00:00:00Z' }),
  )
  cluster.drop(AccessToken, systemNamespace, 'revoked')
  cluster.drop(AccessToken, systemNamespace, 'closed')
  cluster.drop(User, systemNamespace, 'left')
}

/** The answer without the ids that the request named and without times. */
async function answerTo(each: Endpoint, ids: Ids, as: string, asked: readonly string[]) {
  const { body } = ruleOf(each)
  const operation = `${each.method.toUpperCase()} ${pathWith(each.path, ids)}`
  const answer = await gateway.send(operation, { as, body })
  if (each.method !== 'get' && answer.status < 300) restore()
  return [answer.status, comparable(answer.body, asked)]
}

function comparable(body: unknown, asked: readonly string[]): string {
  const text = asked.reduce((all, id) => all.replaceAll(id, '<id>'), JSON.stringify(body) ?? '')
  return text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>').replaceAll(/[0-9a-f-]{36,}/g, '<hash>')
}

/** An id of the same form that nothing has; a type stays one of the same organization. */
function missing(id: string): string {
  const isHash = /^[0-9a-f-]{8,}$/.test(id)
  if (isHash)
    return id.replaceAll(/[0-9a-f]/g, (digit) => ((Number.parseInt(digit, 16) + 7) % 16).toString(16))
  return id
    .replaceAll(/(?<!^)\b(globex|other)|^(globex|other)(?!\/)/g, 'absent')
    .replaceAll(/GLOBEX|OTHER/g, 'ABSENT')
}

/** One of each scope that roles have. */
const callers = ['administrator', 'owner', 'member']

const protectedRows = endpoints
  .filter(({ access }) => access !== 'public')
  .map((each) => [`${each.method.toUpperCase()} ${each.path}`, each] as const)
const publicRows = endpoints
  .filter(({ access }) => access === 'public')
  .map((each) => [`${each.method.toUpperCase()} ${each.path}`, each] as const)

const resources = '/orgs/acme/resources'
const definition = { id: 'new', name: 'n', type: 'dns', driver_type: 'quartermaster/echo' }
const run = { trigger: 'deployment_request' }

/** Places other than the path that name an object: the path parameter that matches, and the request. */
const references: [parameter: string, operation: string, bodyOf: (id: string, ids: Ids) => unknown][] = [
  ['delta_id', 'POST {env}/deploys', (delta_id) => ({ delta_id })],
  ['set_id', 'POST {env}/deploys', (set_id) => ({ set_id })],
  ['delta_id', 'POST {app}/pipeline-runs', (delta_id, { env_id }) => ({ ...run, env_id, delta_id })],
  ['set_id', 'POST {app}/pipeline-runs', (set_id, { env_id }) => ({ ...run, env_id, set_id })],
  ['env_id', 'POST {app}/pipeline-runs', (env_id, { delta_id }) => ({ ...run, env_id, delta_id })],
  ['deploy_id', 'POST {app}/pipeline-runs', (id, { env_id }) => ({ ...run, env_id, deployment_id: id })],
  ['deploy_id', 'POST {app}/envs', (id) => ({ id: 'new', name: 'New', from_deploy_id: id })],
  ['deploy_id', 'PUT {env}/from_deploy_id', (id) => id],
  ['env_id', 'PUT {app}/deltas/{delta}/metadata/env_id', (id) => id],
  ['env_id', 'POST {app}/deltas', (env_id) => ({ metadata: { env_id } })],
  ['set_id', 'GET {app}/sets/{set}?diff={id}', () => undefined],
  ['run_id', 'GET {env}/deploys?pipelineRunId=default,{id}', () => undefined],
  ['type_id', 'GET {env}/resources/explain?type={id}', () => undefined],
  ['type_id', 'POST {env}/resources/graphs', (type) => [{ id: 'shared.a', type }]],
  ['type_id', `POST ${resources}/defs`, (type) => ({ ...definition, type })],
  ['account_id', `POST ${resources}/defs`, (id) => ({ ...definition, driver_account: id })],
  ['user_id', 'POST {app}/users', (id) => ({ id, role: 'viewer' })],
  ['user_id', 'POST /orgs/acme/env-types/production/users', (id) => ({ id, role: 'deployer' })],
  ['env_type_id', 'POST {app}/envs', (type) => ({ id: 'new', name: 'New', type })],
  ['app_id', `GET ${resources}/defs?app={id}`, () => undefined],
]

test.each(references)(
  '%s of another organization or application, named by %s, answers like a missing one',
  async (parameter, template, bodyOf) => {
    const app = pathWith('/orgs/{org_id}/apps/{app_id}', own)
    const operation = template
      .replace('{app}', app)
      .replace('{env}', `${app}/envs/${own['env_id']}`)
      .replace('{delta}', own['delta_id'] ?? '')
      .replace('{set}', own['set_id'] ?? '')
    for (const id of [foreign[parameter], parameter === 'app_id' ? undefined : neighbour[parameter]]) {
      if (id === undefined) continue
      const answers = []
      for (const each of [id, missing(id)]) {
        const target = operation.replace('{id}', encodeURIComponent(each))
        const answer = await gateway.send(target, { as: 'administrator', body: bodyOf(each, own) })
        restore()
        answers.push([answer.status, comparable(answer.body, [each])])
      }
      expect(answers[0]).toEqual(answers[1])
    }
  },
)

test.each(publicRows)('%s wants no header Authorization', async (operation) => {
  expect((await gateway.send(operation, { as: null })).status).not.toBe(401)
})

describe.each(protectedRows)('%s', (_, each) => {
  const method = each.method.toUpperCase()
  const names = [...each.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

  test.each(['own', 'foreign', 'missing'])(
    '%s object: 401 without the header Authorization',
    async (whose) => {
      const ids = { own, foreign, missing: {} }[whose] ?? {}
      const { status, body } = await gateway.send(`${method} ${pathWith(each.path, ids)}`, { as: null })
      expect([status, body.error]).toEqual([401, 'Unauthorized'])
    },
  )

  test('403 to invalid tokens, for every object', async () => {
    for (const ids of [own, {}]) {
      // The token is checked before operation and object: each operation shows it for a few tokens, all for all.
      const turn = endpoints.indexOf(each)
      for (const [kind, authorization] of someInTurn(Object.entries(badTokens), turn, ids === own ? 4 : 2)) {
        const operation = `${method} ${pathWith(each.path, ids)}`
        const { status } = await gateway.send(operation, { as: null, headers: { authorization } })
        expect([kind, status]).toEqual([kind, 403])
      }
    }
  })

  test.each(everybody)('own object, as %s: 403 below the role that it needs, else never', async (as) => {
    const { access } = each
    const { allowed } = ruleOf(each)
    const [status] = await answerTo(each, own, as, [])
    expect(status === 403 ? 'refused' : 'allowed').toBe(allowed.includes(as) ? 'allowed' : 'refused')
    expect(status).not.toBe(401)
    const target = { applicationId: 'shop', environmentType: 'development' }
    const isBelow = typeof access === 'object' && !allows(members[as], access, target)
    if (isBelow) expect(status).toBe(403)
  })

  if (names.includes('org_id')) {
    test.each(callers)('as %s: a foreign organization answers 403 like a missing one', async (as) => {
      const there = await answerTo(each, foreign, as, ['globex'])
      const nowhere = await answerTo(each, { ...foreign, org_id: 'nowhere' }, as, ['nowhere', 'globex'])
      expect(there).toEqual(nowhere)
      expect(there[0]).toBe(403)
    })
  }

  const objects = names.filter((name) => name !== 'org_id' && name !== 'pipeline_id' && name !== 'res_type')
  const belowApplication = objects.filter((name) => names.includes('app_id') && name !== 'user_id')
  const cases = [
    ...objects.map((name) => [name, 'another organization'] as const),
    ...belowApplication.map((name) => [name, 'another application'] as const),
  ]
  if (cases.length > 0) {
    test.each(cases)('%s of %s answers like a missing one', async (name, where) => {
      const id = (where === 'another organization' ? foreign : neighbour)[name] ?? ''
      const none = missing(id)
      expect(none).not.toBe(id)
      // An administrator of the organization sees its other applications, as they may.
      for (const as of id === neighbour['app_id'] ? callers.slice(1) : callers) {
        const there = await answerTo(each, { ...own, [name]: id }, as, [id])
        const nowhere = await answerTo(each, { ...own, [name]: none }, as, [none])
        expect(there).toEqual(nowhere)
      }
    })
  }
})
