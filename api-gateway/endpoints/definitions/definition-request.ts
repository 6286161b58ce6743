import {
  type Criterion,
  criterionSchema,
  provisionSchema,
} from '../../../operator/api/resource-definition.ts'
import { freeForm, list, object, type Static, string } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { knownId, newId } from '../../request/parameters.ts'
import { fromWire, type Wire, wireSchema } from '../../request/wire.ts'
import { nullable } from '../../response/shapes.ts'

/** Names of the fields that the older spelling calls otherwise. */
export type Spelling = 'current' | 'older'

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
  pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9][A-Za-z0-9_.-]*$',
  maxLength: 127,
})
const account = knownId('ID of the account whose credentials the driver uses.')
const olderAccount = knownId('Legacy name of `driver_account`.')
const name = string('Display name.')
const provision = wireSchema(provisionSchema)
const inOlderSpelling = 'Legacy name of `driver_inputs`.'

const driverFields = {
  driver_account: account,
  account_id: olderAccount,
  driver_inputs: inputs,
  driver_params: { ...inputs, description: inOlderSpelling },
  provision,
}

/** A context, as a request gives it. */
export const criterionRequest = {
  ...wireSchema(criterionSchema),
  description:
    'A matching criterion. `{}` matches every context of class `default`. A criterion that has only unknown fields is rejected.',
}

/** Contexts, as a request gives them. */
export const criteriaRequest = list(criterionRequest, 'Matching criteria.', { maxItems: 256 })

/** A new definition, in either spelling. */
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

/** All that can be replaced of a definition, in either spelling. */
export const replacementShape = object(
  { name },
  { driver_type: driverType, ...driverFields },
  'New content of a resource definition. The ID, type and criteria do not change, nor does the driver type if it is omitted.',
)

/** Changes to a definition, in either spelling. */
export const changeShape = object(
  {},
  {
    name,
    driver_type: driverType,
    driver_account: nullable(account),
    account_id: nullable(olderAccount),
    driver_inputs: nullable(changedInputs),
    driver_params: nullable({ ...changedInputs, description: inOlderSpelling }),
    provision: nullable(provision),
  },
  'Fields to change. `null` removes the account, the inputs or the co-provisioned resources.',
)

export type NewDefinition = Static<typeof newDefinitionShape>
export type Change = Static<typeof changeShape>
export type ChangedInputs = Static<typeof changedInputs>

/** The criterion of a request; one of which only misspelt fields are left is refused: it would fit everything. */
export function criterionOf(given: Wire<Criterion>): Criterion {
  const criterion = fromWire(criterionSchema, given)
  // Clients send back the id that they were answered; null is as good as absent.
  const unknown = Object.entries(given).flatMap(([key, value]) =>
    key === 'id' || value === null ? [] : [key],
  )
  if (unknown.length === 0 || Object.keys(criterion).length > 0) return criterion
  const shown = unknown.slice(0, 5).map((key) => `'${key.slice(0, 63)}'`)
  const { properties = {} } = criterionRequest as { properties?: object } // a schema
  const known = Object.keys(properties).join(', ')
  throw new Problem(
    'Invalid',
    `a criterion has only unknown fields: ${shown.join(', ')}; known fields are ${known}`,
  )
}

/** Fields of a request that have two spellings. */
type TwiceSpelled = Pick<Change, 'driver_account' | 'account_id' | 'driver_inputs' | 'driver_params'>

/** The account of a request; null where it takes it away, undefined where it says nothing. */
export function accountOf({ driver_account: current, account_id: older }: TwiceSpelled) {
  if (current !== undefined && older !== undefined && current !== older)
    throw new Problem('Invalid', "'driver_account' and 'account_id' are the same field and must not differ")
  return current === undefined ? older : current
}

/** The inputs of a request, which may mix both spellings; null where it takes them away. */
export function inputsOf({
  driver_params: older,
  driver_inputs: current,
}: TwiceSpelled): ChangedInputs | null | undefined {
  if (!older || !current) return current ?? older
  const merged = { ...older, ...current }
  const both = { ...older.values, ...current.values }
  return Object.keys(both).length > 0 ? { ...merged, values: both } : merged
}

/** A request that uses the older names is answered in them; one that uses neither is answered as its path says. */
export function spellingOf(body: TwiceSpelled, ofPath: Spelling): Spelling {
  if (body.driver_params !== undefined || body.account_id !== undefined) return 'older'
  return body.driver_inputs !== undefined || body.driver_account !== undefined ? 'current' : ofPath
}
