import { defineKind, forNewObjects, type ObjectOf } from './kind.ts'
import { idPattern, object, string } from './schema.ts'

export const EnvironmentType = defineKind({
  kind: 'EnvironmentType',
  plural: 'environmenttypes',
  shortName: 'qmenvtype',
  description:
    'A type of environments, such as `development`. The object name is the type id. Criteria of definitions match it. Deleting the type deletes the roles on it.',
  spec: object(
    {},
    { description: string('Purpose of environments of this type.') },
    'Properties of the environment type.',
  ),
  status: object({}, {}, 'Observed state.'),
  columns: [{ name: 'Description', jsonPath: '.spec.description' }],
  rules: [
    forNewObjects({
      // As `typeName` of an environment.
      rule: `self.metadata.name.matches('${idPattern}') && size(self.metadata.name) >= 2 && size(self.metadata.name) <= 63`,
      message:
        'the name must have 2 to 63 characters: lower-case letters and digits, words joined by single hyphens',
    }),
  ],
})
export type EnvironmentType = ObjectOf<typeof EnvironmentType>
