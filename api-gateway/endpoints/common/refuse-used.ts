import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { quotedNames } from '../../../operator/domain/base/quoted-names.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { organizationKey } from './find.ts'

/** Users of each kind, named as in a response: `resource_definitions`. */
type Users = Readonly<Record<string, readonly string[]>>

const mostNames = 5

function describe(kinds: string, names: readonly string[]): string {
  const words = kinds.replaceAll('_', ' ')
  return `the ${names.length === 1 ? words.slice(0, -1) : words} ${quotedNames(names, mostNames)}`
}

/** Throws an error that names the users, if any. */
export function refuseUsed(error: 'Conflict' | 'Invalid', what: string, users: Users): void {
  const found = Object.entries(users).filter(([, names]) => names.length > 0)
  if (found.length === 0) return
  const text = found.map(([kinds, names]) => describe(kinds, names)).join(' and by ')
  throw new Problem(error, `${what} is used by ${text}`, { referencing_resources: users })
}

/**
 * Returns the names of the definitions that use an account, a driver or a type, also for a co-provisioned resource, in
 * order; not of those being deleted.
 */
export function definitionsThatUse(
  store: Store,
  index: 'account' | 'driver' | 'namedType',
  organization: string,
  value: string,
): string[] {
  return store
    .byIndex(ResourceDefinition, index, organizationKey(organization, value))
    .filter(({ metadata }) => !metadata.deletionTimestamp)
    .map(({ metadata }) => metadata.name)
    .sort()
}
