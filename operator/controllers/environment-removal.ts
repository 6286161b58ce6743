import { ActiveResource } from '../api/active-resource.ts'
import type { Environment } from '../api/environment.ts'
import { EnvironmentDeployment } from '../api/environment-deployment.ts'
import type { CommonStatus, KubeObject, StoredObject } from '../api/kind.ts'
import { Stalled, Waiting } from '../domain/base/errors.ts'
import { isFinished } from '../domain/deployment/deployment.ts'
import { formatDescriptor } from '../domain/resource/descriptor.ts'
import { contextOf, environmentNamespace } from '../domain/resource/identity.ts'
import type { Cluster } from '../kube/cache/cluster.ts'
import { inParallel } from '../kube/client/parallel.ts'
import { keyOf } from '../kube/client/resource.ts'
import type { ReconcileContext } from '../kube/loop/controller.ts'
import { conditionOf } from '../kube/loop/outcome.ts'
import type { Objects } from '../kube/objects.ts'
import type { Log } from '../log.ts'
import { hasHosts, type Removals } from './active-resource/removals.ts'
import type { ObjectKind } from './objects/applied-object.ts'
import { isNamespaceOf, namespaceReference } from './objects/environment-namespace.ts'
import type { Inventory } from './objects/inventory.ts'
import { deletionBlockers } from './shared/deletion-blockers.ts'
import { recordEvent } from './shared/events.ts'

/** The watch reports the end of a namespace; the retry is for an event that is lost. */
const namespaceRetrySeconds = 30

/** So many resources are deleted before the cluster deletes the first object of their namespace, also on a small machine. */
const mostWithinPause = 1000

/** What the removal of the resources and the namespace of an environment depends on. */
export interface RemovalTools {
  readonly cluster: Cluster
  readonly objects: Objects
  readonly inventory: Pick<Inventory, 'foreignIn'>
  readonly removals: Removals
  readonly log: Log
  readonly throwIfStopping: ReconcileContext<typeof Environment>['throwIfStopping']
}

/**
 * 1. deleteNamespace: deletes the namespace that the operator made, when no resource is removed alone, and there are few.
 * 2. deleteResources: deletes all resources, a hundred with each request; their finalizers keep them.
 * 3. decide: decides which of them are removed alone; throws Waiting until those are gone.
 * 4. deleteNamespace, unless it is deleted, with the objects of the other resources.
 * 5. removeTogether: removes the other resources, those that reserve hosts when the namespace is gone.
 * 6. deleteObjects: deletes the objects that the cluster would delete with the namespace later; throws Waiting until the
 *    resources are gone, and then until the namespace is gone.
 *
 * Each step is safe to repeat; a new process starts again with step 1.
 */
export async function removeResources(environment: Environment, tools: RemovalTools): Promise<void> {
  const { removals } = tools
  const context = contextOf(environment)
  const name = environmentNamespace(context)
  const existing = await tools.objects.read(namespaceReference(name))
  const own = existing && isNamespaceOf(existing, context) ? existing : undefined
  let isTerminating = own?.metadata.deletionTimestamp !== undefined
  async function terminate() {
    if (own && !isTerminating) await deleteNamespace(environment, own, tools)
    isTerminating = true
  }
  const resources = resourcesOf(environment, tools)
  if (!removals.isDecided(environment, resources)) {
    // The cluster lets it terminate for five seconds before it deletes the first object.
    const isQuick = resources.length <= mostWithinPause && !isDeploying(environment, tools)
    if (own && isQuick && (await removals.areWithin(resources, name))) await terminate()
    await deleteResources(environment, resources, tools)
    await removals.decide(environment, resources, own || !existing ? name : undefined)
  }
  if (removals.hasAlone(environment)) throw resourcesRemain(environment, tools)
  await terminate()
  const kinds = removals.removeTogether(environment, resources, own ? 'terminating' : 'gone')
  if (own) await inParallel(kinds, (each) => deleteObjects(each, name, tools))
  const isRemoved = (each: ActiveResource) => !own || !hasHosts(each)
  if (resources.some(isRemoved)) throw resourcesRemain(environment, tools)
  if (!own) return
  const message = `waiting for the namespace '${name}' to be deleted${blockersOf(own)}`
  throw new Waiting('NamespaceRemains', message, namespaceRetrySeconds)
}

async function deleteResources(
  { metadata: { namespace, name } }: Environment,
  resources: readonly ActiveResource[],
  { cluster, throwIfStopping }: RemovalTools,
): Promise<void> {
  if (resources.every(({ metadata }) => metadata.deletionTimestamp)) return
  await cluster.removeCollection(ActiveResource, namespace, { 'spec.environmentName': name }, throwIfStopping)
}

/** Deletes the namespace; records first what others made in it. */
async function deleteNamespace(
  environment: Environment,
  { metadata }: StoredObject,
  tools: RemovalTools,
): Promise<void> {
  await awaitUnseen(environment, tools)
  const foreign = await tools.inventory.foreignIn(metadata.name)
  if (foreign.length > 0) {
    const message = `deleted with the namespace '${metadata.name}', although no resource made them: ${foreign.join(', ')}`
    tools.log.warn('foreign objects deleted', { environment: keyOf(environment), message })
    await recordEvent(tools.cluster.client, environment, {
      type: 'Warning',
      reason: 'ForeignObjectsDeleted',
      message,
    })
  }
  await tools.objects.remove(namespaceReference(metadata.name), metadata.uid)
}

/** Whether a deployment may change resources so that they are removed alone. */
function isDeploying(environment: Environment, { cluster: { store } }: RemovalTools): boolean {
  const deployments = store.cacheOf(EnvironmentDeployment)
  return deployments.anyByIndex('environment', keyOf(environment), (each) => !isFinished(each))
}

/** Saves time only: without the right to do so, it leaves the objects to the cluster. */
async function deleteObjects(
  kind: ObjectKind,
  namespace: string,
  { objects, throwIfStopping }: RemovalTools,
): Promise<void> {
  try {
    await objects.removeCollection(kind, namespace, throwIfStopping)
  } catch (error) {
    if (!(error instanceof Stalled)) throw error
  }
}

/** Asks the API server for resources that the cache does not have; throws Waiting until it has them. */
export async function awaitUnseen(
  environment: Environment,
  { cluster }: Pick<RemovalTools, 'cluster'>,
): Promise<void> {
  const { namespace, name } = environment.metadata
  for (const each of await cluster.readNames(ActiveResource, namespace, { 'spec.environmentName': name }))
    if (!cluster.store.get(ActiveResource, namespace, each))
      throw new Waiting('ResourcesRemain', 'waiting for the resources to be deprovisioned', 1)
}

function resourcesRemain(environment: Environment, tools: RemovalTools): Waiting {
  const blockers = deletionBlockers(resourcesOf(environment, tools), ({ spec }) => formatDescriptor(spec))
  return new Waiting('ResourcesRemain', `waiting for the resources to be deprovisioned${blockers}`)
}

function resourcesOf(environment: Environment, { cluster }: RemovalTools): readonly ActiveResource[] {
  return cluster.store.byIndex(ActiveResource, 'environment', keyOf(environment))
}

/** What keeps a terminating namespace, for the end of a message. */
function blockersOf(namespace: KubeObject): string {
  const { status } = namespace as { readonly status?: CommonStatus } // a Namespace has conditions
  const finalizers = conditionOf({ status }, 'NamespaceFinalizersRemaining')
  return finalizers?.status === 'True' ? `: ${finalizers.message}` : ''
}
