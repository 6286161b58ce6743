import { defineKind, type ObjectOf } from './kind.ts'
import { freeForm, list, object, oneOf, string } from './schema.ts'

export const ResourceType = defineKind({
  kind: 'ResourceType',
  plural: 'resourcetypes',
  shortName: 'qmtype',
  description:
    'A custom resource type, `<organization>/<name of this object>`. With the name of a built-in type it overrides that one. A change takes effect at the next deployment.',
  spec: object(
    { use: oneOf(['direct', 'indirect'], 'Whether workloads ask for it, or definitions alone.') },
    {
      displayName: string('Name for people. The name of the object when absent.'),
      category: string('Group in the portal, such as `datastore`.', { maxLength: 63 }),
      inputsSchema: freeForm('JSON Schema of the inputs; they are never secret. Anything when absent.'),
      outputsSchema: freeForm(
        'JSON Schema of the outputs: the secret ones under the property `secrets`, the others under `values`.',
      ),
      classes: list(
        object(
          { name: string('Name of the class.', { maxLength: 63 }) },
          { description: string('What the class is for.') },
          'A class.',
        ),
        'Classes that are known; others may be used as well. Those of a built-in type are objects of their own, see ResourceClass.',
        { key: 'name', maxItems: 256 },
      ),
    },
    'What resources of the type take and give.',
  ),
  status: object({}, {}, 'What the operator saw.'),
  columns: [
    { name: 'Use', jsonPath: '.spec.use' },
    { name: 'Category', jsonPath: '.spec.category' },
  ],
  rules: [
    {
      rule: "self.metadata.name.matches('^[a-z0-9]+(-[a-z0-9]+)*$')",
      message: 'the name must be lower-case words joined by single hyphens',
    },
  ],
})
export type ResourceType = ObjectOf<typeof ResourceType>
