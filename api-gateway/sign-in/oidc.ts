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
import { isRefusal, reasonOf } from './oidc-errors.ts'
import type { Signer } from './signer.ts'

/** What the identity provider states of somebody. */
export type Claims = Readonly<Record<string, unknown>>

/** Sign-in with the identity provider of the installation. */
export interface Oidc {
  /** Where the browser is sent, and what it is to remember until it comes back. */
  begin(): Promise<{ readonly location: string; readonly remembered: string }>
  /** Who came back with this answer of the provider, in a browser that remembers this. */
  finish(answer: URLSearchParams, remembered: string | undefined): Promise<Claims>
}

/** What signing in is made of. */
export interface OidcTools {
  readonly signer: Signer
  readonly log: Log
  now(): number
}

/** For so long a sign-in may be under way. */
export const underWaySeconds = 600

const kind = { audience: 'quartermaster-sign-in', type: 'sign-in+jwt' } as const
const deadlineSeconds = 10

/** Where the provider sends people back to: never what a request says of its host. */
export function callbackUrl({ publicUrl }: Pick<OidcSettings, 'publicUrl'>): URL {
  return new URL('auth/oidc/callback', publicUrl)
}

/** The code flow with PKCE, state and nonce; nothing of it is kept here. */
export function createOidc(settings: OidcSettings, { signer, log, now }: OidcTools): Oidc {
  const provider = keepProvider(settings)

  function failure(error: unknown, mayRefuse: boolean): Problem {
    const { issuer } = settings
    log.warn('sign-in with the identity provider failed', { issuer, reason: reasonOf(error) })
    return mayRefuse && isRefusal(error)
      ? new Problem('Forbidden', 'the identity provider did not confirm the sign-in; start again')
      : new Problem('Internal', 'the identity provider returned an error or an invalid response')
  }

  function discovered(): Promise<Configuration> {
    return provider().catch((error: unknown) => {
      throw failure(error, false)
    })
  }

  async function claimsOf(
    configuration: Configuration,
    answer: URLSearchParams,
    { state, nonce, verifier }: UnderWay,
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
    // Not every provider puts the claim into the token itself.
    const isElsewhere = !(settings.claim in claims) && configuration.serverMetadata().userinfo_endpoint
    if (!isElsewhere || typeof sub !== 'string') return claims
    return fetchUserInfo(configuration, tokens.access_token, sub)
  }

  return {
    async begin() {
      const configuration = await discovered()
      const underWay = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() }
      const { href: location } = buildAuthorizationUrl(configuration, {
        redirect_uri: callbackUrl(settings).href,
        scope: settings.scopes,
        state: underWay.state,
        nonce: underWay.nonce,
        code_challenge: await calculatePKCECodeChallenge(underWay.verifier),
        code_challenge_method: 'S256',
      })
      return { location, remembered: await signer.sign(kind, underWay, now() + underWaySeconds * 1000) }
    },
    async finish(answer, remembered = '') {
      const underWay = (await signer.read(kind, remembered)) as UnderWay | undefined // signed by us as such
      if (!underWay)
        throw new Problem(
          'Forbidden',
          'the sign-in was not started in this browser, or has expired; start again',
        )
      return claimsOf(await discovered(), answer, underWay).catch((error: unknown) => {
        throw failure(error, true)
      })
    },
  }
}

/** A sign-in between its two halves. */
interface UnderWay {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** The provider as it describes itself; asked when first needed, and again as long as that fails. */
function keepProvider(settings: OidcSettings): () => Promise<Configuration> {
  const { clientId, clientSecret } = settings
  const issuer = new URL(settings.issuer)
  let known: Promise<Configuration> | undefined

  return () => {
    known ??= discovery(issuer, clientId, {}, clientAuth(clientSecret), {
      timeout: deadlineSeconds,
      [customFetch]: cappedFetch,
      execute: [enableNonRepudiationChecks, ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : [])],
    }).catch((error: unknown) => {
      known = undefined
      throw error
    })
    return known
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
