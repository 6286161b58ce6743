import { User } from '../../operator/api/access.ts'
import { systemNamespace } from '../../operator/api/names.ts'
import { Problem } from '../../operator/domain/base/errors.ts'
import type { Store } from '../../operator/kube/cache/store.ts'
import type { Claims } from './oidc.ts'

/** The human that the identity provider speaks of; nobody is made by signing in. */
export function findHuman(claim: string, claims: Claims, store: Store): User {
  const value = claims[claim]
  if (typeof value !== 'string' || value === '')
    throw new Problem('Forbidden', `the identity provider does not return the claim '${claim}'`)
  if (claim !== 'email') return onlyOne(humans(store).filter(({ metadata }) => metadata.name === value))
  if (claims['email_verified'] !== true)
    throw new Problem('Forbidden', 'the identity provider has not verified the email address')
  const wanted = folded(value)
  return onlyOne(
    humans(store).filter(({ spec }) => spec.email !== undefined && folded(spec.email) === wanted),
  )
}

function humans(store: Store): User[] {
  return store
    .list(User, systemNamespace)
    .filter(({ metadata, spec }) => spec.type === 'human' && !metadata.deletionTimestamp)
}

function onlyOne([user, ...others]: readonly User[]): User {
  if (!user) throw new Problem('Forbidden', 'no human user matches the identity of the identity provider')
  if (others.length > 0)
    throw new Problem('Forbidden', 'more than one user has the email address of the identity provider')
  return user
}

/** ASCII alone: other letters have small ones that are those of somebody else, as the Kelvin sign has `k`. */
function folded(address: string): string {
  return address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
