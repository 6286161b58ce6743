import { hash, randomBytes } from 'node:crypto'
import { AccessToken, User } from '../../../operator/api/access.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { apiVersion, systemNamespace } from '../../../operator/api/names.ts'
import { list, object, oneOf, string, time } from '../../../operator/api/schema.ts'
import { allows } from '../../../operator/domain/access/roles.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { type Caller, membershipIn } from '../../authenticate.ts'
import { type Endpoint, endpoint, noContent, ok } from '../../endpoint.ts'
import { Missing } from '../../request/missing.ts'
import { newId } from '../../request/parameters.ts'
import { errorShape, named } from '../../response/shapes.ts'
import { removeObject } from '../common/change.ts'
import { createdAt, createdBy, find, findAll, newMetadata, refuseTaken } from '../common/find.ts'
import { listEndpoint, nameOf } from '../common/list-endpoint.ts'
import { refuseUnreadableTimes } from '../common/unreadable-times.ts'

const tag = 'Tokens'
const tokenType = oneOf(['static'], 'Always `static`.')
const expiry = time('Time when the token expires. It never expires when absent.')

const tokenShape = named(
  'Token',
  object(
    {
      id: string('Token ID, unique for the user.', { maxLength: 253 }),
      type: tokenType,
      description: string('Description.'),
      created_by: string(
        'ID of the user who created it through the REST API. Empty if it was created in another way.',
      ),
      created_at: time('Time when it was created.'),
    },
    { expires_at: expiry },
    'An API token, without its value.',
  ),
)

/** Converts a token for a response. */
function toToken(token: AccessToken) {
  const { expirationTime, description = '' } = token.spec
  return {
    id: idOf(token),
    type: 'static' as const,
    description,
    created_by: createdBy(token),
    created_at: createdAt(token),
    expires_at: expirationTime,
  }
}

/** Returns the object name of a token, which is also part of the token. Token IDs are unique per user only. */
function objectNameOf(userName: string, id: string): string {
  return `${userName}.${id}`
}

function idOf({ metadata: { name }, spec: { userName } }: AccessToken): string {
  const prefix = objectNameOf(userName, '')
  return name.startsWith(prefix) ? name.slice(prefix.length) : name
}

function tokensOf(store: Store, { metadata }: User): AccessToken[] {
  return findAll(store, AccessToken, systemNamespace).filter(({ spec }) => spec.userName === metadata.name)
}

/** Returns the tokens with an ID. With kubectl several tokens can have the same ID. */
function findTokens(store: Store, user: User, id: string): AccessToken[] {
  const found = tokensOf(store, user).filter((each) => idOf(each) === id)
  if (found.length === 0)
    throw new Missing(
      AccessToken,
      systemNamespace,
      objectNameOf(user.metadata.name, id),
      `token '${id}' not found`,
    )
  return found
}

/**
 * Returns the user in the path: the caller, or a service user of an organization that the caller administers. All other IDs are
 * answered alike, so that the answer does not show which of them exist.
 */
function findUser(store: Store, caller: Caller, id: string): User {
  const user = find(store, User, systemNamespace, id)
  const { type, organizationName: home = '' } = user?.spec ?? {}
  if (user && type === 'human' && id === caller.userName) return user
  const isAdministratorOf = (organization: string) =>
    allows(membershipIn(store, caller, organization), { organization: 'administrator' })
  if (user && type === 'service' && isAdministratorOf(home)) return user
  if (store.organizations().some((each) => isAdministratorOf(each.id)))
    throw new Missing(User, systemNamespace, id, `user '${id}' not found`)
  throw new Problem('Forbidden', "this requires the role 'administrator' in the organization of the user")
}

function refusePast(expiresAt: string | undefined, now: number): void {
  refuseUnreadableTimes({ expires_at: expiresAt })
  if (expiresAt === undefined || Date.parse(expiresAt) > now) return
  throw new Problem('Invalid', `'expires_at' must be in the future, not '${expiresAt}'`)
}

/** API tokens. */
export const userTokens: readonly Endpoint[] = [
  listEndpoint({
    path: '/users/{user_id}/tokens',
    summary: 'List the API tokens of a user',
    tag,
    access: 'authenticated',
    response: list(tokenShape, 'Tokens.'),
    find: ({ params: { user_id }, caller }, { cluster: { store } }) =>
      tokensOf(store, findUser(store, caller, user_id)),
    positionOf: nameOf,
    show: toToken,
  }),
  endpoint({
    method: 'post',
    path: '/users/{user_id}/tokens',
    summary: 'Create an API token for a service user; only this response contains its value',
    tag,
    access: 'authenticated',
    body: object(
      { id: newId('ID of the new token, unique for the user.') },
      { type: tokenType, description: string('Description.'), expires_at: expiry },
      'A token.',
    ),
    responses: {
      200: object(
        { token: string('Value of the token. It is not returned again.'), type: tokenType },
        {},
        'A new token.',
      ),
      409: errorShape,
    },
    async handle({ params: { user_id }, body, caller }, { cluster, now }) {
      const user = findUser(cluster.store, caller, user_id)
      if (user.spec.type !== 'service')
        throw new Problem('Forbidden', 'tokens can only be created for service users')
      const { id, description, expires_at: expirationTime } = body
      refusePast(expirationTime, now())
      const known = tokensOf(cluster.store, user).find((each) => idOf(each) === id)
      await refuseTaken(cluster, AccessToken, known, `token '${id}'`)
      const name = objectNameOf(user_id, id)
      const token = `qm_${name}_${randomBytes(32).toString('base64url')}`
      const { uid } = user.metadata
      // Tokens are deleted with their user, also when kubectl deletes it.
      const ownerReferences = [{ apiVersion, kind: User.kind, name: user_id, uid }]
      const metadata = { ...newMetadata(systemNamespace, name, caller), ownerReferences }
      const spec = {
        userName: user_id,
        sha256: hash('sha256', token),
        description,
        expirationTime,
      }
      await cluster.create(AccessToken, newObject(AccessToken, metadata, spec))
      return ok({ token, type: 'static' })
    },
  }),
  endpoint({
    method: 'get',
    path: '/users/{user_id}/tokens/{token_id}',
    summary: 'Get an API token, without its value',
    tag,
    access: 'authenticated',
    responses: { 200: tokenShape },
    handle({ params: { user_id, token_id }, caller }, { cluster: { store } }) {
      const [found] = findTokens(store, findUser(store, caller, user_id), token_id)
      return ok(found && toToken(found))
    },
  }),
  endpoint({
    method: 'delete',
    path: '/users/{user_id}/tokens/{token_id}',
    summary: 'Revoke an API token',
    tag,
    access: 'authenticated',
    responses: { 204: undefined },
    async handle({ params: { user_id, token_id }, caller }, { cluster }) {
      const found = findTokens(cluster.store, findUser(cluster.store, caller, user_id), token_id)
      for (const each of found) await removeObject(cluster, AccessToken, each)
      return noContent
    },
  }),
]
