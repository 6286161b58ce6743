import { ActiveResource } from '../api/active-resource.ts'
import type { Environment } from '../api/environment.ts'
import { EnvironmentDeployment } from '../api/environment-deployment.ts'
import type { StoredObject } from '../api/kind.ts'
import { Stalled, Waiting } from '../domain/base/errors.ts'
import { isFinished } from '../domain/deployment/deployment.ts'
import { formatDescriptor } from '../domain/resource/descriptor.ts'
import { contextOf, environmentNamespace } from '../domain/resource/identity.ts'
import { versionOf } from '../kube/cache/cache.ts'
import type { Cluster } from '../kube/cache/cluster.ts'
import { inParallel } from '../kube/client/parallel.ts'
import { keyOf } from '../kube/client/resource.ts'
import type { ReconcileContext } from '../kube/loop/controller.ts'
import type { Objects } from '../kube/objects/objects.ts'
import type { Log } from '../log.ts'
import { hasHosts, type Removals } from './active-resource/removals.ts'
import type { ObjectKind } from './objects/applied-object.ts'
import { isNamespaceOf, namespaceReference } from './objects/environment-namespace.ts'
import type { Inventory } from './objects/inventory.ts'
import { namespaceBlockers } from './objects/namespace-blockers.ts'
import { deletionBlockers } from './shared/deletion-blockers.ts'
import { recordEvent } from './shared/events.ts'

/** The watch reports the end of a namespace; the retry is for an event that is lost. */
const namespaceRetrySeconds = 30

/** So many resources are looked at by a selection at the cost of one more request. */
const selectedPerRequest = 500

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
 * 2. deleteResources: deletes all resources; their finalizers keep them.
 * 3. decide: decides which of them are removed alone; throws Waiting until those are gone. If that takes long, the others are
 *    removed alone too.
 * 4. deleteNamespace, unless it is deleted, with the objects of the other resources.
 * 5. removeTogether: removes the other resources, those that reserve hosts when the namespace is gone.
 * 6. deleteObjects: deletes the objects that the cluster would delete with the namespace later; throws Waiting until the
 *    resources are gone, and then until the namespace is gone.
 *
 * Each step is safe to repeat; a new process starts again with step 1.
 */
export async function removeResources(environment: Environment, tools: RemovalTools): Promise<void> {
  const { removals } = tools
  const before = resourcesOf(environment, tools)
  if (removals.isFinished(environment, before)) return
  const namespace = await readNamespace(environment, tools)
  const { name, own } = namespace
  const resources = resourcesOf(environment, tools)
  if (!removals.isDecided(environment, resources)) await decide(environment, resources, namespace, tools)
  if (removals.hasAlone(environment))
    throw resourcesRemain(environment, tools, removals.separateLate(environment, resources))
  await namespace.terminate()
  const kinds = removals.removeTogether(environment, resources, own ? 'terminating' : 'gone')
  if (own) await inParallel(kinds, (each) => deleteObjects(each, name, tools))
  const isRemoved = (each: ActiveResource) => !own || !hasHosts(each)
  if (resources.some(isRemoved)) throw resourcesRemain(environment, tools)
  // A resource that ended during the read may have made the namespace since.
  if (!own && before.length > 0) return removeResources(environment, tools)
  if (!own) return removals.finish(environment)
  const message = `waiting for the namespace '${name}' to be deleted${namespaceBlockers(own)}`
  throw new Waiting('NamespaceRemains', message, namespaceRetrySeconds)
}

/** The namespace of the objects of an environment. */
interface EnvironmentNamespace {
  readonly name: string
  /** The namespace, if the operator made it. */
  readonly own?: StoredObject
  /** Whether another owner made it. */
  readonly isForeign: boolean
  /** Deletes it, if the operator made it and it is not terminating. */
  terminate(): Promise<void>
}

async function readNamespace(environment: Environment, tools: RemovalTools): Promise<EnvironmentNamespace> {
  const context = contextOf(environment)
  const name = environmentNamespace(context)
  const existing = await tools.objects.read(namespaceReference(name))
  const own = existing && isNamespaceOf(existing, context) ? existing : undefined
  let isTerminating = own?.metadata.deletionTimestamp !== undefined
  return {
    name,
    own,
    isForeign: existing !== undefined && !own,
    async terminate() {
      if (own && !isTerminating) await deleteNamespace(environment, own, tools)
      isTerminating = true
    },
  }
}

