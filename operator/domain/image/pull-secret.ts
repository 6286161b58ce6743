import type { KubeObject } from '../../api/kind.ts'
import { labels, manager } from '../../api/names.ts'
import type { Registry } from '../../api/registry.ts'
import { compareText, isObject, parseJson } from '../base/json.ts'
import { fitsHost } from './host-pattern.ts'
import { dockerConfigKey, isInRegistry, loginAddress, registryAddress } from './image-reference.ts'

/** Credentials for pulling images of a registry; or a file `config.json` of Docker, which may have those of others too. */
export type PullCredentials = { readonly registry: string } & (
  | { readonly username: string; readonly password: string }
  | { readonly dockerConfig: string }
)

/** Type of image pull Secrets, and their key. */
export const pullSecretType = 'kubernetes.io/dockerconfigjson'
export const pullSecretKey = '.dockerconfigjson'

/** Name of the image pull Secret of a workload. */
export function pullSecretName(guResId: string): string {
  return `${guResId}-pull`
}

type RegistrySpec = Registry['spec']

/** The Secret of a registry with its credentials, as the fields of the spec name it. */
export interface RegistrySecret {
  readonly namespace: string | undefined
  readonly name: string
}

/** The Secret that the spec of a registry names; undefined for a registry without credentials. */
export function secretOfRegistry({
  type,
  credentialsSecretName,
  secrets = {},
}: RegistrySpec): RegistrySecret | undefined {
  if (type === 'basic' || type === 'google_gcr')
    return credentialsSecretName === undefined
      ? undefined
      : { namespace: undefined, name: credentialsSecretName }
  if (type !== 'secret_ref') return undefined
  const entries = Object.values(secrets)
  const entry = secrets['*'] ?? (entries.length === 1 ? entries[0] : undefined)
  return entry && { namespace: entry.namespace, name: entry.secret }
}

/** The registry, of those that images can be pulled from, whose address is the longest that fits an image. */
export function registriesFor<T extends Pick<Registry, 'spec'>>(
  images: readonly string[],
  registries: readonly T[],
): T[] {
  const found = images.flatMap((image) => {
    const fitting = registries.filter(({ spec }) => isInRegistry(image, spec.registry))
    return fitting.toSorted((left, right) => lengthOf(right) - lengthOf(left)).slice(0, 1)
  })
  return [...new Set(found)]
}

function lengthOf({ spec }: Pick<Registry, 'spec'>): number {
  return registryAddress(spec.registry).length
}

/**
 * The file `config.json` of Docker with all credentials; of two for the same registry, the first. The credentials of a
 * registry count before a login to it in the file of another one.
 */
export function dockerConfig(credentials: readonly PullCredentials[]): string {
  const auths: Record<string, unknown> = {}
  const owned = new Set(credentials.map(({ registry }) => dockerConfigKey(registry)))
  for (const each of credentials) {
    for (const [key, value] of authsOf(each)) {
      const isOfOther = owned.has(key) && key !== dockerConfigKey(each.registry)
      if (!isOfOther && !Object.hasOwn(auths, key)) auths[key] = value
    }
  }
  const sorted = Object.entries(auths).sort(([left], [right]) => compareText(left, right))
  return JSON.stringify({ auths: Object.fromEntries(sorted) })
}

function authsOf(credentials: PullCredentials): [string, unknown][] {
  if ('dockerConfig' in credentials) return authsIn(credentials)
  const { registry, username, password } = credentials
  const auth = Buffer.from(`${username}:${password}`).toString('base64')
  return [[dockerConfigKey(registry), { username, password, auth }]]
}

/** A file `config.json` of Docker, and the registry that its logins are needed for. */
type RegistryFile = Extract<PullCredentials, { readonly dockerConfig: string }>

/** Whether a file has a login to its registry. */
export function hasLogin(file: RegistryFile): boolean {
  return authsIn(file).length > 0
}

/**
 * The credentials of a registry in the pull Secret of a workload, which may have those of others too, also of registries that
 * are gone; undefined if it has none.
 */
export function keptCredentials(
  { registry, type }: RegistrySpec,
  pullSecret: string,
): PullCredentials | undefined {
  const address = registryAddress(registry)
  const own = Object.entries(parseDockerConfig(pullSecret) ?? {}).filter(([key]) => {
    const login = loginAddress(key)
    // Only a file has logins to parts of its registry.
    return login === address || (type === 'secret_ref' && login.startsWith(`${address}/`))
  })
  if (own.length === 0) return undefined
  return { registry, dockerConfig: JSON.stringify({ auths: Object.fromEntries(own) }) }
}

