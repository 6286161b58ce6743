import { defineKind, type ObjectOf } from './kind.ts'
import { object, string } from './schema.ts'

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
})
export type EnvironmentType = ObjectOf<typeof EnvironmentType>
