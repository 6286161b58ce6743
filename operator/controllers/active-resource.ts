import { ActiveResource } from '../api/active-resource.ts'
import type { KubeObject } from '../api/kind.ts'
import { annotations } from '../api/names.ts'
import type { FreeForm } from '../api/schema.ts'
import { driverOf } from '../domain/definition.ts'
import { formatDescriptor } from '../domain/descriptor.ts'
import { Stalled, Waiting } from '../domain/errors.ts'
import type { Driver } from '../drivers/driver.ts'
import type { Cache, Change } from '../kube/cache.ts'
import type { Cluster } from '../kube/cluster.ts'
import { type Controller, watchKind } from '../kube/controller.ts'
import type { Objects } from '../kube/objects.ts'
import { keyOf } from '../kube/resource.ts'
import type { Observed } from '../kube/status.ts'
import { isReady } from '../kube/verdict.ts'
import type { Installation } from './installation.ts'
import type { Inventory } from './inventory.ts'
import { keepSecretOutputs, refuseBadOutputs } from './outputs.ts'
import { type GatheredRequest, requestFor, whatTheDriverSees } from './provision-request.ts'

type Seen = Observed<typeof ActiveResource>

/** What the controller of active resources works with. */
export interface ResourceTools {
  readonly cluster: Cluster
  readonly objects: Objects
  readonly inventory: Inventory
  readonly installation: Installation
  readonly drivers: readonly Driver[]
  readonly vendors: readonly string[]
  readonly deadlineSeconds: number
}

/** Provisions a resource when its dependencies are ready, and deprovisions it when it is deleted. */
export function activeResourceController(tools: ResourceTools): Controller<typeof ActiveResource> {
  const { cluster, inventory, installation } = tools
  const cache = cluster.store.cacheOf(ActiveResource)
  for (const { descriptor } of tools.drivers) {
    for (const kind of descriptor.applies ?? []) void tools.objects.watch(kind).catch(() => {}) // asked for again when it is needed
  }
  return {
    kind: ActiveResource,
    watches: [
      watchKind(cache, (change) => concernedBy(change, cache)),
      { subscribe: (wake) => inventory.onDrift((key) => wake([key])) },
    ],
    async reconcile(resource) {
      if (!installation.isSealed(resource)) {
        throw new Stalled(
          'Unaccounted',
          'no deployment of this installation wrote this spec: deploy the environment to account for it',
        )
      }
      if (resource.spec.unusedSince) return unused(resource)
      awaitDependencies(resource, cluster)
      const driver = driverFor(resource.spec.definition.driverType, tools)
      const request = await requestFor(resource, driver.descriptor, cluster)
      const inputsHash = installation.hash(whatTheDriverSees(resource, request))
      const isDrifted = inventory.takeDrift(resource)
      if (!isDrifted && resource.status?.inputsHash === inputsHash) return factsOf(resource)
      return provision(resource, driver, request, inputsHash, tools)
    },
    async finalize(resource) {
      if (resource.metadata.annotations?.[annotations.detach] === 'true') return
      awaitDependents(resource, cluster)
      const { provisioned } = resource.status ?? {}
      // What somebody else wrote and we never provisioned has nothing behind it.
      if (!provisioned && !installation.isSealed(resource)) return
      const driver = driverFor(provisioned?.driverType ?? resource.spec.definition.driverType, tools)
      await deprovision(resource, driver, provisioned?.identity ?? {}, tools)
      await inventory.clear(resource, driver.descriptor.applies ?? [])
    },
  }
}

/** Dependents of a resource that became ready or changed its outputs; dependencies of one that is going or gone. */
function concernedBy({ before, after }: Change<ActiveResource>, cache: Cache<ActiveResource>): string[] {
  if (
    after &&
    isReady(after) &&
    !(before && isReady(before) && before.status?.inputsHash === after.status?.inputsHash)
  ) {
    return cache.byIndex('dependsOn', keyOf(after)).map(keyOf)
  }
  const isGoing =
    before && (!after || (after.metadata.deletionTimestamp && !before.metadata.deletionTimestamp))
  if (!isGoing) return []
  const dependencies = (before.spec.dependsOn ?? []).map((name) =>
    cache.get(before.metadata.namespace ?? '', name),
  )
  return dependencies.flatMap((each) => (each?.metadata.deletionTimestamp ? [keyOf(each)] : []))
}

function driverFor(type: string, { drivers, vendors }: ResourceTools): Driver {
  const descriptor = driverOf(
    type,
    drivers.map((each) => each.descriptor),
    vendors,
  )
  const driver = drivers.find((each) => each.descriptor === descriptor)
  if (driver) return driver
  const known = drivers.map((each) => `'${vendors[0]}/${each.descriptor.name}'`).join(', ')
  throw new Stalled('UnknownDriver', `no driver is named '${type}'; known drivers: ${known}`)
}

