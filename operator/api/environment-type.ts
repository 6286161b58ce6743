import { defineKind, type ObjectOf } from './kind.ts'
import { object, string } from './schema.ts'

export const EnvironmentType = defineKind({
  kind: 'EnvironmentType',
  plural: 'environmenttypes',
  shortName: 'qmenvtype',
  description:
    'A type of environments, such as `development`. Its name is its id. Definitions match on it. Deleting it takes the roles on it along.',
  spec: object({}, { description: string('What environments of this type are for.') }, 'What the type is.'),
  status: object({}, {}, 'What the operator saw.'),
  columns: [{ name: 'Description', jsonPath: '.spec.description' }],
})
export type EnvironmentType = ObjectOf<typeof EnvironmentType>
