import { ActiveResource, type ProvisionedInstance } from '../../api/active-resource.ts'
import { ResourceAccount } from '../../api/resource-account.ts'
import type { FreeForm } from '../../api/schema.ts'
import { ReferenceNotFound, Stalled, Waiting } from '../../domain/base/errors.ts'
import { isObject, pointerSteps } from '../../domain/base/json.ts'
import { problemsOfInputs } from '../../domain/definition/definition.ts'
import { type ResourceOutputs, resolveInputs } from '../../domain/graph/inputs.ts'
import { valueSecretRefs } from '../../domain/graph/shared-values.ts'
import { formatDescriptor } from '../../domain/resource/descriptor.ts'
import type { DriverDescriptor } from '../../domain/resource/driver.ts'
import { environmentNamespace, guResId } from '../../domain/resource/identity.ts'
import { secretNamesIn } from '../../domain/secret/secret-names.ts'
import type { ProvisionRequest } from '../../drivers/driver.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { createSecretReader, resolveSecretRefs, type SecretReader } from '../shared/secrets.ts'

/** A request without its deadline, which begins with the call. */
export type GatheredRequest = Omit<ProvisionRequest, 'signal'> & {
  /** Secrets that were read for it. */
  readonly secretNames: readonly string[]
}

/** Gathers everything that a driver may look at: placeholders resolved, Secrets read, inputs checked. */
export async function requestFor(
  resource: ActiveResource,
  descriptor: DriverDescriptor,
  cluster: Cluster,
): Promise<GatheredRequest> {
  const { metadata, spec } = resource
  const { namespace: organization = '' } = metadata
  const reader = createSecretReader(cluster.client)
  const secrets = await resolveSecretRefs(
    spec.definition.driverInputs?.secretRefs ?? {},
    organization,
    reader,
  )
  const valueRefs = valueSecretRefs(spec.values)
  const secretValues = await resolveSecretRefs(valueRefs, organization, reader)
  const outputs = await outputsOfNeighbours(resource, cluster, reader)
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
  const faults = problemsOfInputs(descriptor, inputs)
  if (faults.length > 0) throw new Stalled('InvalidInputs', faults.join('; '))
  return {
    ...inputs,
    ...(account ? { account } : {}),
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

/** The texts of a module that secrets went into. */
export function secretTextsOf({ params, secretParams = [] }: GatheredRequest): unknown[] {
  return secretParams.map((pointer) =>
    pointerSteps(pointer).reduce<unknown>(
      (inner, key) => (isObject(inner) || Array.isArray(inner) ? (inner as FreeForm)[key] : undefined),
      params,
    ),
  ) // both are indexed by text
}

/** The Secret of the account of a resource; of one that is gone, the Secret that was its own. */
export function accountSecretOf(
  { metadata, spec, status }: ActiveResource,
  { store }: Cluster,
): string | undefined {
  const { accountName } = spec.definition
  if (accountName === undefined) return undefined
  const account = store.get(ResourceAccount, metadata.namespace ?? '', accountName)
  if (account) return account.spec.credentialsSecretName
  const { provisioned } = status ?? {}
  if (provisioned?.accountName === accountName) return provisioned.credentialsSecretName
  throw new ReferenceNotFound('AccountNotFound', `waiting for the account '${accountName}'`)
}

/** Credentials for taking away what stands: those of its account as it is now, else those of then. */
export async function readAccount(
  { metadata }: ActiveResource,
  { accountName, credentialsSecretName }: ProvisionedInstance,
  { store, client }: Cluster,
): Promise<FreeForm | undefined> {
  if (accountName === undefined) return undefined
  const { namespace = '' } = metadata
  const account = store.get(ResourceAccount, namespace, accountName)
  const name =
    account && !account.metadata.deletionTimestamp
      ? account.spec.credentialsSecretName
      : credentialsSecretName
  return name === undefined ? undefined : createSecretReader(client).read(namespace, name)
}

/** Outputs, secret ones included, of every resource that the placeholders and the driver's neighbours name. */
async function outputsOfNeighbours(
  resource: ActiveResource,
  { store }: Cluster,
  reader: SecretReader,
): Promise<Map<string, ResourceOutputs>> {
  const { namespace = '' } = resource.metadata
  const names = new Set(Object.values(resource.spec.references ?? {}).flat())
  const found = new Map<string, ResourceOutputs>()
  for (const name of names) {
    const neighbour = store.get(ActiveResource, namespace, name)
    if (!neighbour) continue
    const { outputs = {}, outputsSecretName } = neighbour.status ?? {}
    const secretOutputs = outputsSecretName ? await reader.read(namespace, outputsSecretName) : {}
    const { params = {}, definition, type, class: resourceClass, resourceId } = neighbour.spec
    found.set(name, {
      outputs,
      secretOutputs,
      params,
      values: definition.driverInputs?.values ?? {},
      accountName: definition.accountName,
      descriptor: { type, class: resourceClass, resourceId },
    })
  }
  return found
}

/** The environment's namespace: what its `k8s-namespace` resource says, else one of our own making. */
function namespaceOf(resource: ActiveResource, { store }: Cluster): string {
  const { context } = resource.spec
  const name = guResId(context, { type: 'k8s-namespace', class: 'default', resourceId: 'k8s-namespace' })
  const given = store.get(ActiveResource, resource.metadata.namespace ?? '', name)
  if (!given || given.spec.unusedSince || given.metadata.deletionTimestamp)
    return environmentNamespace(context)
  const namespace = given.status?.outputs?.namespace
  if (typeof namespace === 'string' && namespace !== '') return namespace
  if (name === resource.metadata.name) return environmentNamespace(context)
  throw new Waiting(
    'DependencyNotReady',
    `waiting for ${formatDescriptor(given.spec)} to name the namespace`,
    1,
  )
}

/** All that could change what a provision does, and nothing else. */
export function whatTheDriverSees(
  { spec }: ActiveResource,
  { secretNames: _, ...request }: GatheredRequest,
  templates?: readonly unknown[],
) {
  const { driverType, accountName } = spec.definition
  const renewed =
    spec.renewedByDeploymentName === undefined
      ? []
      : [{ renewedByDeploymentName: spec.renewedByDeploymentName }]
  return ['inputs', driverType, accountName ?? '', request, ...(templates ? [templates] : []), ...renewed]
}
