import { defineKind, forNewObjects, type ObjectOf } from './kind.ts'
import { classPattern, freeForm, list, object, oneOf, string } from './schema.ts'

export const ResourceType = defineKind({
  kind: 'ResourceType',
  plural: 'resourcetypes',
  shortName: 'qmtype',
  description:
    'A custom resource type, named `<organization>/<name of this object>`. The type `<organization>/s3` overrides the built-in type `s3` as soon as a definition of `<organization>/s3` exists: definitions of `s3` are then not considered. Changes take effect at the next deployment.',
  spec: object(
    {
      use: oneOf(
        ['direct', 'indirect'],
        'Who may request resources of the type: `direct` for workloads and definitions, `indirect` for definitions only.',
      ),
    },
    {
      displayName: string('Display name. Defaults to the object name.'),
      category: string('Group in the portal, such as `datastore`.', { maxLength: 63 }),
      inputsSchema: freeForm(
        'JSON Schema of the inputs, which are never secret. Without it, all inputs are accepted.',
      ),
      outputsSchema: freeForm(
        'JSON Schema of the outputs: secret ones under the property `secrets`, the others under `values`.',
      ),
      classes: list(
        object(
          { name: string('Name of the class.', { maxLength: 63, pattern: classPattern }) },
          { description: string('Purpose of the class.') },
          'A class.',
        ),
        'Known classes. Other classes may be used too. For classes of a built-in type, see ResourceClass.',
        { key: 'name', maxItems: 256 },
      ),
    },
    'Inputs, outputs and use of the type.',
  ),
  status: object({}, {}, 'Observed state.'),
  columns: [
    { name: 'Use', jsonPath: '.spec.use' },
    { name: 'Category', jsonPath: '.spec.category' },
  ],
  rules: [
    {
      rule: "self.metadata.name.matches('^[a-z0-9]+(-[a-z0-9]+)*$')",
      message: 'the name must be lower-case words joined by single hyphens',
    },
    forNewObjects({
      // With its organization, a definition must be able to name the type.
      rule: 'size(self.metadata.name) <= 63',
      message: 'the name must have at most 63 characters',
    }),
  ],
})
export type ResourceType = ObjectOf<typeof ResourceType>