/** Deletes the resources, and decides how they are removed. */
async function decide(
  environment: Environment,
  resources: readonly ActiveResource[],
  { name, own, isForeign, terminate }: EnvironmentNamespace,
  tools: RemovalTools,
): Promise<void> {
  const { removals } = tools
  const isQuiet = !isDeploying(environment, tools)
  // The cluster lets it terminate for five seconds before it deletes the first object.
  const isQuick = resources.length <= mostWithinPause && isQuiet
  if (own && isQuick && (await removals.areWithin(resources, name))) await terminate()
  const isComplete = await deleteResources(environment, resources, tools)
  await removals.decide(environment, resources, {
    namespace: isForeign ? undefined : name,
    // No deployment can add one: the environment terminates.
    sawAll: () => isQuiet && isComplete(),
  })
}

/**
 * Deletes the resources: few of them by name, because a selection looks at each resource of the organization. Returns a
 * function that says whether the API server surely had no others; it may learn so later.
 */
async function deleteResources(
  { metadata: { namespace, name } }: Environment,
  resources: readonly ActiveResource[],
  { cluster, throwIfStopping }: RemovalTools,
): Promise<() => boolean> {
  const { store } = cluster
  const live = resources.filter(({ metadata }) => !metadata.deletionTimestamp)
  if (live.length === 0) return () => false
  const inOrganization = store.cacheOf(ActiveResource).countIn(namespace)
  if (live.length > Math.max(1, inOrganization / selectedPerRequest)) {
    const fields = { 'spec.environmentName': name }
    const names = await cluster.removeCollection(ActiveResource, namespace, fields, throwIfStopping)
    const areAll = sameNames(names, resources)
    return () => areAll
  }
  await inParallel(live, async (each) => {
    throwIfStopping()
    await cluster.remove(ActiveResource, each)
  })
  const [marked] = live.flatMap(({ metadata }) => store.get(ActiveResource, namespace, metadata.name) ?? [])
  const version = marked && versionOf(marked)
  // What was written before is in the cache when the watch has reported one of these deletions.
  return () => version !== undefined && store.reflects(ActiveResource, version)
}

function sameNames(names: readonly string[], resources: readonly ActiveResource[]): boolean {
  const known = new Set(names)
  return known.size === resources.length && resources.every(({ metadata }) => known.has(metadata.name))
}

/** Deletes the namespace; records first what others made in it. */
async function deleteNamespace(
  environment: Environment,
  { metadata }: StoredObject,
  tools: RemovalTools,
): Promise<void> {
  await awaitLastResources(environment, tools)
  const foreign = await tools.inventory.foreignIn(metadata.name)
  if (foreign.length > 0) {
    const message = `deleted with the namespace '${metadata.name}', although no resource made them: ${foreign.join(', ')}`
    tools.log.warn('foreign objects deleted', { environment: keyOf(environment), event: message })
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

/** Throws Waiting for a resource that a deployment wrote last, and that the cache does not have yet. */
export async function awaitLastResources(environment: Environment, tools: RemovalTools): Promise<void> {
  if (!tools.removals.sawAll(environment)) await awaitUnseen(environment, tools)
}

/** Asks the API server for resources that the cache does not have; throws Waiting until it has them. */
async function awaitUnseen(
  environment: Environment,
  { cluster }: Pick<RemovalTools, 'cluster'>,
): Promise<void> {
  const { namespace, name } = environment.metadata
  for (const each of await cluster.readNames(ActiveResource, namespace, { 'spec.environmentName': name }))
    if (!cluster.store.get(ActiveResource, namespace, each))
      throw new Waiting('ResourcesRemain', 'waiting for the resources to be deprovisioned', 1)
}

function resourcesRemain(environment: Environment, tools: RemovalTools, retrySeconds?: number): Waiting {
  const blockers = deletionBlockers(resourcesOf(environment, tools), ({ spec }) => formatDescriptor(spec))
  const message = `waiting for the resources to be deprovisioned${blockers}`
  return new Waiting('ResourcesRemain', message, retrySeconds)
}

function resourcesOf(environment: Environment, { cluster }: RemovalTools): readonly ActiveResource[] {
  return cluster.store.byIndex(ActiveResource, 'environment', keyOf(environment))
}