/**
 * The credentials in a file that are for its registry: those of its host before those of a pattern, then the narrowest
 * first. Those for its whole host or for a pattern count for the registry alone, so that they take no place of another one.
 */
function authsIn(file: RegistryFile): [string, unknown][] {
  const [host = '', ...path] = registryAddress(file.registry).split('/')
  return Object.entries(parseDockerConfig(file.dockerConfig) ?? {})
    .map(([key, login]) => {
      const [pattern = '', ...steps] = loginAddress(key).split('/')
      return { login, pattern, steps, isExact: pattern === host }
    })
    .filter(({ pattern, steps }) => fitsHost(pattern, host) && haveSameStart(steps, path))
    .sort(
      (left, right) => Number(right.isExact) - Number(left.isExact) || right.steps.length - left.steps.length,
    )
    .map(({ login, steps }) => {
      const isNarrower = steps.length > path.length
      return [isNarrower ? [host, ...steps].join('/') : dockerConfigKey(file.registry), login]
    })
}

function haveSameStart(left: readonly string[], right: readonly string[]): boolean {
  return left.every((step, index) => index >= right.length || step === right[index])
}

/** The credentials in a file `config.json` of Docker, by registry; undefined for other content. */
export function parseDockerConfig(text: string): Readonly<Record<string, unknown>> | undefined {
  const content = parseJson(text)
  const auths = isObject(content) ? content['auths'] : undefined
  return isObject(auths) ? auths : undefined
}

/** What no message may contain of credentials; the registry and the user name are no secrets. */
export function secretsIn(credentials: PullCredentials): unknown {
  if (!('dockerConfig' in credentials)) return credentials.password
  const auths = Object.values(parseDockerConfig(credentials.dockerConfig) ?? {}).filter(isObject)
  return auths.map(({ username: _, email: __, ...others }) => {
    // `user:password`, in base64.
    const { auth } = others
    const login = typeof auth === 'string' ? Buffer.from(auth, 'base64').toString() : ''
    return [others, login.slice(login.indexOf(':') + 1)]
  })
}

/**
 * Adds an image pull Secret to the objects of a workload, and names it in each of their pod templates. Without credentials,
 * only Jobs name it: their pods cannot change, and find the Secret when a registry is added later.
 */
export function withPullSecret(
  objects: readonly KubeObject[],
  name: string,
  credentials: readonly PullCredentials[],
): readonly KubeObject[] {
  const namespace = objects.find(({ kind }) => podPaths[kind])?.metadata.namespace
  if (!objects.some(({ kind }) => podPaths[kind])) return objects
  if (credentials.length === 0)
    return objects.some(isJob) ? objects.map((each) => (isJob(each) ? named(each, name) : each)) : objects
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: pullSecretType,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { [labels.managedBy]: manager },
    },
    data: { [pullSecretKey]: Buffer.from(dockerConfig(credentials)).toString('base64') },
  }
  return [...objects.map((each) => named(each, name)), secret]
}

function isJob({ kind }: KubeObject): boolean {
  return kind === 'Job'
}

function named(object: KubeObject, name: string): KubeObject {
  return withReference(object, podPaths[object.kind] ?? [], name)
}

/** Where the pod specification of an object is. */
const podPaths: Readonly<Record<string, readonly string[]>> = {
  Pod: ['spec'],
  Deployment: ['spec', 'template', 'spec'],
  StatefulSet: ['spec', 'template', 'spec'],
  DaemonSet: ['spec', 'template', 'spec'],
  Job: ['spec', 'template', 'spec'],
  CronJob: ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
}

function withReference<T>(value: T, path: readonly string[], name: string): T {
  const [key, ...rest] = path
  if (!isObject(value) || key === undefined) return value
  const inner = value[key]
  if (!isObject(inner)) return value
  if (rest.length > 0) return { ...value, [key]: withReference(inner, rest, name) }
  const given = inner['imagePullSecrets']
  const others = Array.isArray(given) ? given.filter((each) => !isObject(each) || each['name'] !== name) : []
  return { ...value, [key]: { ...inner, imagePullSecrets: [...others, { name }] } }
}
