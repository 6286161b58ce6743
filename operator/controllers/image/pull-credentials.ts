import type { ActiveResource } from '../../api/active-resource.ts'
import { Registry, registrySecretKeys } from '../../api/registry.ts'
import { hasReason, Stalled } from '../../domain/base/errors.ts'
import { compareText } from '../../domain/base/json.ts'
import { isPresent } from '../../domain/base/object-problem.ts'
import {
  hasLogin,
  keptCredentials,
  type PullCredentials,
  parseDockerConfig,
  pullSecretKey,
  pullSecretName,
  registriesFor,
  secretOfRegistry,
} from '../../domain/image/pull-secret.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { readObject } from '../../kube/client/read-object.ts'
import { secretResource } from '../../kube/client/resource.ts'
import { conditionOf } from '../../kube/loop/outcome.ts'
import { contentOf, createSecretReader, type SecretReader } from '../shared/secrets.ts'

/**
 * Credentials of the registries that the images of a workload come from; a registry that is not ready gives none. While the
 * Secret of a registry is missing or unfit, the workload keeps those in its pull Secret: without them, its pods are replaced.
 * A registry that it has none of leaves its images to a wider one.
 */
export async function pullCredentialsFor(
  images: readonly string[],
  workload: ActiveResource,
  { store, client }: Cluster,
  reader: SecretReader,
): Promise<PullCredentials[]> {
  const { namespace } = workload.metadata
  const usable = images.length === 0 ? [] : store.list(Registry, namespace).filter(isUsable)
  let registries = usable.sort(byPrecedence)
  let pullSecret: Promise<string | undefined> | undefined
  const credentialsOf = async (registry: Registry) => {
    const read = await readUnlessUnfit(registry, reader)
    if (read !== 'unfit') return { registry, credentials: read, hasNone: false }
    pullSecret ??= readPullSecret(workload, client)
    const credentials = keptCredentials(registry.spec, (await pullSecret) ?? '')
    return { registry, credentials, hasNone: credentials === undefined }
  }
  for (;;) {
    const found = await Promise.all(registriesFor(images, registries).map(credentialsOf))
    const without = found.filter(({ hasNone }) => hasNone).map(({ registry }) => registry)
    if (without.length === 0) {
      const known = found.map(({ credentials }) => credentials).filter((each) => each !== undefined)
      const isKept = known.length === 0 && (await pullSecret) !== undefined
      // Without content, the pods still name the Secret.
      return isKept ? [{ registry: '', dockerConfig: '' }] : known
    }
    registries = registries.filter((each) => !without.includes(each))
  }
}

/**
 * The order in which registries are used. Of two for the same registry, one that is not ready may be a duplicate. Of two with the same
 * status, the younger one is the duplicate.
 */
function byPrecedence(left: Registry, right: Registry): number {
  const rankOf = (each: Registry) => Number(isReadyNow(each)) + Number(givesCredentials(each))
  return rankOf(right) - rankOf(left) || olderFirst(left, right)
}

/** Compares by age: of two for the same registry, the older one keeps it. */
export function olderFirst(left: Registry, right: Registry): number {
  const textOf = ({ metadata }: Registry) => `${metadata.creationTimestamp} ${metadata.name}`
  return compareText(textOf(left), textOf(right))
}

async function readUnlessUnfit(registry: Registry, reader: SecretReader) {
  try {
    return await readCredentials(registry, reader)
  } catch (error) {
    if (hasReason(error)) return 'unfit'
    throw error
  }
}

/** The content of the pull Secret of a workload; empty if it is gone, undefined if the workload has none. */
async function readPullSecret(
  { metadata, status }: ActiveResource,
  client: KubeClient,
): Promise<string | undefined> {
  const name = pullSecretName(metadata.name)
  const applied = status?.objects?.find((each) => each.kind === 'Secret' && each.name === name)
  if (!applied) return undefined
  const secret = await readObject(client, secretResource, applied.namespace, name)
  const { [pullSecretKey]: text } = secret ? contentOf(secret) : {}
  return typeof text === 'string' ? text : ''
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
    if (typeof dockerConfig !== 'string' || !parseDockerConfig(dockerConfig))
      throw invalid(
        secret.name,
        `must be of type kubernetes.io/dockerconfigjson, with the key '${pullSecretKey}'`,
      )
    const credentials = { registry: spec.registry, dockerConfig }
    if (!hasLogin(credentials)) throw invalid(secret.name, `has no login to '${spec.registry}'`)
    return credentials
  }
  const { [registrySecretKeys.username]: username, [registrySecretKeys.password]: password } = content
  if (typeof username === 'string' && typeof password === 'string')
    return { registry: spec.registry, username, password }
  throw invalid(secret.name, "must have the keys 'username' and 'password'")
}

function invalid(name: string, message: string): Stalled {
  return new Stalled('InvalidSecret', `the Secret '${name}' ${message}`)
}

/** Whether the credentials of a registry are in pull Secrets, or stay in those that have them. */
export function isUsable(registry: Registry | undefined): boolean {
  return givesCredentials(registry) || (isPresent(registry) && secretReasons.has(readyReason(registry)))
}

/** Reasons of a registry whose Secret is missing or unfit. */
const secretReasons: ReadonlySet<string> = new Set(['SecretNotFound', 'InvalidSecret'])

/** Reasons of a registry that say nothing about its credentials: an error, or what the cluster does not allow. */
const passingReasons: ReadonlySet<string> = new Set(['Failed', 'NotAllowed', 'Rejected'])

/**
 * Whether images are pulled with the credentials of a registry, as far as its status says. Without them, pods are replaced: so
 * a change of the registry that is not observed yet, and an error that passes, leave it usable.
 */
export function givesCredentials(registry: Registry | undefined): boolean {
  if (!isPresent(registry)) return false
  return isReadyNow(registry) || passingReasons.has(readyReason(registry))
}

function isReadyNow(registry: Registry): boolean {
  return conditionOf(registry, 'Ready')?.status === 'True'
}

function readyReason(registry: Registry): string {
  return conditionOf(registry, 'Ready')?.reason ?? ''
}
