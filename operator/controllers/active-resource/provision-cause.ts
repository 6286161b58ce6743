import type { ActiveResource } from '../../api/active-resource.ts'
import { areSameDriver } from '../../domain/definition/definition.ts'
import { findCustomType, hasOtherSchemas } from '../../domain/resource/type-info.ts'
import { keyOf } from '../../kube/client/resource.ts'
import type { Pass } from '../shared/renewals.ts'
import { hasLostSecrets } from '../shared/written-secrets.ts'
import type { FoundDriver } from './organization-drivers.ts'
import type { ResourceTools } from './resource-tools.ts'

/** Why the driver must be called. */
interface Cause {
  readonly text: string
  /** Whether the call repairs what an earlier deployment provisioned: the type has other schemas since, which the next one checks. */
  readonly isRepair: boolean
}

/** A reconcile of a resource whose inputs are known. */
interface Occasion {
  readonly inputsHash: string
  readonly found: FoundDriver
  readonly begun: Pass | undefined
  readonly isResync: boolean
}

/** What the cause depends on. */
export interface CauseTools extends Pick<ResourceTools, 'inventory' | 'planning' | 'cluster' | 'vendors'> {
  /**
   * Keys of the resources whose last provision or removal of objects has not ended: their hash does not describe what exists.
   * And whether it was a repair.
   */
  readonly unfinished: Map<string, boolean>
}

/** Why the driver must be called; undefined when nothing is to be done. */
export async function causeOf(
  resource: ActiveResource,
  occasion: Occasion,
  tools: CauseTools,
): Promise<Cause | undefined> {
  const { inputsHash, begun } = occasion
  const isDeployed = begun?.mark !== undefined || isSpecNew(resource)
  const hasNewType = isOfChangedType(resource, tools)
  const text = await textOf(resource, occasion, { isDeployed, isNewType: isDeployed && hasNewType }, tools)
  if (text === undefined) return undefined
  const isOfSame = resource.status?.inputsHash === inputsHash && !isOfOtherDriver(resource, occasion, tools)
  const isAsBefore = tools.unfinished.get(keyOf(resource)) ?? isOfSame
  return { text, isRepair: hasNewType && !isDeployed && isAsBefore }
}

async function textOf(
  resource: ActiveResource,
  occasion: Occasion,
  { isDeployed, isNewType }: { readonly isDeployed: boolean; readonly isNewType: boolean },
  tools: CauseTools,
): Promise<string | undefined> {
  const { inputsHash, found, begun, isResync } = occasion
  const { inventory, unfinished, cluster } = tools
  const hasDrifted = inventory.consumeDrift(resource)
  if (hasDrifted) return 'an object changed'
  if (unfinished.has(keyOf(resource))) return 'the last attempt did not end'
  if (resource.status?.inputsHash !== inputsHash) return 'the inputs changed'
  if (isOfOtherDriver(resource, occasion, tools)) return 'the driver wraps another one'
  if (isResync && found.driver.descriptor.repairs === true) return 'the driver repairs on resync'
  if (begun?.mark !== undefined && begun.run.isForced) return 'the mode of the deployment is full'
  if (isNewType) return 'the type changed'
  const isLookedAt = isResync || isDeployed
  return isLookedAt && (await hasLostSecrets(resource, cluster.client)) ? 'a Secret is missing' : undefined
}

/** Whether another driver made the instance than the one that the driver of the resource wraps now; the inputs may be equal. */
function isOfOtherDriver(
  { status }: ActiveResource,
  { found: { recordedAs } }: Pick<Occasion, 'found'>,
  { vendors }: Pick<CauseTools, 'vendors'>,
): boolean {
  const { provisioned } = status ?? {}
  return provisioned !== undefined && !areSameDriver(provisioned.driverType, recordedAs.driverType, vendors)
}

/** Whether the custom type had other schemas at the last call of the driver. */
function isOfChangedType({ metadata, spec, status }: ActiveResource, { planning }: CauseTools): boolean {
  return hasOtherSchemas(status, findCustomType(spec.type, planning.typesOf(metadata.namespace)))
}

/** Whether no status is of this spec yet. */
function isSpecNew({ metadata, status }: ActiveResource): boolean {
  return status?.observedGeneration !== metadata.generation
}
