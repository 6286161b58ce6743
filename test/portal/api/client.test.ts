import { afterAll, expect, test } from '@jest/globals'

const requests: Record<string, unknown>[] = []
const { fetch } = globalThis
Object.assign(globalThis, {
  fetch: async (_address: string, { headers }: { readonly headers: Record<string, string> }) => {
    requests.push(headers)
    const { accept = 'application/json' } = headers
    return new Response(JSON.stringify({ accept }), { headers: { 'content-type': accept } })
  },
})
// By address, because the types of the module need those of a browser.
const { call } = (await import(new URL('../../../portal/api/client.ts', import.meta.url).href)) as {
  call(operation: string, input: object): Promise<unknown>
}
afterAll(() => void Object.assign(globalThis, { fetch }))

test.each<[rule: string, operation: string, input: object, headers: object, answer: string]>([
  ['the first form', 'GET /orgs', {}, {}, 'application/json'],
  [
    'another form',
    'GET /orgs application/v2+json',
    {},
    { accept: 'application/v2+json' },
    'application/v2+json',
  ],
  [
    'the first form for a body',
    'PUT /orgs',
    { body: true },
    { 'content-type': 'application/json' },
    'application/json',
  ],
])('a request names the media type that it accepts: %s', async (_, operation, input, headers, answer) => {
  expect(await call(operation, input)).toEqual({ accept: answer })
  expect(requests.at(-1)).toEqual(headers)
})
