import { freeForm, list, object, oneOf, string } from '../../operator/api/schema.ts'
import { builtInTypes, type ResourceTypeInfo } from '../../operator/domain/types.ts'
import { type Endpoint, endpoint, ok } from '../endpoint.ts'
import { named } from '../shapes.ts'

const resourceTypeShape = named(
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

function toResourceType({ type, name, use, category, inputsSchema, outputsSchema }: ResourceTypeInfo) {
  return { type, name, use, category, inputs_schema: inputsSchema, outputs_schema: outputsSchema }
}

/** Resource types. */
export const resourceTypes: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/resources/types',
    summary: 'List the resource types',
    tag: 'Resource types',
    access: { organization: 'member' },
    responses: { 200: list(resourceTypeShape, 'Resource types.') },
    handle: () => ok(builtInTypes.map(toResourceType)),
  }),
]
