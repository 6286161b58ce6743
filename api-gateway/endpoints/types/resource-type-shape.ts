import type { ResourceType } from '../../../operator/api/resource-type.ts'
import { freeForm, object, oneOf, type Static, string } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import type { ResourceTypeInfo } from '../../../operator/domain/resource/type-info.ts'
import { warningsOfSchemas } from '../../../operator/domain/schema/misspelt-keywords.ts'
import { problemOfPartedSchema, problemOfSchema } from '../../../operator/domain/schema/user-schema.ts'
import { named } from '../../response/shapes.ts'
import { conditionMessageSchema } from '../active-resources/status-message.ts'

const use = oneOf(
  ['direct', 'indirect'],
  'Whether workloads (`direct`) or only definitions (`indirect`) can request the type.',
)

const optionalFields = {
  name: string('Display name. When absent, the type name without the organization.'),
  category: string('Category, which groups types in the portal.', { maxLength: 63 }),
  inputs_schema: freeForm('JSON Schema of the inputs. When absent, any inputs are accepted.'),
  outputs_schema: freeForm(
    'JSON Schema of the outputs: plain outputs under `values`, secret outputs under `secrets`.',
  ),
}

/** Request body for a new custom type. */
export const newResourceTypeShape = object(
  { type: string('Type name: `<organization>/<name>`.', { maxLength: 127 }), use },
  optionalFields,
  'A custom resource type.',
)

/** Request body that replaces a custom type. */
export const replacedResourceTypeShape = object({ use }, optionalFields, 'A custom resource type.')

/** Request body for changes of a custom type. */
export const changedResourceTypeShape = object({}, { use, ...optionalFields }, 'Fields to change.')

/** Resource type in responses. */
export const resourceTypeShape = named(
  'ResourceType',
  object(
    {
      type: string('Type name. `<organization>/<name>` for a custom type.'),
      name: string('Display name.'),
      use: oneOf(
        ['direct', 'indirect', 'implicit'],
        'How resources of the type become part of a deployment.',
      ),
      category: string('Category, which groups types in the portal.'),
      inputs_schema: freeForm('JSON Schema of the inputs.'),
      outputs_schema: freeForm(
        'JSON Schema of the outputs: plain outputs under `values`, secret outputs under `secrets`.',
      ),
    },
    {
      status_message: conditionMessageSchema(
        'A warning about the schemas, such as a misspelt keyword. Absent if there is none.',
      ),
    },
    'A resource type.',
  ),
)

/** Converts a type for a response. */
export function toResourceType({
  type,
  name,
  use: usedBy,
  category,
  inputsSchema,
  outputsSchema,
}: ResourceTypeInfo) {
  const warnings = warningsOfSchemas({ inputsSchema, outputsSchema })
  return {
    type,
    name,
    use: usedBy,
    category,
    inputs_schema: inputsSchema,
    outputs_schema: outputsSchema,
    status_message: warnings.length === 0 ? undefined : `DoubtfulSchema: ${warnings.join('; ')}`,
  }
}

/** Converts the fields of a request to a spec; throws Invalid if a schema cannot be used. */
export function specPartOf(
  body: Static<typeof changedResourceTypeShape>,
): Omit<Partial<ResourceType['spec']>, 'classes'> {
  const { name, category, inputs_schema: inputsSchema, outputs_schema: outputsSchema } = body
  refuseProblem('inputs_schema', inputsSchema && problemOfSchema(inputsSchema))
  refuseProblem('outputs_schema', outputsSchema && problemOfPartedSchema(outputsSchema))
  return {
    ...(body.use === undefined ? {} : { use: body.use }),
    ...(name === undefined ? {} : { displayName: name }),
    ...(category === undefined ? {} : { category }),
    ...(inputsSchema === undefined ? {} : { inputsSchema }),
    ...(outputsSchema === undefined ? {} : { outputsSchema }),
  }
}

function refuseProblem(field: string, problem: string | undefined): void {
  if (problem !== undefined) throw new Problem('Invalid', `'${field}' ${problem}`)
}
