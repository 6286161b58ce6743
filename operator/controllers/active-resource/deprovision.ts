import type { ActiveResource, ProvisionedInstance } from '../../api/active-resource.ts'
import { driverName, driverOf } from '../../domain/definition/definition.ts'
import type { DeprovisionRequest } from '../../drivers/driver.ts'
import type { ReconcileContext } from '../../kube/loop/controller.ts'
import type { ResourceTools } from './active-resource.ts'
import { cookieSecretName, openCookie } from './cookies.ts'
import { step, withinDeadline } from './driver-call.ts'
import { readAccount } from './provision-request.ts'

/** Takes away everything that stands for a resource, or began to; what the status says is all that is needed. */
export async function deprovisionAll(
  resource: ActiveResource,
  tools: ResourceTools,
  reconcile: Pick<ReconcileContext<typeof ActiveResource>, 'releaseWorker'>,
): Promise<void> {
  const { provisioned, predecessors = [], secretNames = [] } = resource.status ?? {}
  const all = [...predecessors, ...(provisioned ? [provisioned] : [])]
  for (const each of all) await deprovision(resource, each, tools, reconcile)
  const catalogue = tools.planning.catalogueOf(resource.metadata.namespace ?? '')
  const types = [resource.spec.definition.driverType, ...all.map(({ driverType }) => driverType)]
  const descriptors = new Set(types.map((type) => driverOf(type, catalogue, tools.vendors)))
  await tools.inventory.clear(
    resource,
    [...descriptors].flatMap((each) => each?.applies ?? []),
  )
  await tools.secretFinalizers.removeFinalizers(resource, secretNames)
}

/** Takes away one of the things that stand; what `successor` names too stays. */
export async function deprovision(
  resource: ActiveResource,
  standing: ProvisionedInstance,
  tools: ResourceTools,
  reconcile: Pick<ReconcileContext<typeof ActiveResource>, 'releaseWorker'>,
  successor?: ProvisionedInstance,
): Promise<void> {
  const { context, type, class: resourceClass, resourceId } = resource.spec
  const { name: guResId, namespace = '' } = resource.metadata
  const driver = tools.drivers.ofStanding(namespace, standing)
  const account = await readAccount(resource, standing, tools.cluster)
  const signal = AbortSignal.timeout(tools.deadlineSeconds * 1000)
  const name = driverName(standing.driverType, tools.vendors)
  const isSameDriver = successor && driverName(successor.driverType, tools.vendors) === name
  const cookie = driver.descriptor.keepsCookie
    ? openCookie(resource, cookieSecretName(guResId, name, standing), tools)
    : undefined
  const call: DeprovisionRequest = {
    guResId,
    context,
    type,
    class: resourceClass,
    resourceId,
    identity: standing.identity ?? {},
    ...(account ? { account } : {}),
    ...(isSameDriver ? { successor: successor.identity ?? {} } : {}),
    ...(cookie ? { cookie } : {}),
    signal,
  }
  await step('DeprovisionFailed', `deprovisioning with '${standing.driverType}'`, [account], () =>
    reconcile.releaseWorker(() => withinDeadline(driver.deprovision(call), signal)),
  )
  await cookie?.write(undefined)
}
