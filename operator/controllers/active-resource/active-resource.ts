import { ActiveResource } from '../../api/active-resource.ts'
import { copyError, hasReason, Stalled, Waiting } from '../../domain/base/errors.ts'
import { formatDescriptor } from '../../domain/resource/descriptor.ts'
import { isDetached } from '../../domain/resource/detach-mark.ts'
import { environmentNamespace } from '../../domain/resource/identity.ts'
import { simpleTypeName, workloadType } from '../../domain/resource/types.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { keyOf } from '../../kube/client/resource.ts'
import type { Controller, ReconcileContext } from '../../kube/loop/controller.ts'
import { isReady } from '../../kube/loop/outcome.ts'
import { observedOf } from '../objects/observed.ts'
import { awaitRollout } from '../rollout/await-rollout.ts'
import { firstOf } from '../shared/deletion-blockers.ts'
import { dependenciesOf, dependentsOf, withNeeded } from '../shared/dependents.ts'
import { withContest } from './contest.ts'
import { deprovisionAll } from './deprovision.ts'
import { detach, withDetachHint } from './detach.ts'
import { refuseWithoutEnvironment } from './ended-resources.ts'
import { createPendingInstances } from './instances/pending-instances.ts'
import { customTypeOf, hideSecretOutputs } from './outputs.ts'
import { provision } from './provision.ts'
import { type CauseTools, causeOf } from './provision-cause.ts'
import { hashedInputs, requestFor } from './provision-request.ts'
import type { ProvisionTools } from './provision-run.ts'
import type { ResourceStatus, ResourceTools } from './resource-tools.ts'
import { withRunSettingsApplied } from './run-settings.ts'
import { watchesOf } from './watches.ts'

type Context = ReconcileContext<typeof ActiveResource>

/** Dependencies of the controller, and what it keeps in memory between reconciles. */
interface State extends ProvisionTools {
  readonly unfinished: CauseTools['unfinished']
}

/** Provisions a resource when its dependencies are ready, and deprovisions it when it is deleted. */
export function activeResourceController(tools: ResourceTools): Controller<typeof ActiveResource> {
  const state: State = { ...tools, unfinished: new Map(), pending: createPendingInstances(), seen: new Set() }
  tools.inventory.watchKinds()
  return {
    kind: ActiveResource,
    describe: ({ spec }) => formatDescriptor(spec),
    watches: watchesOf(tools),
    reconcile: (resource, context) => reconcile(resource, state, context),
    finalize: (resource, context) => finalize(resource, state, context),
  }
}

/**
 * 1. hideSecretOutputs: removes from the status the outputs that the type declares secret by now; writes the status.
 * 2. refuseUnsigned: throws Stalled for a spec that another client wrote.
 * 3. statusOfUnused: returns the status of a resource that no workload uses; deletes the objects of an unused workload.
 * 4. refuseWithoutEnvironment: throws Waiting while the environment is terminating; deletes a new resource whose environment is gone.
 *    awaitDependencies: throws Waiting until all dependencies are ready.
 * 5. requestFor: resolves the inputs of the driver; reads Secrets.
 * 6. causeOf: returns the status of a resource that needs no call. A deployment of mode `full` calls in any
 *    case, and each deployment waits until dependents of what changed are reconciled (`renewals`).
 * 7. provision: calls the driver.
 * 8. awaitRollout: for a workload, throws Waiting until its pods run.
 * 9. withRunSettingsApplied: when step 4, 5, 7 or 8 throws, lets the environment stop and scale the pods that exist.
 *
 * Only steps 1, 3, 4, 7 and 9 write, and each is safe to repeat.
 */
async function reconcile(latest: ActiveResource, state: State, context: Context): Promise<ResourceStatus> {
  const types = state.planning.typesOf(latest.metadata.namespace)
  const visible = await hideSecretOutputs(latest, types, context)
  // To make them secret repairs what was provisioned.
  if (visible !== latest && latest.status?.inputsHash) state.unfinished.set(keyOf(latest), true)
  refuseUnsigned(visible, state)
  const resource = withoutPending(visible, state)
  if (resource.spec.unusedSince) return statusOfUnused(resource, state)
  try {
    return await reconcileUsed(resource, state, context)
  } catch (error) {
    throw await withRunSettingsApplied(error, resource, state, context.report)
  }
}

