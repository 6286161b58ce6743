import { ActiveResource, type ProvisionedInstance } from '../../api/active-resource.ts'
import { annotations } from '../../api/names.ts'
import { ResourceAccount } from '../../api/resource-account.ts'
import { ResourceDriver } from '../../api/resource-driver.ts'
import { ResourceType } from '../../api/resource-type.ts'
import { copyError, Stalled, Waiting } from '../../domain/base/errors.ts'
import { ownDriverType, wrappedDriverType } from '../../domain/definition/third-party.ts'
import { formatDescriptor } from '../../domain/resource/descriptor.ts'
import { qualifiedTypeName } from '../../domain/resource/types.ts'
import type { Cache, Change } from '../../kube/cache/cache.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { scoped } from '../../kube/cache/kinds-in-store.ts'
import { keyOf } from '../../kube/client/resource.ts'
import { type Controller, watchKind } from '../../kube/loop/controller.ts'
import { isReady } from '../../kube/loop/outcome.ts'
import type { Observed } from '../../kube/loop/status.ts'
import type { Objects } from '../../kube/objects.ts'
import type { Log } from '../../log.ts'
import type { Planning } from '../../planning/planning.ts'
import { recordEvent } from '../shared/events.ts'
import type { HostReservations } from '../shared/host-reservations.ts'
import type { Installation } from '../shared/installation.ts'
import type { Inventory } from '../shared/inventory.ts'
import type { SecretFinalizers } from '../shared/secret-finalizers.ts'
import { deprovisionAll } from './deprovision.ts'
import type { OrganizationDrivers } from './organization-drivers.ts'
import { customTypeOf, withoutExposedOutputs } from './outputs.ts'
import { provision } from './provision.ts'
import { requestFor, whatTheDriverSees } from './provision-request.ts'
import { factsOf } from './provisioned-instances.ts'
import { createUntouched } from './untouched.ts'

type Seen = Observed<typeof ActiveResource>

/** What the controller of active resources works with. */
export interface ResourceTools {
  readonly cluster: Cluster
  readonly objects: Objects
  readonly inventory: Inventory
  readonly installation: Installation
  readonly drivers: OrganizationDrivers
  readonly hostReservations: HostReservations
  readonly vendors: readonly string[]
  readonly deadlineSeconds: number
  readonly planning: Planning
  readonly secretFinalizers: SecretFinalizers
  readonly log: Log
}

