import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { Problem } from '../../operator/domain/base/errors.ts'
import type { Log } from '../../operator/log.ts'
import type { OidcSettings } from '../settings.ts'
import { cappedFetch } from './capped-fetch.ts'
import { isRejection, reasonOf } from './oidc-errors.ts'
import type { Signer } from './signer.ts'

/** Claims of the identity provider about a user. */
export type Claims = Readonly<Record<string, unknown>>

/** Sign-in with the identity provider. */
export interface Oidc {
  /** Returns the address of the provider, the state in it, and what a cookie of the browser stores of the sign-in. */
  begin(): Promise<{ readonly location: string; readonly state: string; readonly signedState: string }>
  /** Exchanges the parameters of the callback for claims, given what the cookie stores. */
  finish(answer: URLSearchParams, signedState: string | undefined): Promise<Claims>
}

/** Dependencies of the sign-in. */
export interface OidcTools {
  readonly signer: Signer
  readonly log: Log
  now(): number
}

/** Time limit of a sign-in. */
export const signInSeconds = 600

const kind = { audience: 'quartermaster-sign-in', type: 'sign-in+jwt' } as const
const deadlineSeconds = 10
/** How long the addresses of a provider count. */
const metadataMs = 3_600_000

/** Uses the configured URL, never the host of a request. */
export function callbackUrl({ publicUrl }: Pick<OidcSettings, 'publicUrl'>): URL {
  return new URL('auth/oidc/callback', publicUrl)
}

/** Authorization code flow with PKCE, state and nonce. The state is stored in the browser only. */
export function createOidc(settings: OidcSettings, { signer, log, now }: OidcTools): Oidc {
  const provider = discoverProvider(settings, { log, now })

  function failure(error: unknown, mayReject: boolean): Problem {
    const { issuer } = settings
    log.warn('sign-in with the identity provider failed', { issuer, reason: reasonOf(error) })
    return mayReject && isRejection(error)
      ? new Problem('Forbidden', 'the identity provider did not confirm the sign-in; start again')
      : new Problem('Internal', 'the identity provider returned an error or an invalid response')
  }

  function configurationOf(): Promise<Configuration> {
    return provider().catch((error: unknown) => {
      throw failure(error, false)
    })
  }

  async function claimsOf(
    configuration: Configuration,
    answer: URLSearchParams,
    { state, nonce, verifier }: SignInState,
  ): Promise<Claims> {
    const url = callbackUrl(settings)
    url.search = answer.toString()
    const tokens = await authorizationCodeGrant(configuration, url, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
    })
    const claims: Claims = tokens.claims() ?? {}
    const { sub } = claims
    const needed = settings.claim === 'email' ? ['email', 'email_verified'] : [settings.claim]
    // Some providers return some claims only from the userinfo endpoint.
    const isElsewhere =
      needed.some((each) => !(each in claims)) && configuration.serverMetadata().userinfo_endpoint
    if (!isElsewhere || typeof sub !== 'string') return claims
    return { ...claims, ...(await fetchUserInfo(configuration, tokens.access_token, sub)) }
  }

  return {
    async begin() {
      const configuration = await configurationOf()
      const state = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() }
      const { href: location } = buildAuthorizationUrl(configuration, {
        redirect_uri: callbackUrl(settings).href,
        scope: settings.scopes,
        state: state.state,
        nonce: state.nonce,
        code_challenge: await calculatePKCECodeChallenge(state.verifier),
        code_challenge_method: 'S256',
      })
      const signedState = await signer.sign(kind, state, now() + signInSeconds * 1000)
      return { location, state: state.state, signedState }
    },
    async finish(answer, signedState = '') {
      const state = (await signer.read(kind, signedState)) as SignInState | undefined // signed by us with this content
      if (!state)
        throw new Problem(
          'Forbidden',
          'the sign-in was not started in this browser, or has expired; start again',
        )
      return claimsOf(await configurationOf(), answer, state).catch((error: unknown) => {
        throw failure(error, true)
      })
    },
  }
}

/** State of a sign-in between redirect and callback. */
interface SignInState {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/**
 * Discovers the provider on first use, and again after an hour: it may have other addresses by then. Without an answer it
 * keeps what it knows, and asks again at the next use.
 */
function discoverProvider(
  settings: OidcSettings,
  { log, now }: Pick<OidcTools, 'log' | 'now'>,
): () => Promise<Configuration> {
  const { clientId, clientSecret } = settings
  const issuer = new URL(settings.issuer)
  let known: Configuration | undefined
  let isAsking: Promise<Configuration> | undefined
  let askedAt = Number.NEGATIVE_INFINITY

  async function ask(): Promise<Configuration> {
    try {
      const found = await discovery(issuer, clientId, {}, clientAuth(clientSecret), {
        timeout: deadlineSeconds,
        [customFetch]: cappedFetch,
        execute: [
          enableNonRepudiationChecks,
          ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : []),
        ],
      })
      requireAddresses(found, issuer)
      known = found
      askedAt = now()
      return known
    } catch (error) {
      if (!known) throw error
      log.warn('could not discover the identity provider again', {
        issuer: settings.issuer,
        reason: reasonOf(error),
      })
      return known
    } finally {
      isAsking = undefined
    }
  }

  return async () => {
    // The clock may be set back.
    if (known && Math.abs(now() - askedAt) < metadataMs) return known
    isAsking ??= ask()
    return isAsking
  }
}

/** Throws unless the provider says where people sign in and where the gateway asks: with less, no sign-in would work for an hour. */
function requireAddresses(configuration: Configuration, { protocol }: URL): void {
  const metadata = configuration.serverMetadata()
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
    const address = URL.parse(String(metadata[name]))
    if (address?.protocol !== 'https:' && address?.protocol !== protocol)
      throw new Error(`the metadata of the provider has no valid '${name}'`)
  }
}

function clientAuth(secret: string | undefined): ClientAuth {
  if (secret === undefined) return None()
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)]
  return (server, ...rest) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest)
  }
}
