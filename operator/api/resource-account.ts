import { defineKind, type ObjectOf } from './kind.ts'
import { boolean, list, object, ownedSecretNames, string } from './schema.ts'

export const ResourceAccount = defineKind({
  kind: 'ResourceAccount',
  plural: 'resourceaccounts',
  shortName: 'qmaccount',
  description: 'Credentials for drivers. The object name is the account id. A Secret holds the credentials.',
  spec: object(
    { type: string('Account type, named after the provider, such as `cloudflare`.', { maxLength: 63 }) },
    {
      displayName: string('Display name. Defaults to the id.'),
      credentialsSecretName: string(
        'Secret in this namespace with one key per field of the credentials. The value of a key that ends in `.json` is parsed as JSON, and the field is named without the ending.',
        { maxLength: 253 },
      ),
    },
    'Type and credentials of the account.',
  ),
  status: object(
    {},
    {
      check: object(
        {
          request: string('Value of the annotation that requested the check.'),
          accepted: boolean('Whether the provider accepted the credentials.'),
        },
        {
          message: string('Why the provider refused the credentials, or what could not be checked.'),
          fields: list(
            object(
              {
                id: string('Name of the field.', { maxLength: 63 }),
                description: string('Description of the field.'),
                value: string('Value of the field.'),
              },
              {},
              'A property of the credentials.',
            ),
            'Owner of the credentials, as the provider reports it.',
            { maxItems: 32 },
          ),
        },
        'Result of the last check of the credentials. Set the annotation `quartermaster.dev/check` to request a check.',
      ),
      secretNames: ownedSecretNames,
    },
    'Observed state.',
  ),
  columns: [{ name: 'Type', jsonPath: '.spec.type' }],
})
export type ResourceAccount = ObjectOf<typeof ResourceAccount>
