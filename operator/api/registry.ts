import { defineKind, type ObjectOf } from './kind.ts'
import { boolean, map, object, oneOf, ownedSecretNames, string, time } from './schema.ts'

export const registryTypes = ['public', 'basic', 'google_gcr', 'amazon_ecr', 'secret_ref'] as const

/** Keys of the Secret with the credentials of a registry. */
export const registrySecretKeys = { username: 'username', password: 'password' } as const

/** References to Secrets by cluster, as REST clients send them. */
export const clusterSecretsSchema = map(
  object(
    {
      namespace: string('Namespace of the Secret.', { maxLength: 253 }),
      secret: string('Name of the Secret.', { maxLength: 1024 }),
    },
    {},
    'A Secret of type `kubernetes.io/dockerconfigjson`.',
  ),
  'For type `secret_ref`: the Secret with the credentials, by cluster. The entry `*` is for every cluster; a single entry may have any key. The Secret must be in the namespace of the organization.',
  { maxProperties: 100 },
)

/** An address in the form of image references, without a tag: one with a tag, a user or a wildcard would fit no image. */
export const registryAddressSchema = string(
  'Host, or host and project, such as `registry.example.com/shop`.',
  {
    minLength: 1,
    maxLength: 512,
    pattern: '^(https?://)?([A-Za-z0-9.-]+|\\[[A-Fa-f0-9:]+\\])(:[0-9]+)?(/[A-Za-z0-9._/-]*)?$',
  },
)

export const Registry = defineKind({
  kind: 'Registry',
  plural: 'registries',
  shortName: 'qmregistry',
  description:
    'A registry of container images. The object name is the registry id. Workloads with images of the registry get an image pull Secret with its credentials.',
  spec: object(
    {
      registry: registryAddressSchema,
      type: oneOf(
        registryTypes,
        'How images are pulled: without credentials (`public`), with user name and password (`basic`, and `google_gcr` with the user name `_json_key`), or with an existing Secret (`secret_ref`). Tokens of `amazon_ecr` expire and are not renewed: use `secret_ref` and a tool that renews the Secret.',
      ),
    },
    {
      credentialsSecretName: string(
        'Secret in this namespace with the keys `username` and `password`, for the types `basic` and `google_gcr`.',
        { maxLength: 253 },
      ),
      credentialsExpirationTime: time('Time at which the credentials expire. Informational.'),
      secrets: clusterSecretsSchema,
      enableCi: boolean('Whether build systems use the registry. Informational. Defaults to false.'),
    },
    'Address and credentials of the registry.',
  ),
  status: object({}, { secretNames: ownedSecretNames }, 'Observed state.'),
  columns: [
    { name: 'Registry', jsonPath: '.spec.registry' },
    { name: 'Type', jsonPath: '.spec.type' },
  ],
})
export type Registry = ObjectOf<typeof Registry>
