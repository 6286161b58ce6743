import { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { ResourceAccount } from '../../../operator/api/resource-account.ts'
import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { boolean, type FreeForm, freeForm, object, string, time } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { catalogue } from '../../../operator/drivers/catalogue.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { newId } from '../../request/parameters.ts'
import { named } from '../../response/shapes.ts'
import { statusMessageField, statusMessageOf } from '../active-resources/why.ts'
import { createdAt, createdBy, inOrganization } from '../common/find.ts'

/** An account as REST answers it: never with its credentials. */
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

/** An account as a request describes it. */
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

/** What may change in an account. */
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

/** What is known of some account types, beyond that a driver takes them. */
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

/** Refuses credentials that lack what their type requires, where it is known. */
export function refuseIncomplete(type: string, credentials: FreeForm): void {
  const schema = knownTypes.find((each) => each.type === type)?.inputs_schema
  const { required = [] } = (schema ?? {}) as { required?: readonly string[] } // a schema
  const missing = required.filter((name) => (credentials[name] ?? null) === null)
  if (missing.length === 0) return
  const names = missing.map((name) => `'${name}'`).join(', ')
  throw new Problem('Invalid', `'credentials' of an account of type '${type}' must have ${names}`)
}

/** The account types that are known by name, and those that a driver takes besides; accounts may have any other. */
export const accountTypes: readonly { readonly type: string; readonly name: string }[] = [
  ...knownTypes,
  ...[...new Set(catalogue.flatMap(({ account }) => account.types))]
    .filter((type) => !knownTypes.some((each) => each.type === type))
    .map((type) => ({ type, name: type })),
].sort((left, right) => (left.type < right.type ? -1 : 1))

/** What refers to an account: ids of definitions, GUResIDs of active resources. */
export function usesOf(store: Store, { metadata: { namespace = '', name } }: ResourceAccount) {
  const index = inOrganization(namespace, name)
  return {
    resource_definitions: store
      .byIndex(ResourceDefinition, 'account', index)
      .filter(({ metadata }) => !metadata.deletionTimestamp)
      .map(({ metadata }) => metadata.name)
      .sort(),
    active_resources: store
      .byIndex(ActiveResource, 'account', index)
      .map(({ metadata }) => metadata.name)
      .sort(),
  }
}

/** An account as REST answers it. */
export function toAccount(store: Store, account: ResourceAccount) {
  const { metadata, spec } = account
  const { resource_definitions: definitions, active_resources: resources } = usesOf(store, account)
  return {
    id: metadata.name,
    name: spec.displayName ?? metadata.name,
    type: spec.type,
    is_used: definitions.length + resources.length > 0,
    created_by: createdBy(account),
    created_at: createdAt(account),
    ...statusMessageOf(account),
  }
}
