import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { organizationKey } from './find.ts'

/** Users of each kind, named as in a response: `resource_definitions`. */
type Users = Readonly<Record<string, readonly string[]>>

const mostNames = 5

function describe(kinds: string, names: readonly string[]): string {
  const words = kinds.replaceAll('_', ' ')
  const shown = names.slice(0, mostNames).map((name) => `'${name}'`)
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : ''
  return `the ${names.length === 1 ? words.slice(0, -1) : words} ${shown.join(', ')}${more}`
}

/** Throws an error that names the users, if any. */
export function refuseUsed(error: 'Conflict' | 'Invalid', what: string, users: Users): void {
  const found = Object.entries(users).filter(([, names]) => names.length > 0)
  if (found.length === 0) return
  const text = found.map(([kinds, names]) => describe(kinds, names)).join(' and by ')
  throw new Problem(error, `${what} is used by ${text}`, { referencing_resources: users })
}

/** Returns the names of the definitions that use an account, a driver or a type, in order; not of those being deleted. */
export function definitionsThatUse(
  store: Store,
  index: 'account' | 'driver' | 'type',
  organization: string,
  value: string,
): string[] {
  return store
    .byIndex(ResourceDefinition, index, organizationKey(organization, value))
    .filter(({ metadata }) => !metadata.deletionTimestamp)
    .map(({ metadata }) => metadata.name)
    .sort()
}
