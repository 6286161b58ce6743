import type { AppliedObject } from '../../api/active-resource.ts'
import type { KubeObject } from '../../api/kind.ts'
import { Waiting } from '../../domain/base/errors.ts'
import { areCovered, leafPaths, type SeparatedOutputs } from '../../domain/schema/secret-outputs.ts'
import type { Outputs, Provisioned } from '../../drivers/driver.ts'
import {
  isSame,
  isSameReference,
  isWatchable,
  refuseReserved,
  withoutFieldsOfCluster,
} from '../objects/applied-object.ts'
import type { ApplyResult } from '../objects/drift.ts'
import { openNamespace, refuseNamespaceOfOthers } from '../objects/environment-namespace.ts'
import { claimsRollout } from '../rollout/await-rollout.ts'
import { namespaceResourceOf } from '../shared/dependents.ts'
import { withinDeadline } from './driver-call.ts'
import { hasOtherInputs, type Instances } from './instances/provisioned-instances.ts'
import { formerSecretPaths, sortOutputs } from './outputs.ts'
import type { Run } from './provision-run.ts'
import type { ResourceStatus } from './resource-tools.ts'

/** The objects with their namespaces, without what only the cluster sets; throws Stalled for one that no driver may make. */
export async function placeObjects(
  { resource, request, tools }: Run,
  answer: Provisioned,
): Promise<KubeObject[]> {
  for (const each of answer.objects) {
    refuseReserved(each)
    refuseNamespaceOfOthers(resource, each)
  }
  const placed = (each: KubeObject) => tools.objects.placed(withoutFieldsOfCluster(each), request.namespace)
  return Promise.all(answer.objects.map(placed))
}

/**
 * Writes to the status the objects that a new process would not find by its watches, before they exist; and that a ready
 * workload is not ready any more, before its objects change.
 */
export async function recordObjects(
  { resource, inputsHash, tools, context, action }: Run,
  objects: readonly KubeObject[],
  { current }: Instances,
  recorded: ResourceStatus,
): Promise<void> {
  const unrecorded = await tools.inventory.unrecorded(resource, objects)
  const isHashWrong =
    hasOtherInputs(recorded, inputsHash) &&
    (isChangeUnseen(recorded, objects) || claimsRollout(resource, tools.rollouts))
  if (unrecorded.length === 0 && !isHashWrong) return
  const known = recorded.objects ?? []
  const status = {
    ...recorded,
    inputsHash: undefined,
    provisioned: current,
    objects: [...known, ...unrecorded],
  }
  await context.report(status, action)
}

/**
 * Whether an update changes something that a new process would not notice: secret outputs, an object of a kind that is not
 * watched, or which objects there are.
 */
function isChangeUnseen(
  { outputsSecretName, objects = [] }: ResourceStatus,
  wanted: readonly KubeObject[],
): boolean {
  const isSeen = (each: AppliedObject) => isWatchable(each) && wanted.some((other) => isSame(each, other))
  return (
    outputsSecretName !== undefined ||
    objects.length !== wanted.length ||
    !objects.every((each) => isSeen(each))
  )
}

/**
 * Reserves the hosts, applies the objects, and deletes those of an earlier provision that the driver no longer lists, unless
 * the driver keeps them. After a crash, labels and the status name every applied object.
 */
export function applyObjects(
  { resource, tools, attempt }: Run,
  objects: readonly KubeObject[],
  { reservedHosts = [], keepsEarlier: keepsOthers = false }: Provisioned,
): Promise<ApplyResult> {
  tools.hostReservations.reserve(resource, reservedHosts)
  return attempt(() => tools.inventory.apply(resource, objects, { keepsOthers }))
}

/** The recorded objects of an earlier provision that the driver keeps until the outputs are known. */
export function keptObjects(
  { keepsEarlier }: Provisioned,
  { objects = [] }: ResourceStatus,
  { applied }: ApplyResult,
): AppliedObject[] {
  if (!keepsEarlier) return []
  return objects.filter((each) => !applied.some((other) => isSameReference(other, each)))
}

/** Deletes the objects of an earlier provision that the driver kept until the outputs were known. */
export async function removeKept(
  { resource, tools, attempt }: Run,
  { keepsEarlier }: Provisioned,
  { applied }: ApplyResult,
): Promise<void> {
  if (keepsEarlier) await attempt(() => tools.inventory.removeOthers(resource, applied))
}

/** Returns the outputs in their two parts; throws Waiting until the objects have them. Writes nothing. */
export async function readOutputs(
  run: Run,
  answer: Provisioned,
  applied: ApplyResult,
): Promise<SeparatedOutputs> {
  const outputs = await run.attempt(() => outputsFrom(run, answer, applied))
  const { resource, tools, isRepair } = run
  const secretPaths = await formerSecretPaths(resource, tools)
  const types = tools.planning.typesOf(resource.metadata.namespace)
  return sortOutputs(outputs, types, resource.spec.type, { secretPaths, isRepair })
}

async function outputsFrom(run: Run, answer: Provisioned, applied: ApplyResult): Promise<Outputs> {
  if (!answer.outputsFrom) return answer.outputs
  const { resource, request, tools } = run
  const { namespace } = request
  const observed = Object.entries(answer.observed ?? {})
  // The outputs show what is read, so reading needs the same right as writing.
  if (observed.length > 0) {
    const namer = namespaceResourceOf(resource, tools.cluster.store)
    await openNamespace(tools.objects, resource.spec.context, namespace, namer)
  }
  const objects: Record<string, KubeObject | undefined> = {}
  for (const [name, reference] of observed)
    objects[name] = await tools.objects.read({ ...reference, namespace })
  try {
    const signal = AbortSignal.timeout(tools.deadlineSeconds * 1000)
    return await withinDeadline(answer.outputsFrom(applied.live, objects), signal)
  } catch (error) {
    if (error instanceof Waiting) await tools.inventory.enqueueOnChange(resource, applied)
    throw error
  }
}

/**
 * Writes to a status with outputs which of them are secret, before they are written to the Secret: after a crash they must
 * not become plain outputs. Without outputs, a provision after the crash looks into the Secret.
 */
export async function hideOutputs(
  { context, action }: Run,
  { secrets }: SeparatedOutputs,
  recorded: ResourceStatus,
  hidden: ResourceStatus,
): Promise<void> {
  const { outputs, secretOutputPaths = [] } = recorded
  if (outputs === undefined || areCovered(leafPaths(secrets), secretOutputPaths)) return
  await context.report(hidden, action)
}