/** Provisions a resource when its dependencies are ready, and deprovisions it when it is deleted. */
export function activeResourceController(tools: ResourceTools): Controller<typeof ActiveResource> {
  const { cluster, inventory, installation } = tools
  const cache = cluster.store.cacheOf(ActiveResource)
  /** Resources whose last provision did not come to its end: they may be anything, whatever their hash says. */
  const unfinished = new Set<string>()
  const untouched = createUntouched()
  for (const { descriptor } of tools.drivers.builtIn) {
    for (const kind of descriptor.applies ?? []) void tools.objects.watch(kind).catch(() => {}) // asked for again when it is needed
  }
  return {
    kind: ActiveResource,
    watches: [
      watchKind(cache, (change) => keysToEnqueue(change, cache)),
      { subscribe: (enqueue) => inventory.onDrift((key) => enqueue([key])) },
      { subscribe: (enqueue) => tools.hostReservations.onFreed((key) => enqueue([key])) },
      watchKind(cluster.store.cacheOf(ResourceAccount), ({ before, after }) => {
        const account = after ?? before
        if (!account || before?.spec === after?.spec) return []
        return cache.byIndex('account', scoped(account, account.metadata.name)).map(keyOf)
      }),
      watchKind(cluster.store.cacheOf(ResourceDriver), ({ before, after }) => {
        const driver = after ?? before
        if (!driver || before?.spec === after?.spec) return []
        // What wraps this driver depends on it.
        const wrapping = cluster.store
          .list(ResourceDriver, driver.metadata.namespace ?? '')
          .filter((each) => wrappedDriverType(each) !== undefined)
        const types = new Set([driver, ...wrapping].map(ownDriverType))
        return [...types].flatMap((type) => cache.byIndex('driver', scoped(driver, type)).map(keyOf))
      }),
      // What its type calls secret leaves the status at once, and one without a type waits for it.
      watchKind(cluster.store.cacheOf(ResourceType), ({ before, after }) => {
        const type = after ?? before
        if (!type || before?.spec === after?.spec) return []
        return cache.byIndex('type', scoped(type, qualifiedTypeName(type))).map(keyOf)
      }),
    ],
    async reconcile(latest, context) {
      const types = tools.planning.typesOf(latest.metadata.namespace ?? '')
      const given = await withoutExposedOutputs(latest, types, context)
      if (!installation.isSigned(given)) {
        throw new Stalled(
          'Untrusted',
          'no deployment of this installation wrote this spec: deploy the environment to account for it',
        )
      }
      const resource = asIs(given)
      if (resource.spec.unusedSince) return unused(resource)
      awaitDependencies(resource, cluster)
      const { driver, templates } = tools.drivers.find(
        resource.metadata.namespace ?? '',
        resource.spec.definition.driverType,
      )
      const request = await requestFor(resource, driver.descriptor, cluster)
      const inputsHash = installation.hash(whatTheDriverSees(resource, request, templates))
      const isSame = resource.status?.inputsHash === inputsHash
      const isDrifted = inventory.takeDrift(resource)
      const key = keyOf(resource)
      const isDue = isDrifted || (context.isResync && driver.descriptor.repairs === true)
      if (!isDue && !unfinished.has(key) && isSame) return explained(resource)
      customTypeOf(resource.spec.type, tools.planning.typesOf(resource.metadata.namespace ?? ''))
      unfinished.add(key)
      const seen = await provision(resource, request, inputsHash, { ...tools, untouched }, context)
      unfinished.delete(key)
      return seen
    },
    async finalize(given, context) {
      const resource = asIs(given)
      unfinished.delete(keyOf(resource))
      if (resource.metadata.annotations?.[annotations.detach] === 'true') {
        await detach(resource)
        untouched.forget(resource)
        return
      }
      awaitDependents(resource, cluster)
      // What somebody else wrote and we never provisioned has nothing behind it.
      const { provisioned, secretNames } = resource.status ?? {}
      if (!provisioned && !secretNames && !installation.isSigned(resource)) return
      await withDetachHint(resource, () => deprovisionAll(resource, tools, context))
      untouched.forget(resource)
    },
  }

  function asIs(resource: ActiveResource): ActiveResource {
    const { status } = resource
    return status ? { ...resource, status: untouched.without(resource, status) } : resource
  }

  /** Lets the infrastructure be, and says what that is, for whoever has to look after it. */
  async function detach(resource: ActiveResource) {
    const { namespace = '' } = resource.metadata
    const { provisioned, predecessors = [], objects = [], secretNames = [] } = resource.status ?? {}
    const left = [
      ...[...(provisioned ? [provisioned] : []), ...predecessors].map(describe),
      ...objects.map(({ kind, name, namespace: within }) => `${kind} '${within ?? ''}/${name}'`),
    ]
    const message = `${formatDescriptor(resource.spec)} of environment '${resource.spec.environmentName}' was detached; left behind: ${left.join('; ') || 'nothing'}`
    tools.log.warn('detached', { organization: namespace, guResId: resource.metadata.name, message })
    await recordEvent(cluster.client, resource, { type: 'Warning', reason: 'Detached', message })
    await tools.secretFinalizers.removeFinalizers(resource, secretNames)
  }
}

function describe({ driverType, accountName, identity }: ProvisionedInstance): string {
  const account = accountName === undefined ? '' : ` with account '${accountName}'`
  return `what driver '${driverType}' made${account}${identity ? ` (${JSON.stringify(identity)})` : ''}`
}

/** A deletion that does not get on says how it can be ended all the same. */
async function withDetachHint(resource: ActiveResource, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const { name, namespace } = resource.metadata
    const command = `kubectl annotate activeresources.quartermaster.dev ${name} -n ${namespace} ${annotations.detach}=true`
    const hint = `; to let go of it without deprovisioning, delete it over REST with '?detach=true', or: ${command}`
    throw error instanceof Error ? copyError(error, { message: `${error.message}${hint}` }) : error
  }
}

/** What is known already, with the reason for which its definition won this time. */
function explained(resource: ActiveResource): Seen {
  const { explanation } = resource.spec.definition
  return { ...factsOf(resource), ...(explanation === undefined ? {} : { explanation }) }
}

/** Dependents of a resource that became ready or changed its outputs; dependencies of one that is going or gone. */
function keysToEnqueue({ before, after }: Change<ActiveResource>, cache: Cache<ActiveResource>): string[] {
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
  if (!resource.status?.inputsHash && !resource.status?.provisioned)
    throw new Waiting('Unused', 'was never provisioned, and no workload uses it any more')
  const message = `not used since ${unusedSince}, when '${deploymentName}' was deployed; kept for a roll-back`
  return {
    ...factsOf(resource),
    conditions: [{ type: 'Unused', status: 'True', reason: 'NotReferenced', message }],
  }
}
