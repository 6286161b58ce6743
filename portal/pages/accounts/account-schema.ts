import type { FreeForm } from '../../../operator/api/schema.ts'
import { isObject, ownValue } from '../../../operator/domain/base/json.ts'
import type { AccountType, Driver, ResourceAccount } from '../../api/types.ts'
import { memberPointer } from '../../forms/model/pointer.ts'
import { changed } from '../../managing/changed.ts'

/** Account types that can be chosen: the known ones, and those that drivers of the organization accept. */
function typeOptions(types: readonly AccountType[], drivers: readonly Driver[]) {
  const known = types.map(({ type, name }) => ({
    const: type,
    title: name === type ? type : `${name} (${type})`,
  }))
  const ofDrivers = [...new Set(drivers.flatMap(({ account_types }) => account_types))]
  const others = ofDrivers.filter((each) => !types.some(({ type }) => type === each))
  return [...known, ...others.map((each) => ({ const: each, title: each }))]
}

const name = { type: 'string', title: 'Name' }

/** The schema of the form for a new account, without its credentials. */
export function newAccountSchema(types: readonly AccountType[], drivers: readonly Driver[]): FreeForm {
  return {
    type: 'object',
    properties: {
      id: {
        type: 'string',
        title: 'ID',
        description: 'Lowercase letters, digits and hyphens. It cannot be changed later.',
      },
      name: { ...name, description: 'The ID when empty.' },
      type: { type: 'string', title: 'Type', oneOf: typeOptions(types, drivers) },
    },
    required: ['id', 'type'],
    additionalProperties: false,
  }
}

/** The schema of the form for the name of an account. */
export const accountSchema: FreeForm = {
  type: 'object',
  properties: { name },
  required: ['name'],
  additionalProperties: false,
}

/** The schema of the credentials of an account type; any credentials if it has none. */
export function credentialsSchema(types: readonly AccountType[], type: string): FreeForm {
  return types.find((each) => each.type === type)?.inputs_schema ?? {}
}

/** Pointers of the credentials that an account has, as far as its type says so. */
export function storedCredentials(schema: FreeForm): ReadonlySet<string> {
  const properties = ownValue(schema, 'properties')
  return new Set(isObject(properties) ? Object.keys(properties).map((key) => memberPointer('', key)) : [])
}

/** Body of a request for a new account. */
export function newAccountBody(settings: unknown, credentials: unknown) {
  const given = isObject(settings) ? settings : ({} as FreeForm)
  const { id } = given
  return {
    id: String(id),
    name: String(given['name'] ?? id),
    type: String(given['type']),
    credentials: isObject(credentials) ? credentials : {},
  }
}

/** Body of a request that changes an account: only what was changed. Without new credentials, the stored ones are kept. */
export function changedAccountBody(
  settings: unknown,
  credentials: unknown,
  before: Pick<ResourceAccount, 'name'>,
) {
  const given = isObject(settings) ? settings : ({} as FreeForm)
  const hasNew = isObject(credentials) && Object.keys(credentials).length > 0
  return { name: changed(String(given['name']), before.name), credentials: hasNew ? credentials : undefined }
}
