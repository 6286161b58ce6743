import { type FakeCloudflare, startFakeCloudflare } from '../../dev/fake-cloudflare/server.ts'

/** An answer of the fake: its status, headers and body. */
export interface Said {
  readonly status: number
  readonly headers: Headers
  // Tests read bodies of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

type Start = Parameters<typeof startFakeCloudflare>[0]

/** A fake with both interfaces: `call` uses that of Cloudflare, `control` that of the test. */
export async function startFake(options: Start = {}) {
  const fake = await startFakeCloudflare(options)
  const records = `/zones/${fake.zoneId}/dns_records`

  async function call(method: string, path: string, body?: unknown, token = fake.token): Promise<Said> {
    const headers: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` }
    return said(fake, method, `/client/v4${path}`, headers, body)
  }

  return {
    ...fake,
    recordsPath: records,
    call,
    control: (method: string, path: string, body?: unknown) => said(fake, method, path, {}, body),
    create: (fields: Record<string, unknown>) => call('POST', records, { ttl: 1, ...fields }),
  }
}

async function said(
  { url }: FakeCloudflare,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: unknown,
): Promise<Said> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    redirect: 'manual',
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(1500),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) }
}

/** The numbers of all errors of an answer, those in the chain behind `/`. */
export function codesOf({ body }: Said): readonly string[] {
  type Wire = { code: number; error_chain?: readonly Wire[] }
  return body.errors.map(({ code, error_chain: chain = [] }: Wire) =>
    [code, ...chain.map((each) => each.code)].join('/'),
  )
}