/** Steps 4 to 8. */
async function reconcileUsed(
  resource: ActiveResource,
  state: State,
  context: Context,
): Promise<ResourceStatus> {
  const { planning, cluster, drivers, installation, unfinished, renewals, log } = state
  const { namespace } = resource.metadata
  await refuseWithoutEnvironment(resource, cluster)
  awaitDependencies(resource, cluster)
  const begun = renewals.begin(resource)
  const found = drivers.find(namespace, resource.spec.definition.driverType)
  const request = await requestFor(resource, found.driver.descriptor, cluster, begun?.secrets)
  const inputsHash = installation.hash(hashedInputs(resource, request, found.templates))
  const secrets = request.knownSecrets
  const { isResync } = context
  const cause = await causeOf(resource, { inputsHash, found, begun, isResync }, state)
  if (cause === undefined) {
    if (begun) context.afterWrite(() => renewals.complete(begun, { isChanged: false }))
    const status = { ...observedOf(resource), explanation: explanationOf(resource) }
    const warned = await withContest(resource, status, state)
    return awaitRollout(resource, { status: warned, secrets }, state, context)
  }
  log.debug('provisioning', {
    key: keyOf(resource),
    resource: formatDescriptor(resource.spec),
    cause: cause.text,
  })
  const { isRepair } = cause
  // A drift is reported once.
  unfinished.set(keyOf(resource), isRepair)
  const type = customTypeOf(resource.spec.type, planning.typesOf(namespace)) // throws Waiting without the type
  const pass = renewals.provisioning(begun)
  const inputs = { type, isRepair, request, inputsHash, found }
  const provisioned = await provision(resource, inputs, state, context).catch((error: unknown) => {
    throw withoutHash(error, resource, cluster)
  })
  // Until then, the hash that is written may be that of earlier inputs.
  context.afterWrite(() => unfinished.delete(keyOf(resource)))
  const { provisionTime, inputsHash: earlierHash } = resource.status ?? {}
  const isChanged = earlierHash !== inputsHash || provisioned.status.provisionTime !== provisionTime
  if (pass) context.afterWrite(() => renewals.complete(pass, { isChanged }))
  const status = await withContest(resource, provisioned.status, state)
  return awaitRollout(resource, { ...provisioned, status, secrets }, state, context)
}

/**
 * 1. detach: for a detached resource, records what stays and releases its Secrets; returns.
 * 2. removals.of: returns `later` until its terminating environment decides how the resource is removed.
 * 3. awaitDependents: throws Waiting while dependents are terminating too, for a resource that is removed alone.
 * 4. deprovisionAll: deprovisions every recorded instance; safe to repeat. With the other resources of its environment,
 *    leaves the objects in the namespace of the environment to the cluster.
 */
async function finalize(
  terminating: ActiveResource,
  state: State,
  context: Pick<Context, 'releaseWorker' | 'report'>,
): Promise<'later' | void> {
  const resource = withoutPending(terminating, state)
  const removal = isDetached(resource.metadata) ? 'alone' : state.removals.of(resource)
  if (removal === 'later') return removal
  state.unfinished.delete(keyOf(resource))
  await state.newResources.take(resource)
  if (isDetached(resource.metadata)) await detach(resource, state)
  else {
    if (removal === 'alone') awaitDependents(resource, state)
    const left = removal === 'together' ? environmentNamespace(resource.spec.context) : undefined
    if (mayExist(resource, state))
      await withDetachHint(resource, () => deprovisionAll(resource, state, context, left))
  }
  state.pending.remove(resource)
  state.seen.delete(resource.metadata.uid)
  return undefined
}

function withoutPending(resource: ActiveResource, { pending }: State): ActiveResource {
  const { status } = resource
  return status ? { ...resource, status: pending.without(resource, status) } : resource
}

/** Whether an instance may exist. False for an unsigned spec without a status of the operator. */
function mayExist(resource: ActiveResource, { installation }: State): boolean {
  const { provisioned, secretNames } = resource.status ?? {}
  return provisioned !== undefined || secretNames !== undefined || installation.isSigned(resource)
}

