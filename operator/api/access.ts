import { defineKind, type ObjectOf } from './kind.ts'
import { id, list, object, oneOf, string, time } from './schema.ts'

/** Role in an organization. */
export const organizationRole = oneOf(
  ['member', 'artefactContributor', 'orgViewer', 'manager', 'administrator'],
  'Role in the organization.',
)

/** Role on an application. */
export const applicationRole = oneOf(['viewer', 'developer', 'owner'], 'Role on the application.')

/** Role on an environment type. */
export const environmentTypeRole = oneOf(['deployer'], 'Role on the environment type.')

export const User = defineKind({
  kind: 'User',
  plural: 'users',
  shortName: 'qmuser',
  inCategory: false,
  description:
    'Somebody, or a service, that uses the REST interface. Its name is its id. Lives in the system namespace.',
  spec: object(
    { type: oneOf(['human', 'service'], 'A human, or a service that belongs to one organization.') },
    {
      displayName: string('Name for people. The id when absent.'),
      email: string('Mail address.', { maxLength: 320 }),
      organizationName: id('Organization of a service user.'),
    },
    'Who it is.',
  ),
  columns: [
    { name: 'Type', jsonPath: '.spec.type' },
    { name: 'Organization', jsonPath: '.spec.organizationName' },
  ],
})
export type User = ObjectOf<typeof User>

export const AccessToken = defineKind({
  kind: 'AccessToken',
  plural: 'accesstokens',
  shortName: 'qmtoken',
  inCategory: false,
  description:
    'An API token of a user; deleting it revokes it. Only a hash of it is kept. Lives in the system namespace.',
  spec: object(
    {
      userName: string('User that the token speaks for.', { maxLength: 253 }),
      sha256: string('SHA-256 of the whole token, in lower-case hex.', {
        pattern: '^[0-9a-f]{64}$',
        maxLength: 64,
      }),
    },
    {
      description: string('What the token is for.'),
      expirationTime: time('When it ceases to work. Never when absent.'),
    },
    'What the token is.',
  ),
  columns: [
    { name: 'User', jsonPath: '.spec.userName' },
    { name: 'Expires', jsonPath: '.spec.expirationTime' },
  ],
})
export type AccessToken = ObjectOf<typeof AccessToken>

export const Membership = defineKind({
  kind: 'Membership',
  plural: 'memberships',
  shortName: 'qmmember',
  inCategory: false,
  description: 'What a user may do in this organization. Its name is the id of the user.',
  spec: object(
    { role: organizationRole },
    {
      applications: list(
        object(
          { applicationName: id('Application.'), role: applicationRole },
          {},
          'A role on an application.',
        ),
        'Roles on applications.',
        { key: 'applicationName', maxItems: 1000 },
      ),
      environmentTypes: list(
        object(
          { environmentTypeName: id('Environment type.'), role: environmentTypeRole },
          {},
          'A role on an environment type.',
        ),
        'Roles on environment types.',
        { key: 'environmentTypeName', maxItems: 1000 },
      ),
    },
    'The roles.',
  ),
  columns: [{ name: 'Role', jsonPath: '.spec.role' }],
})
export type Membership = ObjectOf<typeof Membership>
