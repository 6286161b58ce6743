import { defineKind, type ObjectOf } from './kind.ts'
import { object, string } from './schema.ts'

export const Application = defineKind({
  kind: 'Application',
  plural: 'applications',
  shortName: 'qmapp',
  description:
    'An application of the organization. The object name is the application id. Deleting the application deletes its environments.',
  spec: object(
    {},
    { displayName: string('Display name. Defaults to the id.') },
    'Properties of the application.',
  ),
  status: object({}, {}, 'Observed state.'),
  rules: [
    {
      rule: "self.metadata.name.matches('^[a-z0-9]+(-[a-z0-9]+)*$') && size(self.metadata.name) >= 2 && size(self.metadata.name) <= 50",
      message:
        'the name must have 2 to 50 characters: lower-case letters and digits, words joined by single hyphens',
    },
  ],
})
export type Application = ObjectOf<typeof Application>
