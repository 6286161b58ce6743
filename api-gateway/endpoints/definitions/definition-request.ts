import {
  type Criterion,
  criterionSchema,
  provisionSchema,
} from '../../../operator/api/resource-definition.ts'
import { freeForm, list, object, type Static, string, type TUnsafe } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { driverTypePattern } from '../../../operator/domain/definition/definition.ts'
import { knownId, newId } from '../../request/parameters.ts'
import { fromWire, type Wire, wireSchema } from '../../request/wire.ts'
import { nullable } from '../../response/shapes.ts'

/** Whether legacy field names are used. */
export type FieldNaming = 'current' | 'legacy'

const values = freeForm('Inputs that are not secret. Placeholders are allowed everywhere.')
const secrets = freeForm('Secret inputs in plain text. They are stored in a Secret and never returned.')
const secretRefs = freeForm(
  'References to secret inputs; each leaf is `{store, ref, version}` or `{value}`. Cannot be combined with `secrets`.',
)
const inputs = object({}, { values, secrets, secret_refs: secretRefs }, 'Driver inputs.')
const changedInputs = object(
  {},
  { values: nullable(values), secrets: nullable(secrets), secret_refs: nullable(secretRefs) },
  'Driver inputs. Each part replaces the stored part; `null` removes it.',
)

const driverType = string('Driver type: `<vendor>/<driver>`.', {
  pattern: driverTypePattern,
  maxLength: 127,
})
const account = knownId('ID of the account whose credentials the driver uses.')
const legacyAccount = knownId('Legacy name of `driver_account`.')
const name = string('Display name.')
const provision = wireSchema(provisionSchema)
const legacyInputs = 'Legacy name of `driver_inputs`.'

const driverFields = {
  driver_account: account,
  account_id: legacyAccount,
  driver_inputs: inputs,
  driver_params: { ...inputs, description: legacyInputs },
  provision,
}

const criterionFields = wireSchema(criterionSchema) as TUnsafe<Wire<Criterion>> & {
  readonly properties: object
} // an object schema

export const criterionRequest = {
  ...criterionFields,
  properties: {
    ...criterionFields.properties,
    id: { ...string('ID of the criterion, as in responses. Not read.'), readOnly: true },
  },
  description:
    'A matching criterion. `{}` matches every context of class `default`. A criterion that has only unknown fields, or a misspelt one, is rejected.',
}

export const criteriaRequest = list(criterionRequest, 'Matching criteria.', { maxItems: 256 })

/** Request body for a new definition, with current or legacy field names. */
export const newDefinitionShape = object(
  {
    id: newId('ID of the new definition.'),
    name,
    type: string('Resource type that it provisions.', { maxLength: 127 }),
    driver_type: driverType,
  },
  { ...driverFields, criteria: criteriaRequest },
  'A resource definition.',
)

/** Request body that replaces a definition, with current or legacy field names. */
export const replacementShape = object(
  { name },
  { driver_type: driverType, ...driverFields },
  'New content of a resource definition. The ID, type and criteria do not change, nor does the driver type if it is omitted.',
)

/** Request body for changes of a definition, with current or legacy field names. */
export const changeShape = object(
  {},
  {
    name,
    driver_type: driverType,
    driver_account: nullable(account),
    account_id: nullable(legacyAccount),
    driver_inputs: nullable(changedInputs),
    driver_params: nullable({ ...changedInputs, description: legacyInputs }),
    provision: nullable(provision),
  },
  'Fields to change. `null` removes the account, the inputs or the co-provisioned resources.',
)

export type NewDefinition = Static<typeof newDefinitionShape>
export type Change = Static<typeof changeShape>
export type ChangedInputs = Static<typeof changedInputs>

export function criterionOf(given: Wire<Criterion>): Criterion {
  return fromWire(criterionSchema, given)
}

/** Fields with a legacy name. */
type RenamedFields = Pick<Change, 'driver_account' | 'account_id' | 'driver_inputs' | 'driver_params'>

/** Returns the account of a request: null removes it, undefined keeps it. */
export function accountOf({ driver_account: current, account_id: legacy }: RenamedFields) {
  if (current !== undefined && legacy !== undefined && current !== legacy)
    throw new Problem('Invalid', "'driver_account' and 'account_id' are the same field and must not differ")
  return current === undefined ? legacy : current
}

/** Returns the inputs of a request: null removes them, undefined keeps them. */
export function inputsOf({
  driver_params: legacy,
  driver_inputs: current,
}: RenamedFields): ChangedInputs | null | undefined {
  if (!legacy || !current) return current ?? legacy
  const merged = { ...legacy, ...current }
  const both = { ...legacy.values, ...current.values }
  return Object.keys(both).length > 0 ? { ...merged, values: both } : merged
}

/** Returns the field names of the response: those of the request, otherwise those of the path. */
export function fieldNamingOf(body: RenamedFields, ofPath: FieldNaming): FieldNaming {
  if (body.driver_params !== undefined || body.account_id !== undefined) return 'legacy'
  return body.driver_inputs !== undefined || body.driver_account !== undefined ? 'current' : ofPath
}
