import { Registry, registrySecretKeys } from '../../api/registry.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { isPresent } from '../../domain/base/object-problem.ts'
import {
  type PullCredentials,
  parseDockerConfig,
  pullSecretKey,
  registriesFor,
  secretOfRegistry,
} from '../../domain/image/pull-secret.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { conditionOf } from '../../kube/loop/outcome.ts'
import { createSecretReader, type SecretReader } from '../shared/secrets.ts'

/** Credentials of the registries that images come from; a registry that is not ready gives none. */
export async function pullCredentialsFor(
  images: readonly string[],
  namespace: string,
  { store }: Cluster,
  reader: SecretReader,
): Promise<PullCredentials[]> {
  const ready = images.length === 0 ? [] : store.list(Registry, namespace).filter(isUsable)
  const credentials = registriesFor(images, ready).map((each) => readCredentials(each, reader))
  return (await Promise.all(credentials)).filter((each) => each !== undefined)
}

/** The credentials of a registry; undefined without. Throws Waiting without the Secret, and Stalled for other content. */
export function readPullCredentials(
  registry: Registry,
  { client }: Cluster,
): Promise<PullCredentials | undefined> {
  return readCredentials(registry, createSecretReader(client))
}

async function readCredentials(
  { metadata, spec }: Registry,
  reader: SecretReader,
): Promise<PullCredentials | undefined> {
  const secret = secretOfRegistry(spec)
  if (!secret) return undefined
  const content = await reader.read(metadata.namespace, secret.name)
  if (spec.type === 'secret_ref') {
    const dockerConfig = content[pullSecretKey]
    if (typeof dockerConfig === 'string' && parseDockerConfig(dockerConfig))
      return { registry: spec.registry, dockerConfig }
    throw invalid(
      secret.name,
      `must be of type kubernetes.io/dockerconfigjson, with the key '${pullSecretKey}'`,
    )
  }
  const { [registrySecretKeys.username]: username, [registrySecretKeys.password]: password } = content
  if (typeof username === 'string' && typeof password === 'string')
    return { registry: spec.registry, username, password }
  throw invalid(secret.name, "must have the keys 'username' and 'password'")
}

function invalid(name: string, message: string): Stalled {
  return new Stalled('InvalidSecret', `the Secret '${name}' ${message}`)
}

/**
 * Whether images are pulled with the credentials of a registry. Without them, pods are replaced: so a change of the registry
 * that is not observed yet, and an error that passes, leave it usable.
 */
export function isUsable(registry: Registry | undefined): boolean {
  if (!isPresent(registry)) return false
  const ready = conditionOf(registry, 'Ready')
  return ready?.status === 'True' || ready?.reason === 'Failed'
}
