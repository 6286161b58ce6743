import type { FreeForm } from '../../api/schema.ts'
import { copyError, hadNoSideEffects } from '../../domain/base/errors.ts'
import { driverName } from '../../domain/definition/definition.ts'
import { pullSecretName, withPullSecret } from '../../domain/image/pull-secret.ts'
import { withRunSettings } from '../../domain/rendering/run-settings.ts'
import { simpleTypeName, workloadType } from '../../domain/resource/types.ts'
import type { Provisioned, ProvisionRequest } from '../../drivers/driver.ts'
import { observedOf } from '../objects/observed.ts'
import { secretNotFound } from '../shared/secrets.ts'
import { reportCall, withinDeadline } from './driver-call.ts'
import { cookieSecretName, openCookie } from './instances/cookies.ts'
import { type Instances, inheritedCookie, secretNamesOf } from './instances/provisioned-instances.ts'
import { type Run, unlessEmpty } from './provision-run.ts'
import type { ResourceStatus } from './resource-tools.ts'

/** A call of the driver. */
interface Call {
  readonly request: ProvisionRequest
  /** What the driver needs to find the instance again. */
  readonly identity?: FreeForm
  /** Secrets that the call reads or writes. */
  readonly secretNames: readonly string[]
}

/** Asks the driver for the identity of the instance, and opens the cookie of a driver that keeps one. Writes nothing. */
export async function prepareCall({ resource, request, found, signal, hold, tools }: Run): Promise<Call> {
  const { driver, recordedAs } = found
  const { pullCredentials: _, knownSecrets: __, runSettings: ___, secretNames, ...given } = request
  const plain: ProvisionRequest = { ...given, signal, hold }
  const identity = await withinDeadline(Promise.resolve(driver.identify?.(plain)), signal)
  if (!driver.descriptor.keepsCookie) return { request: plain, identity, secretNames }
  const name = driverName(recordedAs.driverType, tools.vendors)
  const cookieName = cookieSecretName(resource.metadata.name, name, { identity })
  const isCookieNeeded = driver.needsCookie?.(plain) ?? true
  const hasCookie = resource.status?.secretNames?.includes(cookieName)
  if (!isCookieNeeded && !hasCookie) return { request: plain, identity, secretNames }
  const own = openCookie(resource, cookieName, tools, signal)
  return {
    request: { ...plain, cookie: inheritedCookie(resource, recordedAs, own, tools) },
    identity,
    secretNames: [...secretNames, cookieName].sort(),
  }
}

/**
 * Adds our finalizer to the Secrets of the call, after it wrote their names to the status: a spec that names others later leaves no
 * other trace of it. Throws that the credentials of the account were deleted after the call had read them: no driver could
 * deprovision what the call makes.
 */
export async function protectSecrets(
  { resource, tools, context, action }: Run,
  { secretNames }: Call,
  { current, isRecordNeeded }: Instances,
): Promise<void> {
  const status = observedOf(resource)
  const named = withSecretNames(status, secretNames)
  const isNew = isRecordNeeded || named.secretNames?.length !== status.secretNames?.length
  const announce = isNew ? () => context.report(named, action) : undefined
  const deleted = await tools.secretFinalizers.addFinalizers(resource, secretNames, announce)
  const { credentialsSecretName: name } = current
  if (name !== undefined && deleted.includes(name)) throw secretNotFound(name, named)
}

/**
 * Writes the instance, its predecessors, their Secrets and the former ones, which keep their finalizer until the end of the
 * provision, to the status, unless it records them already. After a crash, a deletion deprovisions each recorded instance, also
 * one that the driver never made: so its credentials must have their finalizer before.
 */
export async function recordInstance(
  { resource, tools, context, action }: Run,
  { secretNames }: Call,
  { current, predecessors, isRecordNeeded }: Instances,
): Promise<ResourceStatus> {
  const named = withSecretNames(observedOf(resource), secretNames)
  if (!isRecordNeeded) return named
  const ofPredecessors = predecessors.flatMap((each) => secretNamesOf(resource, each, tools))
  const recorded: ResourceStatus = {
    ...withSecretNames(named, ofPredecessors),
    // Without a hash, the next reconcile calls the driver even with equal inputs.
    inputsHash: undefined,
    provisioned: current,
    predecessors: unlessEmpty(predecessors),
  }
  await context.report(recorded, action)
  tools.seen.add(resource.metadata.uid)
  // Not before: if the former process recorded more than this one knew, the write is a conflict, and its record counts.
  tools.pending.add(resource)
  return recorded
}

/** The status with these names of Secrets too. */
function withSecretNames(status: ResourceStatus, names: readonly string[]): ResourceStatus {
  const all = new Set([...names, ...(status.secretNames ?? [])])
  return { ...status, secretNames: unlessEmpty([...all].sort()) }
}

/**
 * Calls the driver, which makes or updates the instance. When the driver says that the call made nothing, the status
 * returns to the instances from before the record; after any other error the record stays.
 */
export async function callDriver(
  run: Run,
  { request }: Call,
  recorded: ResourceStatus,
): Promise<Provisioned> {
  const { resource, context, signal } = run
  const { pending } = run.tools
  const { driver, recordedAs } = run.found
  const provision = () => withinDeadline(driver.provision(request), signal)
  const call = () => reportCall(run.tools, recordedAs, 'provision', provision)
  try {
    const answer = await (driver.descriptor.remote ? context.releaseWorker(call) : call())
    pending.remove(resource)
    return withWorkloadSettings(run, answer)
  } catch (error) {
    if (hadNoSideEffects(error)) throw copyError(error, { observed: pending.without(resource, recorded) })
    pending.remove(resource)
    throw error
  }
}

/** Adds the image pull Secret, and what the environment says about pods, to the objects that the driver of a workload answers. */
function withWorkloadSettings({ resource, request }: Run, answer: Provisioned): Provisioned {
  if (simpleTypeName(request.type) !== workloadType) return answer
  const { pullCredentials = [], runSettings } = request
  const objects = withPullSecret(answer.objects, pullSecretName(resource.metadata.name), pullCredentials)
  return { ...answer, objects: withRunSettings(objects, runSettings) }
}
