import { generateKeyPairSync } from 'node:crypto'
import { type Configuration, interactionPolicy, Provider } from 'oidc-provider'
import { forged, type SigningKey } from './forge.ts'
import { claimsOf, type Person } from './people.ts'
import { type Rules, tokenDeeds } from './rules.ts'

/** The one client of the provider. */
export interface ProviderClient {
  readonly id: string
  /** A public client has none. */
  readonly secret?: string
  /** Where people are sent back to. */
  readonly redirectUris: readonly string[]
}

/** Claims of a person that a provider can state: the id, also the address, or all. */
export type StatedClaims = 'sub' | 'address' | 'all'

/** What a provider is made of. */
export interface ProviderOptions {
  readonly issuer: string
  readonly client: ProviderClient
  readonly people: readonly Person[]
  readonly rules: Rules
  /** The claims of a person in the statement itself; the others are for the asking alone. */
  readonly stated: StatedClaims
}

/** An identity provider that asks everybody anew who they are, and has no passwords. */
export function createProvider({ issuer, client, people, rules, stated }: ProviderOptions): Provider {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key: SigningKey = { id: 'development', privateKey, publicKey }
  const provider = new Provider(issuer, {
    clients: [clientOf(client)],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: key.id, use: 'sig', alg: 'ES256' }] },
    cookies: { keys: ['development'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: stated === 'sub',
    features: { devInteractions: { enabled: false } },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}`, policy: askAlways() },
    findAccount(_ctx, id) {
      const person = people.find((each) => each.id === id)
      return (
        person && {
          accountId: id,
          claims: (use) => (use === 'id_token' ? statedOf(person, stated) : claimsOf(person)),
        }
      )
    },
    // Who signs in here has nothing to consent to.
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      })
      grant.addOIDCScope('openid email')
      await grant.save()
      return grant
    },
  })
  provider.use(async (ctx, next) => {
    await next()
    const body = ctx.body as { id_token?: string } | undefined // what the library made
    if (ctx.path !== '/token' || body?.id_token === undefined) return
    const deed = rules.next('/token', tokenDeeds)
    if (deed) ctx.body = { ...body, id_token: await forged(deed, body.id_token, key) }
  })
  return provider
}

function statedOf(person: Person, stated: StatedClaims) {
  const { email_verified: isVerified, ...others } = claimsOf(person)
  return stated === 'address' || isVerified === undefined ? others : { ...others, email_verified: isVerified }
}

function clientOf({ id, secret, redirectUris }: ProviderClient) {
  return {
    client_id: id,
    redirect_uris: [...redirectUris],
    id_token_signed_response_alg: 'ES256',
    ...(secret === undefined ? { token_endpoint_auth_method: 'none' } : { client_secret: secret }),
  } satisfies NonNullable<Configuration['clients']>[number]
}

/** Asks also a person who has just signed in, so that they can choose another user. */
function askAlways() {
  const { Check, base } = interactionPolicy
  const policy = base()
  const check = new Check('always', 'people choose who they are each time', ({ oidc }) =>
    oidc.result?.login ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT,
  )
  policy.get('login')?.checks.add(check)
  return policy
}
