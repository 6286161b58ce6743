import { ActiveResource, type ProvisionedInstance } from '../../api/active-resource.ts'
import { Environment } from '../../api/environment.ts'
import { ResourceAccount } from '../../api/resource-account.ts'
import type { FreeForm } from '../../api/schema.ts'
import { ReferenceNotFound, Stalled, Waiting } from '../../domain/base/errors.ts'
import { ownValue } from '../../domain/base/json.ts'
import { problemsOfInputs } from '../../domain/definition/definition.ts'
import { resolveInputs } from '../../domain/graph/inputs.ts'
import type { ResourceOutputs } from '../../domain/graph/lookup.ts'
import { valueSecretRefs } from '../../domain/graph/shared-values.ts'
import { imagesIn } from '../../domain/image/image-update.ts'
import { dockerConfig, type PullCredentials, secretsIn } from '../../domain/image/pull-secret.ts'
import { type PodParts, podPartsOf } from '../../domain/rendering/pod-parts.ts'
import { type RunSettings, runSettingsOf } from '../../domain/rendering/run-settings.ts'
import { formatDescriptor } from '../../domain/resource/descriptor.ts'
import type { DriverDescriptor } from '../../domain/resource/driver.ts'
import { namespaceDescriptor, namespaceFor, workloadOf } from '../../domain/resource/identity.ts'
import { simpleTypeName, workloadType } from '../../domain/resource/types.ts'
import { secretNamesIn } from '../../domain/secret/secret-names.ts'
import type { ProvisionRequest } from '../../drivers/driver.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { isReady } from '../../kube/loop/outcome.ts'
import { pullCredentialsFor } from '../image/pull-credentials.ts'
import { namespaceResourceOf } from '../shared/dependents.ts'
import { createSecretReader, resolveSecretRefs, type SecretReader } from '../shared/secrets.ts'

/** When the resource is tried again that waits for what its neighbours refer to. */
const furtherSeconds = 1

/** A request without its deadline, which starts with the call. */
export type GatheredRequest = Omit<ProvisionRequest, 'signal'> & {
  /** Secrets that its inputs and its account come from. */
  readonly secretNames: readonly string[]
  /** Credentials for the images of a workload; absent when none are needed. No driver sees them. */
  readonly pullCredentials?: readonly PullCredentials[]
  /** What the environment of a workload says about its pods; absent when it says nothing. No driver sees it. */
  readonly runSettings?: RunSettings
  /** The secrets that its inputs consist of, which no message may contain. */
  readonly knownSecrets: unknown
}

/**
 * Gathers the inputs of a driver: resolves placeholders, reads Secrets, and checks the inputs. Other resources may share
 * `reader` for the Secrets of users.
 */
export async function requestFor(
  resource: ActiveResource,
  descriptor: DriverDescriptor,
  cluster: Cluster,
  reader: SecretReader = createSecretReader(cluster.client),
): Promise<GatheredRequest> {
  const { metadata, spec } = resource
  const { namespace: organization } = metadata
  const secrets = await resolveSecretRefs(
    spec.definition.driverInputs?.secretRefs ?? {},
    organization,
    reader,
  )
  const valueRefs = valueSecretRefs(spec.values)
  const secretValues = await resolveSecretRefs(valueRefs, organization, reader)
  // Outputs may have changed since another resource read them.
  const outputs = await outputsOfNeighbours(resource, descriptor, cluster, createSecretReader(cluster.client))
  const inputs = resolveInputs({
    spec,
    guResId: metadata.name,
    descriptor,
    outputsOf: (name) => outputs.get(name),
    secrets,
    secretValues,
  })
  const credentialsSecretName = accountSecretOf(resource, cluster)
  const account = credentialsSecretName ? await reader.read(organization, credentialsSecretName) : undefined
  const problems = problemsOfInputs(descriptor, inputs)
  if (problems.length > 0) throw new Stalled('InvalidInputs', problems.join('; '))
  const pull = await pullCredentialsOf(resource, inputs.params, cluster, reader)
  return {
    ...inputs,
    ...pull,
    parts: partsOf(resource, cluster),
    runSettings: runSettingsFor(resource, cluster),
    account,
    knownSecrets: [
      secrets,
      secretValues,
      account,
      pull.pullCredentials?.map(secretsIn),
      [...outputs.values()].map(({ secretOutputs }) => secretOutputs),
    ],
    secretNames: [
      ...new Set([
        ...secretNamesIn(spec.definition.driverInputs?.secretRefs ?? {}),
        ...secretNamesIn(valueRefs),
        ...(credentialsSecretName ? [credentialsSecretName] : []),
      ]),
    ].sort(),
    guResId: metadata.name,
    context: spec.context,
    type: spec.type,
    class: spec.class,
    resourceId: spec.resourceId,
    namespace: namespaceOf(resource, cluster),
  }
}

/** Credentials of the registries that the images of a workload come from. */
async function pullCredentialsOf(
  resource: ActiveResource,
  params: FreeForm,
  cluster: Cluster,
  reader: SecretReader,
): Promise<Pick<GatheredRequest, 'pullCredentials'>> {
  if (simpleTypeName(resource.spec.type) !== workloadType) return {}
  const pullCredentials = await pullCredentialsFor(imagesIn(params), resource, cluster, reader)
  return pullCredentials.length > 0 ? { pullCredentials } : {}
}