function awaitDependencies(resource: ActiveResource, { store }: Cluster): void {
  const { namespace = '' } = resource.metadata
  const unready = (resource.spec.dependsOn ?? []).flatMap((name) => {
    const dependency = store.get(ActiveResource, namespace, name)
    if (dependency && isReady(dependency) && !dependency.metadata.deletionTimestamp) return []
    return [dependency ? formatDescriptor(dependency.spec) : name]
  })
  if (unready.length > 0) throw new Waiting('DependencyNotReady', `waiting for ${someOf(unready)}`)
}

/** Waits for dependents that are being deleted too, never for one that stays: an explicit delete acts at once. */
function awaitDependents(resource: ActiveResource, { store }: Cluster): void {
  const going = store
    .byIndex(ActiveResource, 'dependsOn', keyOf(resource))
    .filter(({ metadata }) => metadata.deletionTimestamp)
    .map(({ spec }) => formatDescriptor(spec))
  if (going.length > 0) throw new Waiting('DependentsRemain', `waiting for ${someOf(going)} to go`)
}

function someOf(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ')
  return names.length > 5 ? `${shown} and others` : shown
}

/** A resource that nothing uses any more is kept as it is, so that a roll-back finds it. */
function unused(resource: ActiveResource): Seen {
  const { unusedSince, deploymentName } = resource.spec
  if (!resource.status?.inputsHash)
    throw new Waiting('Unused', 'was never provisioned, and no workload uses it any more')
  const message = `not used since ${unusedSince}, when '${deploymentName}' was deployed; kept for a roll-back`
  return {
    ...factsOf(resource),
    conditions: [{ type: 'Unused', status: 'True', reason: 'NotReferenced', message }],
  }
}

function factsOf({ status }: ActiveResource): Seen {
  const {
    conditions: _,
    observedGeneration: __,
    attempts: ___,
    nextAttemptTime: ____,
    ...facts
  } = status ?? {}
  return facts
}

async function provision(
  resource: ActiveResource,
  driver: Driver,
  request: GatheredRequest,
  inputsHash: string,
  tools: ResourceTools,
): Promise<Seen> {
  const { definition } = resource.spec
  const signal = deadlineOf(tools)
  const result = await withinDeadline(driver.provision({ ...request, signal }), signal)
  refuseBadOutputs(result)
  const objects = await tools.inventory.bring(
    resource,
    result.objects.map((each) => within(request.namespace, each)),
    driver.descriptor.applies ?? [],
  )
  const outputsSecretName = await keepSecretOutputs(resource, result.outputs.secrets, tools.objects)
  await deprovisionPredecessor(resource, driver, tools)
  return {
    outputs: result.outputs.values,
    ...(outputsSecretName ? { outputsSecretName } : {}),
    inputsHash,
    ...(objects.length > 0 ? { objects } : {}),
    provisioned: {
      driverType: definition.driverType,
      ...(definition.accountName ? { accountName: definition.accountName } : {}),
      ...(result.identity ? { identity: result.identity } : {}),
    },
  }
}

function within(namespace: string, object: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, namespace: object.metadata.namespace ?? namespace } }
}

/** The new one stands: what another driver made before goes. Its objects were pruned with the new inventory. */
async function deprovisionPredecessor(
  resource: ActiveResource,
  driver: Driver,
  tools: ResourceTools,
): Promise<void> {
  const { provisioned } = resource.status ?? {}
  if (!provisioned) return
  const before = driverFor(provisioned.driverType, tools)
  if (before !== driver) await deprovision(resource, before, provisioned.identity ?? {}, tools)
}

async function deprovision(
  resource: ActiveResource,
  driver: Driver,
  identity: FreeForm,
  tools: ResourceTools,
): Promise<void> {
  const { context, type, class: resourceClass, resourceId } = resource.spec
  const signal = deadlineOf(tools)
  const call = driver.deprovision({
    guResId: resource.metadata.name,
    context,
    type,
    class: resourceClass,
    resourceId,
    identity,
    signal,
  })
  await withinDeadline(call, signal)
}

function deadlineOf({ deadlineSeconds }: ResourceTools): AbortSignal {
  return AbortSignal.timeout(deadlineSeconds * 1000)
}

/** Ends the wait, not the work: a repeat of the call adopts what the first one made. */
function withinDeadline<T>(call: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const expire = () => reject(new Error('the driver did not answer in time'))
    signal.addEventListener('abort', expire, { once: true })
    call.then(resolve, reject).finally(() => signal.removeEventListener('abort', expire))
  })
}
