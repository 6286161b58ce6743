import { defineKind, type ObjectOf } from './kind.ts'
import { object, string } from './schema.ts'

export const Application = defineKind({
  kind: 'Application',
  plural: 'applications',
  shortName: 'qmapp',
  description:
    'An application of the organization. Its name is its id. Deleting it deletes its environments.',
  spec: object(
    {},
    { displayName: string('Name for people. The id when absent.') },
    'What the application is.',
  ),
  status: object({}, {}, 'What the operator saw.'),
  rules: [
    {
      rule: "self.metadata.name.matches('^[a-z0-9]+(-[a-z0-9]+)*$') && size(self.metadata.name) >= 2 && size(self.metadata.name) <= 50",
      message: 'the name is the id: 2 to 50 lower-case letters and digits, words joined by single hyphens',
    },
  ],
})
export type Application = ObjectOf<typeof Application>
