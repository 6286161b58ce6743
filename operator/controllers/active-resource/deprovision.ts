import type { ActiveResource, ProvisionedInstance } from '../../api/active-resource.ts'
import { driverName } from '../../domain/definition/definition.ts'
import type { DeprovisionRequest } from '../../drivers/driver.ts'
import type { WorkContext } from '../../kube/loop/controller.ts'
import { observedOf } from '../objects/observed.ts'
import { reportCall, withinDeadline, withReason } from './driver-call.ts'
import { refuseOutdated } from './ended-resources.ts'
import { existingCookie } from './instances/cookies.ts'
import { isAtSameAddress, lastCookie } from './instances/provisioned-instances.ts'
import { recordedInstances } from './instances/recorded-instances.ts'
import { readAccount } from './provision-request.ts'
import type { ProvisionTools } from './provision-run.ts'
import type { ResourceStatus, ResourceTools } from './resource-tools.ts'

type DeprovisionTools = ResourceTools & Pick<ProvisionTools, 'seen'>

/**
 * Deprovisions each instance that the status records, deletes the objects but those in `terminatingNamespace`, and releases
 * the Secrets of the resource.
 */
export async function deprovisionAll(
  resource: ActiveResource,
  tools: DeprovisionTools,
  context: Pick<WorkContext<typeof ActiveResource>, 'releaseWorker' | 'report'>,
  terminatingNamespace?: string,
): Promise<void> {
  const all = recordedInstances(resource)
  await deprovisionEach(resource, all, tools, context)
  await tools.inventory.removeAll(resource, terminatingNamespace)
  const status = { ...observedOf(resource), provisioned: undefined }
  await recordDeprovisioned(all, [], status, context)
  await tools.secretFinalizers.releaseAll(resource)
}

/**
 * Writes a status without the instances that are deprovisioned, before credentials of them are released, beside those that are
 * `kept`: without them, no attempt could deprovision the instances again.
 */
export async function recordDeprovisioned(
  instances: readonly ProvisionedInstance[],
  kept: readonly string[],
  status: ResourceStatus,
  { report }: Pick<WorkContext<typeof ActiveResource>, 'report'>,
): Promise<void> {
  const names = instances.flatMap(({ credentialsSecretName }) => credentialsSecretName ?? [])
  if (names.every((name) => kept.includes(name))) return
  await report(
    { ...status, inputsHash: undefined, predecessors: undefined },
    'the instances are deprovisioned',
  )
}

/** Deprovisions instances, the earliest first. One that a later one at the same address has taken over needs no call. */
export async function deprovisionEach(
  resource: ActiveResource,
  instances: readonly ProvisionedInstance[],
  tools: DeprovisionTools,
  context: Pick<WorkContext<typeof ActiveResource>, 'releaseWorker'>,
  successor?: ProvisionedInstance,
): Promise<void> {
  const { namespace } = resource.metadata
  for (const [index, each] of instances.entries()) {
    const later = instances.slice(index + 1)
    if (later.some((other) => isAtSameAddress(namespace, each, other, tools))) continue
    await deprovision(resource, each, tools, context, successor)
  }
}

/**
 * Deprovisions one instance; the driver keeps what `successor` needs too. Under the address of the successor, that has taken
 * the instance over.
 */
async function deprovision(
  resource: ActiveResource,
  instance: ProvisionedInstance,
  tools: DeprovisionTools,
  context: Pick<WorkContext<typeof ActiveResource>, 'releaseWorker'>,
  successor?: ProvisionedInstance,
): Promise<void> {
  const { type, class: resourceClass, resourceId } = resource.spec
  const { name: guResId, namespace } = resource.metadata
  const driver = tools.drivers.forInstance(namespace, instance)
  const own = driver.descriptor.keepsCookie ? existingCookie(resource, instance, tools) : undefined
  if (successor && isAtSameAddress(namespace, instance, successor, tools)) {
    await own?.write(undefined)
    return
  }
  if (driver.descriptor.remote || own) await refuseOutdated(resource, tools)
  const cookie = own && lastCookie(resource, instance, own, tools)
  const account = await readAccount(resource, instance, tools.cluster)
  const signal = AbortSignal.timeout(tools.deadlineSeconds * 1000)
  const name = driverName(instance.driverType, tools.vendors)
  const isSameDriver = successor && driverName(successor.driverType, tools.vendors) === name
  const call: DeprovisionRequest = {
    guResId,
    context: resource.spec.context,
    type,
    class: resourceClass,
    resourceId,
    identity: instance.identity ?? {},
    account,
    successor: isSameDriver ? (successor.identity ?? {}) : undefined,
    cookie,
    signal,
  }
  const run = () => withinDeadline(driver.deprovision(call), signal)
  await withReason('DeprovisionFailed', `deprovisioning with '${instance.driverType}'`, [account], () =>
    context.releaseWorker(() => reportCall(tools, instance, 'deprovision', run)),
  )
  await cookie?.write(undefined)
}
