import { defineKind, type ObjectOf } from './kind.ts'
import { id, object, string } from './schema.ts'

export const ResourceClass = defineKind({
  kind: 'ResourceClass',
  plural: 'resourceclasses',
  shortName: 'qmclass',
  description:
    'A known class of a built-in resource type. The object name is `<type>.<class>`. Classes without an object may be used too. The classes of a custom type are in the ResourceType.',
  spec: object(
    {
      typeName: id('Built-in resource type, such as `mysql`; not an override of it. Immutable.'),
      className: string('Name of the class, as criteria use it. Immutable.', {
        pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
        maxLength: 63,
      }),
    },
    { description: string('Purpose of the class.') },
    'Type and name of the class.',
  ),
  columns: [
    { name: 'Type', jsonPath: '.spec.typeName' },
    { name: 'Class', jsonPath: '.spec.className' },
    { name: 'Description', jsonPath: '.spec.description' },
  ],
  rules: [
    {
      // The name of an object is immutable, so this makes both fields immutable.
      rule: "self.metadata.name == self.spec.typeName + '.' + self.spec.className",
      message: 'the name must be <type>.<class>, made from typeName and className',
    },
  ],
})
export type ResourceClass = ObjectOf<typeof ResourceClass>
