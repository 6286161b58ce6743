import type { ResourceClass } from '../../../operator/api/resource-class.ts'
import type { ResourceType } from '../../../operator/api/resource-type.ts'
import { object, type Static, string, time } from '../../../operator/api/schema.ts'
import { named } from '../../response/shapes.ts'
import { createdAt, createdBy } from '../common/find.ts'

/** Class in responses. */
export const resourceClassShape = named(
  'ResourceClass',
  object(
    {
      id: string('Class ID.'),
      resource_type: string('Resource type of the class.'),
      description: string('Description.'),
      created_by: string(
        'ID of the user who created it through the REST API, or who created its type if that is a custom type. Empty if it was created in another way.',
      ),
      created_at: time('Time when it was created, or when its type was created if that is a custom type.'),
    },
    {},
    'A class of a resource type.',
  ),
)
export type ShownClass = Static<typeof resourceClassShape>

/** Converts a class of a built-in type for a response. */
export function toBuiltInClass(object: ResourceClass): ShownClass {
  const { className: id, typeName: resource_type, description = '' } = object.spec
  return { id, resource_type, description, created_by: createdBy(object), created_at: createdAt(object) }
}

/** Converts the classes of a custom type for a response. */
export function toCustomClasses(type: ResourceType): ShownClass[] {
  const { metadata, spec } = type
  return (spec.classes ?? []).map(({ name, description = '' }) => ({
    id: name,
    resource_type: `${metadata.namespace}/${metadata.name}`,
    description,
    created_by: createdBy(type),
    created_at: createdAt(type),
  }))
}
