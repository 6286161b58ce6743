import type { ResourceDriver } from '../../../operator/api/resource-driver.ts'
import {
  anyValue,
  boolean,
  freeForm,
  idPattern,
  list,
  object,
  type Static,
  string,
} from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { problemOfTarget, problemsOfDriverTemplate } from '../../../operator/domain/definition/third-party.ts'
import type { DriverDescriptor } from '../../../operator/domain/resource/driver.ts'
import { problemOfPartedSchema } from '../../../operator/domain/schema/user-schema.ts'
import { newId } from '../../request/parameters.ts'
import { plainSchema } from '../../request/wire.ts'
import { named } from '../../response/shapes.ts'
import { statusMessageField, statusMessageOf } from '../active-resources/status-message.ts'

const requiredFields = {
  type: string('Resource type that it provisions.', { minLength: 1, maxLength: 127 }),
  target: string('HTTP or HTTPS URL, or `driver://<organization or vendor>/<driver>`.', {
    minLength: 1,
    maxLength: 2048,
  }),
  inputs_schema: freeForm(
    'JSON Schema of the inputs: plain inputs under `values`, secret inputs under `secrets`.',
  ),
  account_types: list(
    string('An account type.', { maxLength: 63 }),
    'Account types that the driver accepts.',
    {
      maxItems: 64,
    },
  ),
}
const optionalFields = {
  template: anyValue(
    'Template of the inputs of the wrapped driver, for a `driver://` target: a text, or an object with templates as its texts.',
  ),
  is_public: boolean('Always false: a driver belongs to its organization.'),
}

/** Request body for a new driver. */
export const newDriverShape = object(
  {
    id: newId('ID of the driver. Definitions refer to it as `<organization>/<id>`.', idPattern),
    ...requiredFields,
  },
  optionalFields,
  'A driver.',
)

/** Request body that replaces a driver. */
export const replacedDriverShape = object(requiredFields, optionalFields, 'A driver.')

/** Driver in responses. */
export const driverShape = named(
  'Driver',
  object(
    {
      org_id: string('Organization ID, or the vendor of a built-in driver.'),
      id: string('Driver ID.'),
      type: string('Resource type that it provisions. `*` for any type.'),
      inputs_schema: freeForm('JSON Schema of the inputs.'),
      account_types: list(string('An account type.'), 'Account types that the driver accepts.'),
    },
    {
      target: string('URL of the driver. Absent for a built-in driver.'),
      template: anyValue('Template of the inputs of the wrapped driver.'),
      ...statusMessageField,
    },
    'A driver.',
  ),
)

/** Converts a request to a spec; throws Invalid if the driver cannot be used. */
export function driverSpec(body: Static<typeof replacedDriverShape>): ResourceDriver['spec'] {
  const { type, target, inputs_schema: inputsSchema, account_types: accountTypes, template } = body
  if (body.is_public === true)
    throw new Problem('Invalid', "'is_public' cannot be true: a driver belongs to its organization")
  const ofTarget = problemOfTarget(target)
  if (ofTarget !== undefined) throw new Problem('Invalid', ofTarget)
  const ofSchema = problemOfPartedSchema(inputsSchema)
  if (ofSchema !== undefined) throw new Problem('Invalid', `'inputs_schema' ${ofSchema}`)
  const ofTemplate = problemsOfDriverTemplate(body)
  if (ofTemplate.length > 0) throw new Problem('Invalid', ofTemplate.join('; '))
  return { type, target, inputsSchema, accountTypes, template }
}

/** Converts a driver of an organization for a response. */
export function toDriver(driver: ResourceDriver) {
  const { metadata, spec } = driver
  const { type, target, inputsSchema = {}, accountTypes = [], template } = spec
  return {
    org_id: metadata.namespace,
    id: metadata.name,
    type,
    inputs_schema: inputsSchema,
    account_types: accountTypes,
    target,
    template,
    ...statusMessageOf(driver),
  }
}

/** Converts a built-in driver for a response. */
export function toBuiltInDriver(descriptor: DriverDescriptor, vendor: string) {
  const { name, resourceTypes, account, values, secrets } = descriptor
  return {
    org_id: vendor,
    id: name,
    type: resourceTypes?.[0] ?? '*',
    inputs_schema: {
      type: 'object',
      properties: { values: plainSchema(values), secrets: plainSchema(secrets) },
    },
    account_types: account.types,
  }
}
