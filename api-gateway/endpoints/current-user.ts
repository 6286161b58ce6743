import { User } from '../../operator/api/access.ts'
import { systemNamespace } from '../../operator/api/names.ts'
import { Problem } from '../../operator/domain/errors.ts'
import type { Store } from '../../operator/kube/cluster.ts'
import type { Caller } from '../authenticate.ts'
import { type Endpoint, endpoint, ok } from '../endpoint.ts'
import { find } from './find.ts'
import { profileChangesShape, profileShape, toProfile } from './user-shape.ts'

const tag = 'Users'

function findCaller(store: Store, { userName }: Caller): User {
  const user = find(store, User, systemNamespace, userName)
  if (!user) throw new Problem('Forbidden', 'the token does not grant access')
  return user
}

/** The caller's own profile. */
export const currentUser: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/current-user',
    summary: "Get the caller's profile and roles",
    tag,
    access: 'authenticated',
    responses: { 200: profileShape },
    handle: ({ caller }, { cluster: { store } }) => ok(toProfile(store, findCaller(store, caller), caller)),
  }),
  endpoint({
    method: 'patch',
    path: '/current-user',
    summary: "Change the caller's name or mail address",
    tag,
    access: 'authenticated',
    body: profileChangesShape,
    responses: { 200: profileShape },
    async handle({ caller, body: { name, email } }, { cluster }) {
      const user = findCaller(cluster.store, caller)
      const spec = {
        ...(name === undefined ? {} : { displayName: name }),
        ...(email === undefined ? {} : { email }),
      }
      if (Object.keys(spec).length === 0) return ok(toProfile(cluster.store, user, caller))
      const changed = await cluster.patch(User, user, { metadata: { uid: user.metadata.uid }, spec })
      return ok(toProfile(cluster.store, changed, caller))
    },
  }),
]
