import { afterAll, beforeEach, expect, test } from '@jest/globals'

/** A gateway with one session, and the page that uses it. */
const world = {
  session: 'ana' as string | undefined,
  roles: { '/orgs/acme': 'administrator' },
  isRefused: false,
  events: [] as string[],
}

function answer(body: object, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
}

async function answerTo(address: string, method = 'GET'): Promise<Response> {
  const { session, events } = world
  if (address.endsWith('/auth/session'))
    return answer(session === undefined ? {} : { expires_at: '2050-01-01T00:00:00Z' })
  if (session === undefined) return answer({ error: 'Unauthorized', message: 'the session has ended' }, 401)
  if (address.endsWith('/current-user')) return answer({ id: session, roles: world.roles })
  if (world.isRefused) return answer({ error: 'Forbidden', message: 'not allowed' }, 403)
  events.push(`${method} as ${session}`)
  return answer({})
}

const { fetch, BroadcastChannel } = globalThis
Object.assign(globalThis, {
  fetch: (address: string, { method }: RequestInit) => answerTo(address, method),
  // The real one keeps the process running.
  BroadcastChannel: class extends EventTarget {
    postMessage() {}
  },
  location: { reload: () => void world.events.push('reload') },
})
// By address, because the types of these modules need those of a browser.
const portal = (file: string): Promise<unknown> =>
  import(new URL(`../../../portal/api/${file}`, import.meta.url).href)
const { call } = (await portal('client.ts')) as {
  call(operation: string, input: object): Promise<unknown>
}
const { loadSession, user } = (await portal('session.ts')) as {
  loadSession(): Promise<void>
  user: { value: { readonly roles: object } | undefined }
}
afterAll(() => {
  Object.assign(globalThis, { fetch, BroadcastChannel })
  Reflect.deleteProperty(globalThis, 'location')
})

beforeEach(async () => {
  Object.assign(world, {
    session: 'ana',
    roles: { '/orgs/acme': 'administrator' },
    isRefused: false,
    events: [],
  })
  user.value = undefined
  await loadSession()
})

/** Begins a request whose session has ended, and lets a user sign in. */
async function signInDuringRequest(next: string): Promise<readonly string[]> {
  world.session = undefined
  void call('DELETE /orgs/{org_id}/apps/{app_id}', { path: { org_id: 'acme', app_id: 'shop' } })
  await settle()
  world.session = next
  await loadSession()
  await settle()
  return world.events
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('a request that waits for a session continues when the same user signs in', async () => {
  expect(await signInDuringRequest('ana')).toEqual(['DELETE as ana'])
})

test('a request that waits for a session is never sent with the session of another user', async () => {
  expect(await signInDuringRequest('ben')).toEqual(['reload'])
})

test('a refused request reads the roles again, so that the page offers what they allow now', async () => {
  Object.assign(world, { isRefused: true, roles: { '/orgs/acme': 'member' } })
  const request = call('DELETE /orgs/{org_id}/apps/{app_id}', { path: { org_id: 'acme', app_id: 'shop' } })
  await expect(request).rejects.toMatchObject({ status: 403 })
  await settle()
  expect(user.value?.roles).toEqual({ '/orgs/acme': 'member' })
})
