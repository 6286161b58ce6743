import {
  clusterSecretsSchema,
  type Registry,
  registryAddressSchema as registry,
  registryTypes,
} from '../../../operator/api/registry.ts'
import { boolean, object, oneOf, type Static, string, time } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { knownId, newId } from '../../request/parameters.ts'
import { named, nullable } from '../../response/shapes.ts'
import { statusMessageField, statusMessageOf } from '../active-resources/status-message.ts'
import { createdAt, createdBy } from '../common/find.ts'
import { credentialsData, type SecretData } from '../common/secret-refs.ts'

type Spec = Registry['spec']

/** An object of an earlier version may have another address. */
const storedAddress = string('Host, or host and project.', { maxLength: 512 })
const type = oneOf(registryTypes, 'How images are pulled from the registry.')
const optionalFields = {
  creds: object(
    {
      username: string('User name, or `_json_key` for a Google registry.'),
      password: string('Password, token or key.', { maxLength: 65_536 }),
    },
    { expires: nullable(time('Time at which the credentials expire.')) },
    'Credentials. They are never returned.',
  ),
  secrets: clusterSecretsSchema,
  enable_ci: boolean('Whether build systems use the registry. False when absent.'),
}

/** Request body for a new registry. */
export const newRegistryShape = object(
  { id: newId('ID of the new registry.'), registry, type },
  optionalFields,
  'A registry of container images.',
)

/** Request body for changes of a registry. */
export const registryChangesShape = object(
  {},
  { id: knownId('Registry ID. It must be the ID in the path.'), registry, type, ...optionalFields },
  'Fields to change. Omitted fields keep their value.',
)

const secretsField = { secrets: clusterSecretsSchema }

/** Registry in responses, without its credentials. */
export const registryShape = named(
  'Registry',
  object(
    {
      id: string('Unique identifier.', { maxLength: 253 }),
      registry: storedAddress,
      type,
      enable_ci: boolean('Whether build systems use the registry.'),
      created_by: string(
        'ID of the user who created it through the REST API. Empty if it was created in another way.',
      ),
      created_at: time('Time when it was created.'),
    },
    { ...secretsField, ...statusMessageField },
    'A registry of container images.',
  ),
)

/** Place of the credentials of a registry in responses. */
export const credentialsShape = named(
  'RegistryCredentials',
  object(
    { registry: storedAddress },
    { expires: time('Time at which the credentials expire.'), ...secretsField },
    'Where the credentials of a registry are. User name and password are never returned.',
  ),
)

export type RegistryChanges = Static<typeof registryChangesShape>

/** The spec after changes, with the Secret that holds new credentials. Throws Invalid for credentials and references without use. */
export function changedRegistrySpec(spec: Spec, changes: RegistryChanges, secretName: string): Spec {
  const { registry = spec.registry, type = spec.type, secrets, enable_ci: enableCi, creds } = changes
  refuseUseless(type, changes)
  const takesCredentials = hasCredentials(type)
  const { secrets: references, credentialsSecretName, credentialsExpirationTime, ...others } = spec
  const isSameType = type === spec.type
  const kept = isSameType ? references : undefined
  const merged = {
    ...others,
    registry,
    type,
    // The new type may not use what the former one needed.
    secrets: type === 'secret_ref' ? (secrets ?? references) : kept,
    ...(isSameType || takesCredentials ? { credentialsSecretName, credentialsExpirationTime } : {}),
    ...(enableCi === undefined ? {} : { enableCi }),
  }
  if (!creds) return merged
  const credentialsExpiry = creds.expires ?? undefined
  return { ...merged, credentialsSecretName: secretName, credentialsExpirationTime: credentialsExpiry }
}

/** Whether registries of a type have credentials of their own. */
function hasCredentials(type: Spec['type']): boolean {
  return type !== 'public' && type !== 'secret_ref'
}

function refuseUseless(type: Spec['type'], { creds, secrets = {} }: RegistryChanges): void {
  if (creds && !hasCredentials(type))
    throw new Problem('Invalid', `a registry of type '${type}' has no 'creds'`)
  if (Object.keys(secrets).length > 0 && type !== 'secret_ref')
    throw new Problem('Invalid', `a registry of type '${type}' has no 'secrets'`)
}

/** Data of the Secret with new credentials. */
export function registryCredentials({ creds }: RegistryChanges): SecretData | undefined {
  return creds && credentialsData({ username: creds.username, password: creds.password })
}

/** Converts a registry for a response. */
export function toRegistry(object: Registry) {
  const { metadata, spec } = object
  return {
    id: metadata.name,
    registry: spec.registry,
    type: spec.type,
    enable_ci: spec.enableCi ?? false,
    created_by: createdBy(object),
    created_at: createdAt(object),
    secrets: spec.secrets,
    ...statusMessageOf(object),
  }
}

/** Says where the credentials of a registry are. */
export function toCredentials({ metadata, spec }: Registry) {
  const { credentialsSecretName } = spec
  const ours =
    credentialsSecretName === undefined
      ? undefined
      : { '*': { namespace: metadata.namespace, secret: credentialsSecretName } }
  return { registry: spec.registry, expires: spec.credentialsExpirationTime, secrets: spec.secrets ?? ours }
}
