import { Agent, request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import { checkResponse } from '../../api-gateway/support/document-check.ts'
import { type Ids, pathWith } from '../../api-gateway/support/everything.ts'
import { messageText } from '../../api-gateway/support/response-text.ts'
import { everybody, members, ruleOf } from '../../api-gateway/support/rules.ts'
import { eventually, type Organization } from '../support/client.ts'
import { makeEverything, makeMember, makeUser } from '../support/everything.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const agent = new Agent({ keepAlive: true, maxSockets: 8 })
const users: Record<string, Awaited<ReturnType<typeof makeUser>>> = {}
let own: Ids
let foreign: Ids
let organizations: Organization[]
let before: string[]
let sent = 0

const operations = endpoints.filter(({ access }) => access !== 'public')
/** Requests that change nothing for any caller; a write is sent only by callers without the right. */
const isRead = (method: string) => method === 'get'

beforeAll(async () => {
  const [mine, theirs] = await Promise.all([
    makeEverything(cluster, 'matrix'),
    makeEverything(cluster, 'others'),
  ])
  own = mine.ids
  foreign = theirs.ids
  organizations = [mine.organization, theirs.organization]
  for (const [role, spec] of Object.entries(members)) {
    const user = await makeUser(cluster, role)
    users[role] = user
    await makeMember(mine.organization, user, spec)
    await eventually(`access of '${role}'`, 30_000, async () =>
      (await send('GET', `/orgs/${own['org_id']}/apps`, bearer(role))).status === 200 ? true : undefined,
    )
  }
  before = await everythingIn()
})
afterAll(async () => {
  agent.destroy()
  await Promise.all(Object.values(users).map((user) => user.remove()))
})

const bearer = (role: string) => `Bearer ${users[role]?.token ?? ''}`

/** All objects of both organizations, with fields that show a change. */
async function everythingIn(): Promise<string[]> {
  const found = organizations.flatMap((organization) =>
    kinds.map(async ({ kind, plural }) =>
      (await organization.list<{ metadata: Record<string, unknown>; spec: unknown }>(plural)).map(
        ({ metadata: { name, uid, deletionTimestamp }, spec }) =>
          `${organization.id} ${kind} ${JSON.stringify([name, uid, deletionTimestamp, spec])}`,
      ),
    ),
  )
  return (await Promise.all(found)).flat().sort()
}

/** Sends a request to the real gateway, and checks the answer against the document. */
function send(method: string, path: string, authorization?: string, body?: unknown) {
  sent += 1
  const content = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    ...(authorization === undefined ? {} : { authorization }),
    ...(content === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }),
  }
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const request = httpRequest(cluster.gatewayUrl + path, { method, agent, headers }, (response) => {
      const { statusCode: status = 0, headers } = response
      const isText = headers['content-type']?.startsWith('text/')
      messageText(response)
        .then((text) => {
          const body = text === '' ? undefined : isText ? text : JSON.parse(text)
          checkResponse({ method, target: path, status, headers, body })
          resolve({ status, text })
        })
        .catch(reject)
    })
    request.once('error', reject)
    request.end(content)
  })
}

describe.each(operations.map((each) => [`${each.method.toUpperCase()} ${each.path}`, each] as const))(
  '%s',
  (_, each) => {
    const method = each.method.toUpperCase()
    const { allowed, body } = ruleOf(each)

    test('401 without a token, 403 with an invalid one, for every object', async () => {
      const invalid = [
        'Bearer qm_nobody_secret',
        `Bearer qm_${users['administrator']?.name}_secret`,
        `${bearer('administrator')}x`,
        `JWT ${users['administrator']?.token}`,
        `Basic ${users['administrator']?.token}`,
        'Bearer eyJhbGciOiJub25lIn0.e30.',
      ]
      for (const ids of [own, foreign, {}]) {
        const path = pathWith(each.path, ids)
        expect((await send(method, path, undefined, body)).status).toBe(401)
        for (const authorization of invalid)
          expect([authorization, (await send(method, path, authorization, body)).status]).toEqual([
            authorization,
            403,
          ])
      }
    })

    test('403 to every user without the role that it needs, and to no other user', async () => {
      const asked = everybody.filter((role) => isRead(each.method) || !allowed.includes(role))
      for (const role of asked) {
        const { status } = await send(method, pathWith(each.path, own), bearer(role), body)
        expect([role, status === 403]).toEqual([role, !allowed.includes(role)])
      }
    })

    if (each.path.includes('{org_id}')) {
      test('another organization answers 403 like a missing one', async () => {
        for (const role of ['administrator', 'owner', 'member']) {
          const there = await send(method, pathWith(each.path, foreign), bearer(role), body)
          const nowhere = await send(
            method,
            pathWith(each.path, { ...foreign, org_id: 'nowhere' }),
            bearer(role),
            body,
          )
          expect([there.status, nowhere.status]).toEqual([403, 403])
          expect(there.text.replaceAll(foreign['org_id'] ?? '', 'nowhere')).toBe(nowhere.text)
        }
      })
    }
  },
)

test('none of thousands of requests changed anything', async () => {
  expect(sent).toBeGreaterThan(2000)
  expect(await everythingIn()).toEqual(before)
})
