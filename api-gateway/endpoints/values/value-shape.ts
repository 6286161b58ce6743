import { boolean, object, oneOf, string, time } from '../../../operator/api/schema.ts'
import { SharedValue, valueKeyPattern } from '../../../operator/api/shared-value.ts'
import { effectiveValues, valuesOfEnvironment } from '../../../operator/domain/graph/shared-values.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { knownId } from '../../request/parameters.ts'
import { named, nullable } from '../../response/shapes.ts'
import { changedAt, changedAtField } from '../common/changed-at.ts'
import { createdAt, organizationKey } from '../common/find.ts'
import { isSecretNameOf, storeName } from '../common/secret-refs.ts'

/** Path of the values of an application or of an environment. */
export interface ValuesPath {
  readonly org_id: string
  readonly app_id: string
  readonly env_id?: string
}

const keyShape = string('Key.', { pattern: valueKeyPattern, minLength: 1, maxLength: 253 })
const textShape = string('Value.', { maxLength: 65_536 })
const changedTextShape = string(
  'Value. For a secret value, the empty string keeps the secret, because responses show it so; `secret_ref` with an empty `value` makes it empty.',
  { maxLength: 65_536 },
)
const descriptionShape = nullable(string('Description.', { maxLength: 8192 }))
const isSecretShape = boolean('Whether the value is secret. Secret values are never returned.')
const secretRefShape = object(
  {},
  {
    store: string('Secret store; `kubernetes` when absent.', { maxLength: 253 }),
    ref: string('`<secret>/<key>` of a Secret of the organization. Only administrators may set it.', {
      maxLength: 1024,
    }),
    version: string('Version, stored as given.', { maxLength: 253 }),
    value: string('The secret itself, which is stored in a Secret.', { maxLength: 65_536 }),
  },
  'The secret, or a reference to it.',
)

/** Request body for a new value. */
export const newValueShape = object(
  { key: keyShape, description: descriptionShape },
  { value: textShape, is_secret: isSecretShape, secret_ref: secretRefShape },
  'A shared value.',
)

/** Request body that replaces a value. Omitted fields are kept. */
export const replacedValueShape = object(
  { description: descriptionShape },
  {
    key: knownId('Key. It must be the key in the path.'),
    value: changedTextShape,
    is_secret: isSecretShape,
    secret_ref: secretRefShape,
  },
  'A shared value.',
)

/** Request body for changes of a value. */
export const valueChangesShape = object(
  {},
  { description: descriptionShape, value: changedTextShape, secret_ref: secretRefShape },
  'Fields to change. Omitted fields keep their value; `null` removes the description.',
)

const secretField = (description: string) => nullable(string(description))

/** Value in responses. */
export const valueShape = named(
  'Value',
  object(
    {
      key: keyShape,
      value: string('Value. Empty if it is secret.', { maxLength: 65_536 }),
      is_secret: boolean('Whether the value is secret.'),
      description: descriptionShape,
      created_at: time('Time when it was created.'),
      updated_at: changedAtField,
      source: oneOf(['app', 'env'], 'Whether the value belongs to the application or to the environment.'),
      secret_key: secretField('Name of the secret in its store. Null if the value is not secret.'),
      secret_store_id: secretField('Secret store. Null if the value is not secret.'),
      secret_version: secretField('Version of the secret. Null if the value is not secret.'),
    },
    {},
    'A shared value.',
  ),
)

/** Lists the values of an application, or the values that apply to an environment. */
export function valuesAt(store: Store, path: ValuesPath): SharedValue[] {
  const { env_id } = path
  return env_id === undefined ? ownValues(store, path) : valuesOfEnvironment(allValues(store, path), env_id)
}

/** Lists the values of the application or environment itself. */
export function ownValues(store: Store, path: ValuesPath): SharedValue[] {
  return effectiveValues(allValues(store, path)).filter(({ spec }) => spec.environmentId === path.env_id)
}

/** Lists all objects for values of the application and its environments. */
export function allValues(store: Store, { org_id, app_id }: ValuesPath): readonly SharedValue[] {
  return store.byIndex(SharedValue, 'application', organizationKey(org_id, app_id))
}

/** Whether the gateway created the Secret of a value. */
export function hasOwnSecret({ metadata, spec: { secret } }: SharedValue): boolean {
  return secret !== undefined && isSecretNameOf(metadata.name, 'value', secret.secret)
}

/** Returns the version of a secret as responses show it. */
export function secretVersionOf({ spec: { secret, storeReference } }: SharedValue): string {
  return (secret ?? storeReference)?.version ?? '1'
}

/** Returns a stable name of a secret; the name of a generated Secret changes with each value. */
export function secretKeyOf(value: SharedValue): string {
  const { metadata, spec } = value
  const { applicationName, environmentId, key, secret, storeReference } = spec
  if (storeReference) return storeReference.ref
  if (secret && !hasOwnSecret(value)) return `${secret.secret}/${secret.key}`
  const environment = environmentId === undefined ? [] : ['envs', environmentId]
  return ['orgs', metadata.namespace, 'apps', applicationName, ...environment, 'secret_values', key].join(
    '--',
  )
}

/** Returns the name of the secret store. */
export function storeOf({ spec: { storeReference } }: SharedValue): string {
  return storeReference?.store ?? storeName
}

/** Converts a value for a response. */
export function toValue(value: SharedValue) {
  const { spec } = value
  const secret = spec.secret ?? spec.storeReference
  return {
    key: spec.key,
    value: secret ? '' : (spec.value ?? ''),
    is_secret: secret !== undefined,
    description: spec.description ?? null,
    created_at: createdAt(value),
    updated_at: changedAt(value),
    source: spec.environmentId === undefined ? ('app' as const) : ('env' as const),
    secret_key: secret ? secretKeyOf(value) : null,
    secret_store_id: secret ? storeOf(value) : null,
    secret_version: secret ? secretVersionOf(value) : null,
  }
}
