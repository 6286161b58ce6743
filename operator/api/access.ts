import { defineKind, type ObjectOf } from './kind.ts'
import { id, list, object, oneOf, string, time } from './schema.ts'

/** Role in an organization. */
export const organizationRole = oneOf(
  ['member', 'artefactContributor', 'orgViewer', 'manager', 'administrator'],
  'Role in the organization: `administrator` has all rights, `manager` may create applications, `orgViewer` may view all applications; `member` and `artefactContributor` give no rights on applications.',
)

/** Role on an application. */
export const applicationRole = oneOf(
  ['viewer', 'developer', 'owner'],
  'Role on the application; each role includes those before it.',
)

/** Role on an environment type. */
export const environmentTypeRole = oneOf(
  ['deployer'],
  'Role on the environment type: `deployer` may deploy to its environments.',
)

export const User = defineKind({
  kind: 'User',
  plural: 'users',
  shortName: 'qmuser',
  inCategory: false,
  description:
    'A person or service that uses the REST API. The object name is the user id. Users are in the system namespace.',
  spec: object(
    {
      type: oneOf(
        ['human', 'service'],
        'Kind of user: a person, or a service that belongs to one organization.',
      ),
    },
    {
      displayName: string('Display name. Defaults to the id.'),
      email: string('Email address.', { maxLength: 320 }),
      organizationName: id('Organization that a service user belongs to.'),
    },
    'Identity of the user.',
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
    'An API token of a user. Only a hash of the token is stored. Delete the object to revoke the token. Access tokens are in the system namespace.',
  spec: object(
    {
      userName: string('User that the token authenticates.', { maxLength: 253 }),
      sha256: string('SHA-256 of the token, in lower-case hexadecimal.', {
        pattern: '^[0-9a-f]{64}$',
        maxLength: 64,
      }),
    },
    {
      description: string('Purpose of the token.'),
      expirationTime: time('Time at which the token expires. A token without it does not expire.'),
    },
    'User, hash and expiry of the token.',
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
  description: 'The roles of a user in this organization. The object name is the user id.',
  spec: object(
    { role: organizationRole },
    {
      applications: list(
        object(
          { applicationName: id('Application id.'), role: applicationRole },
          {},
          'A role on an application.',
        ),
        'Roles on applications.',
        { key: 'applicationName', maxItems: 1000 },
      ),
      environmentTypes: list(
        object(
          { environmentTypeName: id('Environment type id.'), role: environmentTypeRole },
          {},
          'A role on an environment type.',
        ),
        'Roles on environment types.',
        { key: 'environmentTypeName', maxItems: 1000 },
      ),
    },
    'Roles of the user.',
  ),
  columns: [{ name: 'Role', jsonPath: '.spec.role' }],
})
export type Membership = ObjectOf<typeof Membership>