/** The Secret of the account of a resource; after the account was deleted, the Secret that the status records. */
export function accountSecretOf(
  { metadata, spec, status }: ActiveResource,
  { store }: Cluster,
): string | undefined {
  const { accountName } = spec.definition
  if (accountName === undefined) return undefined
  const account = store.get(ResourceAccount, metadata.namespace, accountName)
  if (account) return account.spec.credentialsSecretName
  const { provisioned } = status ?? {}
  if (provisioned?.accountName === accountName) return provisioned.credentialsSecretName
  throw new ReferenceNotFound('AccountNotFound', `waiting for the account '${accountName}'`)
}

/**
 * The credentials to deprovision an instance: those of its account, or the recorded ones, which are kept for this, when the account
 * was deleted or names a Secret that does not exist.
 */
export async function readAccount(
  { metadata }: ActiveResource,
  { accountName, credentialsSecretName }: ProvisionedInstance,
  { store, client }: Cluster,
): Promise<FreeForm | undefined> {
  if (accountName === undefined) return undefined
  const { namespace } = metadata
  const account = store.get(ResourceAccount, namespace, accountName)
  const name =
    account && !account.metadata.deletionTimestamp
      ? account.spec.credentialsSecretName
      : credentialsSecretName
  if (name === undefined) return undefined
  const reader = createSecretReader(client)
  try {
    return await reader.read(namespace, name)
  } catch (error) {
    const isMissing = error instanceof Waiting && error.reason === 'SecretNotFound'
    if (!isMissing || credentialsSecretName === undefined || credentialsSecretName === name) throw error
    return reader.read(namespace, credentialsSecretName).catch(() => {
      throw error // it names the Secret that a person can make
    })
  }
}

/**
 * Outputs of each resource that the placeholders and the driver's neighbours name, with the secret ones; and without those, as
 * params are never secret, of what the params of the neighbours name.
 */
async function outputsOfNeighbours(
  resource: ActiveResource,
  { neighbours }: DriverDescriptor,
  { store }: Cluster,
  reader: SecretReader,
): Promise<Map<string, ResourceOutputs>> {
  const { namespace } = resource.metadata
  const { references = {} } = resource.spec
  const found = new Map<string, ResourceOutputs>()
  for (const name of Object.values(references).flat()) {
    const neighbour = found.has(name) ? undefined : store.get(ActiveResource, namespace, name)
    if (!neighbour) continue
    const { outputs = {}, outputsSecretName } = neighbour.status ?? {}
    const secretOutputs = outputsSecretName ? await reader.read(namespace, outputsSecretName) : {}
    found.set(name, { outputs, secretOutputs, spec: neighbour.spec })
  }
  const ofDriver = Object.values(neighbours).flatMap((text) => ownValue(references, text) ?? [])
  for (const name of ofDriver.flatMap((each) => referencesOf(found.get(each)))) {
    if (found.has(name)) continue
    const further = store.get(ActiveResource, namespace, name)
    // The resource does not depend on it, so no watch enqueues the resource.
    if (!further || !isReady(further))
      throw new Waiting(
        'DependencyNotReady',
        `waiting for ${further ? formatDescriptor(further.spec) : name}`,
        furtherSeconds,
      )
    found.set(name, { outputs: further.status?.outputs ?? {}, secretOutputs: {}, spec: further.spec })
  }
  return found
}

function referencesOf(found: ResourceOutputs | undefined): readonly string[] {
  return Object.values(found?.spec.references ?? {}).flat()
}

/**
 * What the dependencies of a workload add to its pods; undefined for another resource, and when they add nothing. What the
 * definition of another workload adds is for the pods of that one.
 */
function partsOf({ metadata, spec }: ActiveResource, { store }: Cluster): readonly PodParts[] | undefined {
  if (simpleTypeName(spec.type) !== workloadType) return undefined
  const references = Object.entries(spec.references ?? {})
  const parts = (spec.dependsOn ?? []).flatMap((guResId) => {
    const dependency = store.get(ActiveResource, metadata.namespace, guResId)
    if (!dependency || simpleTypeName(dependency.spec.type) === workloadType) return []
    const names = references.filter(([, targets]) => targets.includes(guResId)).map(([name]) => name)
    const descriptor = formatDescriptor(dependency.spec)
    return podPartsOf({ guResId, names, descriptor }, dependency.status?.outputs) ?? []
  })
  return parts.length > 0 ? parts : undefined
}

/** What the environment of a workload says about its pods; undefined for another resource. */
export function runSettingsFor(
  { metadata, spec }: ActiveResource,
  { store }: Cluster,
): RunSettings | undefined {
  if (simpleTypeName(spec.type) !== workloadType) return undefined
  const environment = store.get(Environment, metadata.namespace, spec.environmentName)
  return runSettingsOf(environment, workloadOf(spec.resourceId) ?? '')
}

/** Namespace for the objects of the resource; Waiting until the `k8s-namespace` resource of the environment names it. */
function namespaceOf(resource: ActiveResource, { store }: Cluster): string {
  const namespace = namespaceFor(resource.spec.context, namespaceResourceOf(resource, store))
  if (namespace !== undefined) return namespace
  const what = formatDescriptor(namespaceDescriptor)
  throw new Waiting('DependencyNotReady', `waiting for ${what} to output the namespace`, 1)
}

/** Everything that changes what a provision does, and nothing else. */
export function hashedInputs(
  { spec }: ActiveResource,
  { secretNames: _, knownSecrets: __, pullCredentials, ...request }: GatheredRequest,
  templates?: readonly unknown[],
) {
  const { driverType, accountName } = spec.definition
  // Credentials that a workload keeps in its pull Secret are no change.
  const pull = pullCredentials && { pullCredentials: dockerConfig(pullCredentials) }
  return ['inputs', driverType, accountName ?? '', { ...request, ...pull }, ...(templates ? [templates] : [])]
}