function refuseUnsigned(resource: ActiveResource, { installation }: State): void {
  if (installation.isSigned(resource)) return
  const remedy =
    'deploy the environment to replace it, and keep others and admission policies from changing it'
  const message = `the spec is not signed by this installation: ${remedy}`
  throw new Stalled('Untrusted', message)
}

/** The error of a provision; its status has no hash, so that a new process calls the driver again too. */
function withoutHash(error: unknown, { metadata }: ActiveResource, { store }: Cluster): unknown {
  const latest = store.get(ActiveResource, metadata.namespace, metadata.name)
  if (!hasReason(error) || error.observed || !latest) return error
  return copyError(error, { observed: { ...observedOf(latest), inputsHash: undefined } })
}

function explanationOf({ spec, status }: ActiveResource): string | undefined {
  return spec.definition.explanation ?? status?.explanation
}

function awaitDependencies(resource: ActiveResource, { store }: Cluster): void {
  const { namespace } = resource.metadata
  const unready = dependenciesOf(resource, store).flatMap((name) => {
    const dependency = store.get(ActiveResource, namespace, name)
    if (dependency && isReady(dependency) && !dependency.metadata.deletionTimestamp) return []
    return [dependency ? formatDescriptor(dependency.spec) : missing(resource, name)]
  })
  if (unready.length > 0) throw new Waiting('DependencyNotReady', `waiting for ${firstOf(unready)}`)
}

/** A dependency that does not exist, as the inputs name it. */
function missing({ spec }: ActiveResource, guResId: string): string {
  const references = Object.entries(spec.references ?? {})
  const [text] = references.find(([, targets]) => targets.includes(guResId)) ?? []
  const named = text === undefined ? guResId : `'${text}'`
  return `${named}, which does not exist (if it was deleted, the next deployment makes it again)`
}

/**
 * Throws Waiting while dependents are terminating; a dependent that is not being deleted does not delay deletion. In a
 * terminating environment or organization all are, or will be. A deployment that reverses dependencies may end
 * between its writes: of resources that depend on each other, the first by name is deleted first.
 */
function awaitDependents(resource: ActiveResource, { cluster: { store }, removals }: State): void {
  const isOfSame = ({ spec }: ActiveResource) => spec.environmentName === resource.spec.environmentName
  const isEnding = removals.isWithEnvironment(resource)
  const terminating = dependentsOf(resource, store).filter(
    (each) => each.metadata.deletionTimestamp || (isEnding && isOfSame(each)),
  )
  if (terminating.length === 0) return
  const needed = withNeeded(resource, store)
  const isLater = (name: string) => needed.has(name) && name > resource.metadata.name
  const earlier = terminating.filter(({ metadata }) => !isLater(metadata.name))
  if (earlier.length === 0) return
  const names = earlier.map(({ spec }) => formatDescriptor(spec))
  throw new Waiting('DependentsRemain', `waiting for ${firstOf(names)} to be deleted`)
}

/**
 * Keeps a resource that no workload uses, so that a rollback can use it again. A workload has no state: its
 * objects are deleted, and a rollback renders them again.
 */
async function statusOfUnused(
  resource: ActiveResource,
  { inventory, unfinished }: State,
): Promise<ResourceStatus> {
  const { unusedSince, deploymentName, type } = resource.spec
  const isWorkload = simpleTypeName(type) === workloadType
  if (isWorkload) {
    // It may be used again before all of them are deleted.
    unfinished.set(keyOf(resource), false)
    await inventory.removeAll(resource)
  }
  if (!resource.status?.inputsHash && !resource.status?.provisioned)
    throw new Waiting('Unused', 'not provisioned: no workload uses this resource')
  const left = isWorkload ? { objects: undefined, inputsHash: undefined } : {}
  const kept = resource.status?.inputsHash
    ? 'kept for a rollback'
    : 'kept, but its last change did not succeed: a rollback makes it again'
  const end = isWorkload ? 'its objects are deleted' : kept
  const message = `unused since ${unusedSince}, when '${deploymentName}' was deployed; ${end}`
  return {
    ...observedOf(resource),
    ...left,
    conditions: [{ type: 'Unused', status: 'True', reason: 'NotReferenced', message }],
  }
}
