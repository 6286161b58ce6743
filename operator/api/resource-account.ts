import { defineKind, type ObjectOf } from './kind.ts'
import { boolean, list, object, ownedSecretNames, string } from './schema.ts'

export const ResourceAccount = defineKind({
  kind: 'ResourceAccount',
  plural: 'resourceaccounts',
  shortName: 'qmaccount',
  description: 'Credentials that drivers use. Its name is its id; the credentials are in a Secret.',
  spec: object(
    { type: string('Account type, named after the provider, such as `cloudflare`.', { maxLength: 63 }) },
    {
      displayName: string('Name for people. The id when absent.'),
      credentialsSecretName: string(
        'Secret in this namespace with one key for each field of the credentials; a key that ends in `.json` is parsed and known without the ending.',
        { maxLength: 253 },
      ),
    },
    'What the account is.',
  ),
  status: object(
    {},
    {
      check: object(
        {
          request: string('Value of the annotation that asked for it.'),
          accepted: boolean('Whether they work.'),
        },
        {
          message: string('Why not, or what could not be tried.'),
          fields: list(
            object(
              {
                id: string('Name of the field.', { maxLength: 63 }),
                description: string('What it is.'),
                value: string('Its value.'),
              },
              {},
              'A field.',
            ),
            'Whose credentials they are, as the provider says.',
            { maxItems: 32 },
          ),
        },
        'What came of the last trial of the credentials, asked for by the annotation `quartermaster.dev/check`.',
      ),
      secretNames: ownedSecretNames,
    },
    'What the operator saw.',
  ),
  columns: [{ name: 'Type', jsonPath: '.spec.type' }],
})
export type ResourceAccount = ObjectOf<typeof ResourceAccount>
