import { User } from '../../operator/api/access.ts'
import { systemNamespace } from '../../operator/api/names.ts'
import { Problem } from '../../operator/domain/base/errors.ts'
import type { Store } from '../../operator/kube/cache/store.ts'
import type { Claims } from './oidc.ts'

/** Returns the human user of the claims; throws Forbidden. Signing in never creates users. */
export function findHumanUser(claim: string, claims: Claims, store: Store): User {
  const value = claims[claim]
  if (typeof value !== 'string' || value === '')
    throw new Problem('Forbidden', `the identity provider does not return the claim '${claim}'`)
  if (claim !== 'email') return onlyOne(humans(store).filter(({ metadata }) => metadata.name === value))
  if (claims['email_verified'] !== true)
    throw new Problem('Forbidden', 'the identity provider has not verified the email address')
  const wanted = foldAscii(value)
  // Blanks come along when a person copies an address.
  const isOf = ({ spec }: User) => spec.email !== undefined && foldAscii(spec.email.trim()) === wanted
  return onlyOne(humans(store).filter(isOf))
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

/**
 * Folds ASCII letters only, because Unicode folding maps different letters to the same one (the Kelvin sign to
 * `k`).
 */
function foldAscii(address: string): string {
  return address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
