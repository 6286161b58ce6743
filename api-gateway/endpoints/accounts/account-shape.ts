import { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { Manifest } from '../../../operator/api/kind.ts'
import type { ResourceAccount } from '../../../operator/api/resource-account.ts'
import { boolean, type FreeForm, freeForm, object, string, time } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { catalogue } from '../../../operator/drivers/catalogue.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { newId } from '../../request/parameters.ts'
import { named } from '../../response/shapes.ts'
import { statusMessageField, statusMessageOf } from '../active-resources/status-message.ts'
import { createdAt, createdBy, organizationKey } from '../common/find.ts'
import { definitionsThatUse } from '../common/refuse-used.ts'

/** Resource account in responses, without its credentials. */
export const accountShape = named(
  'ResourceAccount',
  object(
    {
      id: string('Unique identifier.', { maxLength: 253 }),
      name: string('Display name.'),
      type: string('Account type.'),
      is_used: boolean('Whether a definition or an active resource uses the account.'),
      created_by: string(
        'ID of the user who created it through the REST API. Empty if it was created in another way.',
      ),
      created_at: time('Time when it was created.'),
    },
    statusMessageField,
    'Credentials that drivers use.',
  ),
)

const credentials = freeForm('Credentials, one per field. They are never returned.')

/** Request body for a new account. */
export const newAccountShape = object(
  {
    id: newId('ID of the new account.'),
    name: string('Display name.'),
    type: string('Account type, which is named after the provider, for example `cloudflare`.', {
      minLength: 1,
      maxLength: 63,
    }),
    credentials,
  },
  {},
  'A resource account.',
)

/** Request body for changes of an account. */
export const accountChangesShape = object(
  {},
  { name: string('Display name.'), credentials },
  'Fields to change. Omitted fields keep their value.',
)

export const accountTypeShape = named(
  'AccountType',
  object(
    { type: string('Account type.'), name: string('Display name.') },
    { inputs_schema: freeForm('JSON Schema of the credentials.') },
    'An account type.',
  ),
)

/** Account types with a display name and a schema. */
const knownTypes: readonly {
  readonly type: string
  readonly name: string
  readonly inputs_schema: object
}[] = [
  {
    type: 'cloudflare',
    name: 'Cloudflare',
    inputs_schema: object(
      { token: string('API token with permission to edit DNS records on the zone.') },
      {},
      'Credentials.',
    ),
  },
  { type: 'local', name: 'This cluster', inputs_schema: object({}, {}, 'No credentials are needed.') },
  { type: 'none', name: 'None', inputs_schema: object({}, {}, 'No credentials.') },
]

/** Throws Invalid unless the credentials that a known account type requires are texts, as all of them are. */
export function refuseIncomplete(type: string, credentials: FreeForm): void {
  const schema = knownTypes.find((each) => each.type === type)?.inputs_schema
  const { required = [] } = (schema ?? {}) as { required?: readonly string[] } // every schema is an object
  const missing = required.filter((name) => typeof credentials[name] !== 'string' || credentials[name] === '')
  if (missing.length === 0) return
  const names = missing.map((name) => `'${name}'`).join(', ')
  throw new Problem('Invalid', `'credentials' of an account of type '${type}' must have ${names} as a text`)
}

/** Known account types and those that a built-in driver accepts. Accounts may have other types. */
export const accountTypes: readonly { readonly type: string; readonly name: string }[] = [
  ...knownTypes,
  ...[...new Set(catalogue.flatMap(({ account }) => account.types))]
    .filter((type) => !knownTypes.some((each) => each.type === type))
    .map((type) => ({ type, name: type })),
].sort((left, right) => (left.type < right.type ? -1 : 1))

/** IDs of the definitions and GUResIDs of the active resources that refer to an account. */
export function usesOf(store: Store, { metadata: { namespace, name } }: Manifest<typeof ResourceAccount>) {
  const index = organizationKey(namespace, name)
  return {
    resource_definitions: definitionsThatUse(store, 'account', namespace, name),
    active_resources: store
      .byIndex(ActiveResource, 'account', index)
      .map(({ metadata }) => metadata.name)
      .sort(),
  }
}

/** Returns the display name of an account. */
export function accountName({ metadata, spec }: Manifest<typeof ResourceAccount>): string {
  return spec.displayName ?? metadata.name
}

/** Converts an account for a response. */
export function toAccount(store: Store, account: Manifest<typeof ResourceAccount>) {
  const { metadata, spec } = account
  const { resource_definitions: definitions, active_resources: resources } = usesOf(store, account)
  return {
    id: metadata.name,
    name: accountName(account),
    type: spec.type,
    is_used: definitions.length + resources.length > 0,
    created_by: createdBy(account),
    created_at: createdAt(account),
    ...statusMessageOf(account),
  }
}
