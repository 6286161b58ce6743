import { defineKind, type ObjectOf } from './kind.ts'
import { id, object, string } from './schema.ts'

export const ResourceClass = defineKind({
  kind: 'ResourceClass',
  plural: 'resourceclasses',
  shortName: 'qmclass',
  description:
    'A class of a built-in resource type that is known, named `<type>.<class>`; other classes may be used as well. The classes of a custom type are in the ResourceType itself.',
  spec: object(
    {
      typeName: id(
        'Built-in type that it is a class of, such as `mysql`; not an override of it. Cannot be changed.',
      ),
      className: string('Name of the class, which may be used as it is in criteria. Cannot be changed.', {
        pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
        maxLength: 63,
      }),
    },
    { description: string('What the class is for.') },
    'What the class is.',
  ),
  columns: [
    { name: 'Type', jsonPath: '.spec.typeName' },
    { name: 'Class', jsonPath: '.spec.className' },
    { name: 'Description', jsonPath: '.spec.description' },
  ],
  rules: [
    {
      // Names of objects cannot be changed, and so neither can what they are made of.
      rule: "self.metadata.name == self.spec.typeName + '.' + self.spec.className",
      message: 'the name must be <type>.<class>, as typeName and className say',
    },
  ],
})
export type ResourceClass = ObjectOf<typeof ResourceClass>
