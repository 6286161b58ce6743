import { jest } from '@jest/globals'
import { freePorts } from '../../../dev/control-plane/processes.ts'
import type { Person } from '../../../dev/identity-provider/people.ts'
import type { StatedClaims } from '../../../dev/identity-provider/provider.ts'
import { type IdentityProvider, startIdentityProvider } from '../../../dev/identity-provider/server.ts'
import { startGateway, type TestGateway } from './gateway.ts'

/** A gateway whose people sign in with an identity provider, both over HTTP. */
export interface SignIn {
  readonly gateway: TestGateway
  readonly provider: IdentityProvider
  /** A person with a separate browser. */
  visitor(): Visitor
  close(): Promise<void>
}

export interface SignInOptions {
  readonly people?: readonly Person[]
  readonly stated?: StatedClaims
  readonly isPublicClient?: boolean
  readonly claim?: string
  /** Folder with the built portal; none without it. */
  readonly portalDirectory?: URL
  now?(): number
}

/** Starts both; the provider knows the address of the gateway, a port that another process may take first. */
export async function startSignIn(options: SignInOptions = {}): Promise<SignIn> {
  for (let left = 3; ; left -= 1)
    try {
      return await tryToStart(options)
    } catch (error) {
      if (left === 1 || (error as { code?: string }).code !== 'EADDRINUSE') throw error
    }
}

async function tryToStart(options: SignInOptions): Promise<SignIn> {
  const { people, stated, isPublicClient = false, claim = 'email', portalDirectory, now } = options
  const [port = 0] = await freePorts(1)
  const url = `http://127.0.0.1:${port}`
  const secret = isPublicClient ? {} : { secret: 'the secret: of/the client%' }
  const quiet = jest.spyOn(console, 'warn').mockImplementation(() => {}) // it keeps nothing, and says so
  const provider = await startIdentityProvider({
    client: { id: 'quartermaster', redirectUris: [`${url}/auth/oidc/callback`], ...secret },
    ...(people === undefined ? {} : { people }),
    ...(stated === undefined ? {} : { stated }),
  })
  quiet.mockRestore()
  const gateway = await startGateway({
    port,
    ...(now === undefined ? {} : { now }),
    ...(portalDirectory === undefined ? {} : { portalDirectory }),
    settings: {
      requestsPerSecond: 100_000,
      burst: 100_000,
      oidc: {
        issuer: provider.issuer,
        clientId: 'quartermaster',
        claim,
        scopes: 'openid email',
        publicUrl: `${url}/`,
        ...(secret.secret === undefined ? {} : { clientSecret: secret.secret }),
      },
    },
  }).catch(async (error: unknown) => {
    await provider.close()
    throw error
  })
  return {
    gateway,
    provider,
    visitor: () => createVisitor(url),
    close: async () => void (await Promise.all([gateway.close(), provider.close()])),
  }
}

export type Visitor = ReturnType<typeof createVisitor>

const redirects: ReadonlySet<number> = new Set([302, 303, 307])

/** A browser as far as redirects and cookies go; of these, it keeps those of each host apart. */
function createVisitor(gatewayUrl: string) {
  const jar = new Map<string, { readonly path: string; readonly value: string }>()

  function keep({ hostname }: URL, header: string): void {
    const [pair = '', ...attributes] = header.split('; ')
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    const path = attributes.find((each) => /^path=/i.test(each))?.slice(5) ?? '/'
    const key = `${hostname} ${name}`
    const isGone = attributes.some((each) => /^(max-age=0|expires=.* 1970 .*)$/i.test(each))
    if (isGone) jar.delete(key)
    else jar.set(key, { path, value })
  }

  function cookiesFor({ hostname, pathname }: URL): string {
    return [...jar]
      .filter(([key, { path }]) => key.startsWith(`${hostname} `) && pathname.startsWith(path))
      .map(([key, { value }]) => `${key.split(' ')[1]}=${value}`)
      .join('; ')
  }

  async function go(
    target: string | URL,
    init: Pick<RequestInit, 'method' | 'body'> = {},
  ): Promise<Response> {
    const url = new URL(target)
    const response = await fetch(url, { ...init, headers: { cookie: cookiesFor(url) }, redirect: 'manual' })
    for (const each of response.headers.getSetCookie()) keep(url, each)
    return response
  }

  /** Follows redirects until one leads to `last`, or to no other address. */
  async function follow(target: string | URL, last?: string): Promise<{ url: URL; response: Response }> {
    const url = new URL(target)
    const response = await go(url)
    const location = response.headers.get('location')
    if (!redirects.has(response.status) || location === null) return { url, response }
    await response.body?.cancel()
    const next = new URL(location, url)
    return last !== undefined && next.pathname === last ? { url: next, response } : follow(next, last)
  }

  /** Begins, and chooses a person at the provider, or none; answers the address of the redirect back. */
  async function reachCallback(person: string): Promise<URL> {
    const { url: page, response } = await follow(`${gatewayUrl}/auth/oidc`)
    if (response.status !== 200 || !page.pathname.startsWith('/interaction/'))
      throw new Error(`no page of the provider: ${response.status} at ${page.href}`)
    const chosen = await go(page, { method: 'POST', body: new URLSearchParams({ person }) })
    const resume = new URL(chosen.headers.get('location') ?? '', page)
    return (await follow(resume, '/auth/oidc/callback')).url
  }

  return {
    go,
    follow,
    reachCallback,
    /** The complete sign-in; answers the last response of the gateway. */
    signIn: async (person: string): Promise<Response> => go(await reachCallback(person)),
    cookie: (name: string) => jar.get(`127.0.0.1 ${name}`)?.value,
    /** Ends the session at the provider, which would end earlier sign-ins when a person is chosen again. */
    leaveProvider(): void {
      for (const key of jar.keys()) if (!key.startsWith('127.0.0.1 ')) jar.delete(key)
    },
    /** Names of the cookies of the gateway's host for sign-ins under way, the oldest first. */
    underWay: () => [...jar.keys()].flatMap((key) => /^127\.0\.0\.1 (sign-in-.*)$/.exec(key)?.[1] ?? []),
    /** Gives this browser a cookie of the gateway's host. */
    setCookie: (name: string, value: string, path = '/auth') =>
      void jar.set(`127.0.0.1 ${name}`, { path, value }),
  }
}
