import type { ResourceType } from '../../../operator/api/resource-type.ts'
import { freeForm, object, oneOf, type Static, string } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import type { ResourceTypeInfo } from '../../../operator/domain/resource/type-info.ts'
import { problemOfPartedSchema, problemOfSchema } from '../../../operator/domain/schema/user-schema.ts'
import { named } from '../../response/shapes.ts'

const use = oneOf(['direct', 'indirect'], 'Whether workloads ask for it, or definitions alone.')

const optionalFields = {
  name: string('Name for people. The name without the organization when absent.'),
  category: string('Group in the portal.', { maxLength: 63 }),
  inputs_schema: freeForm('JSON Schema of the inputs. Anything when absent.'),
  outputs_schema: freeForm(
    'JSON Schema of the outputs: the secret ones under `secrets`, the others under `values`.',
  ),
}

/** A new custom type. */
export const newResourceTypeShape = object(
  { type: string('Name, as `<organization>/<name>`.', { maxLength: 127 }), use },
  optionalFields,
  'A custom resource type.',
)

/** All of a custom type but its name. */
export const replacedResourceTypeShape = object({ use }, optionalFields, 'A custom resource type.')

/** What may be changed of a custom type. */
export const changedResourceTypeShape = object({}, { use, ...optionalFields }, 'What changes of it.')

/** A type as REST shows it. */
export const resourceTypeShape = named(
  'ResourceType',
  object(
    {
      type: string('Name; `<organization>/<name>` for a custom type.'),
      name: string('Name for people.'),
      use: oneOf(['direct', 'indirect', 'implicit'], 'How it comes into a deployment.'),
      category: string('Group in the portal.'),
      inputs_schema: freeForm('JSON Schema of the inputs.'),
      outputs_schema: freeForm('JSON Schema of the outputs: `values`, and `secrets` that are secret.'),
    },
    {},
    'A resource type.',
  ),
)

/** A type in the shape of REST; its schemas are as they were given. */
export function toResourceType({
  type,
  name,
  use: usedBy,
  category,
  inputsSchema,
  outputsSchema,
}: ResourceTypeInfo) {
  return { type, name, use: usedBy, category, inputs_schema: inputsSchema, outputs_schema: outputsSchema }
}

/** The fields that a request gives, in the spelling of the kind; refuses schemas that cannot be used. */
export function specPartOf(
  body: Static<typeof changedResourceTypeShape>,
): Omit<Partial<ResourceType['spec']>, 'classes'> {
  const { name, category, inputs_schema: inputsSchema, outputs_schema: outputsSchema } = body
  refuseFaulty('inputs_schema', inputsSchema && problemOfSchema(inputsSchema))
  refuseFaulty('outputs_schema', outputsSchema && problemOfPartedSchema(outputsSchema))
  return {
    ...(body.use === undefined ? {} : { use: body.use }),
    ...(name === undefined ? {} : { displayName: name }),
    ...(category === undefined ? {} : { category }),
    ...(inputsSchema === undefined ? {} : { inputsSchema }),
    ...(outputsSchema === undefined ? {} : { outputsSchema }),
  }
}

function refuseFaulty(field: string, fault: string | undefined): void {
  if (fault !== undefined) throw new Problem('Invalid', `'${field}' ${fault}`)
}
