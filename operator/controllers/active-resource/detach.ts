import type { ActiveResource, ProvisionedInstance } from '../../api/active-resource.ts'
import { annotations } from '../../api/names.ts'
import { copyError } from '../../domain/base/errors.ts'
import { formatDescriptor } from '../../domain/resource/descriptor.ts'
import { recordEvent } from '../shared/events.ts'
import type { ResourceTools } from './resource-tools.ts'

/** Records, as an Event and in the log, which instances and objects stay, and releases the Secrets of the resource. */
export async function detach(resource: ActiveResource, tools: ResourceTools): Promise<void> {
  const { namespace, name } = resource.metadata
  const { provisioned, predecessors = [], objects = [] } = resource.status ?? {}
  const kept = [
    ...[...(provisioned ? [provisioned] : []), ...predecessors].map(describe),
    ...objects.map((each) => `${each.kind} '${each.namespace ?? ''}/${each.name}'`),
  ]
  const message = `deleted ${formatDescriptor(resource.spec)} of environment '${resource.spec.environmentName}' without deprovisioning; not deleted: ${kept.join('; ') || 'nothing'}`
  tools.log.warn('detached', { organization: namespace, guResId: name, event: message })
  await recordEvent(tools.cluster.client, resource, { type: 'Warning', reason: 'Detached', message })
  await tools.secretFinalizers.releaseAll(resource)
}

/** Adds to the error of a deletion how to delete the resource without a deprovision. */
export async function withDetachHint(
  { metadata: { name, namespace } }: ActiveResource,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    const command = `kubectl annotate activeresources.quartermaster.dev ${name} -n ${namespace} ${annotations.detach}=true`
    const hint = `; to delete it without deprovisioning, add '?detach=true' to the REST request, or run: ${command}`
    throw error instanceof Error ? copyError(error, { message: `${error.message}${hint}` }) : error
  }
}

function describe({ driverType, accountName, identity }: ProvisionedInstance): string {
  const account = accountName === undefined ? '' : ` with account '${accountName}'`
  return `instance of driver '${driverType}'${account}${identity ? ` (${JSON.stringify(identity)})` : ''}`
}
