import { afterAll, beforeEach, expect, test } from '@jest/globals'

/** A gateway that knows one role and may refuse another one, and the requests that it receives. */
const world = { role: '', isRefused: false, requests: [] as string[] }

function answer(body: object, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
}

const { fetch } = globalThis
Object.assign(globalThis, {
  fetch: async (address: string, { method = 'GET' }: RequestInit) => {
    if (!address.endsWith('/perms')) {
      world.requests.push(method)
      return world.isRefused ? answer({ error: 'Conflict', message: 'not this one' }, 409) : answer({})
    }
    world.requests.push('read')
    const permissions = world.role === '' ? {} : { '/orgs/acme/apps/shop': { permissions: [world.role] } }
    return answer({ objects: permissions })
  },
})
afterAll(() => {
  Object.assign(globalThis, { fetch })
})

// By address, because the types of these modules need those of a browser.
const portal = (file: string): Promise<unknown> =>
  import(new URL(`../../../../portal/${file}`, import.meta.url).href)
const { changeApplicationRole } = (await portal('pages/users/role-requests.ts')) as {
  changeApplicationRole(path: object, before: string, after: string): Promise<void>
}
const { call } = (await portal('api/client.ts')) as {
  call(operation: string, input: object): Promise<unknown>
}
const { entryFor, use } = (await portal('api/read-store.ts')) as {
  entryFor(address: string, read: () => Promise<unknown>): object
  use(entry: object): () => void
}

const path = { org_id: 'acme', user_id: 'ben' }

/** Chooses a role on a page that shows another one, and returns the requests that follow. */
async function chooseRole(shown: string, chosen: string): Promise<readonly string[]> {
  const perms = 'GET /orgs/{org_id}/users/{user_id}/perms'
  const leave = use(entryFor('/orgs/acme/users/ben/perms', () => call(perms, { path })))
  await new Promise((resolve) => setImmediate(resolve))
  world.requests = []
  await changeApplicationRole({ ...path, app_id: 'shop' }, shown, chosen).catch((error: Error) => {
    world.requests.push(error.message)
  })
  leave()
  return world.requests
}

beforeEach(() => {
  world.role = ''
  world.isRefused = false
})

test('a role is given, and read again', async () => {
  expect(await chooseRole('', 'viewer')).toEqual(['read', 'POST', 'read'])
})

test('a refused change is reported, and the role is read again', async () => {
  world.isRefused = true
  expect(await chooseRole('', 'viewer')).toEqual(['read', 'POST', 'read', 'not this one'])
})

test.each([
  ['gave', '', 'owner', 'viewer'],
  ['changed', 'viewer', 'owner', 'developer'],
  ['removed', 'viewer', '', 'developer'],
])('a role that someone else %s is not changed, but read again', async (_, shown, present, chosen) => {
  world.role = present
  expect(await chooseRole(shown, chosen)).toEqual([
    'read',
    'read',
    expect.stringMatching(/^someone else has changed this role to .*/),
  ])
})
