import { User } from '../../../operator/api/access.ts'
import { systemNamespace } from '../../../operator/api/names.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import type { Caller } from '../../authenticate.ts'
import { type Endpoint, endpoint, type Gateway, ok } from '../../endpoint.ts'
import { patchSpec } from '../common/change.ts'
import { find } from '../common/find.ts'
import { profileChangesShape, profileShape, toProfile } from './user-shape.ts'

const tag = 'Users'

function findCaller(store: Store, { userName }: Caller): User {
  const user = find(store, User, systemNamespace, userName)
  if (!user) throw new Problem('Forbidden', 'the token does not grant access')
  return user
}

/** If the email address identifies users at sign-in, users cannot change their own. */
function refuseOthersAddress({ spec }: User, email: string, { oidc }: Gateway['settings']): void {
  if (spec.type !== 'human' || oidc?.claim !== 'email' || email === spec.email) return
  throw new Problem(
    'Forbidden',
    'you sign in by your email address, so only a cluster administrator can change it',
  )
}

/** Profile of the caller, at the current and at the legacy path. */
export const currentUser: readonly Endpoint[] = ['/current-user', '/users/me'].flatMap((path) => [
  endpoint({
    method: 'get',
    path,
    summary: `Get the profile and roles of the caller${path === '/users/me' ? ' (legacy path)' : ''}`,
    tag,
    access: 'authenticated',
    responses: { 200: profileShape },
    handle: ({ caller }, { cluster: { store } }) => ok(toProfile(store, findCaller(store, caller), caller)),
  }),
  endpoint({
    method: 'patch',
    path,
    summary: `Change the display name or email address of the caller${path === '/users/me' ? ' (legacy path)' : ''}`,
    tag,
    access: 'authenticated',
    body: profileChangesShape,
    responses: { 200: profileShape },
    async handle({ caller, body: { name, email } }, { cluster, settings }) {
      const user = findCaller(cluster.store, caller)
      if (email !== undefined) refuseOthersAddress(user, email, settings)
      const show = (each: User) => toProfile(cluster.store, each, caller)
      return ok(show(await patchSpec(cluster, User, user, { displayName: name, email }, show)))
    },
  }),
])
