import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import { annotations } from '../../../operator/api/names.ts'
import { eventually, readyOf } from '../support/client.ts'
import { patch } from '../support/observing.ts'
import { removeBy } from './doors.ts'
import type { DirectDoor } from './step.ts'
import type { Subject } from './subject.ts'

const endsWithinMs = 120_000

/** Deletes an environment of the application. */
export function removeEnvironment({ organization }: Subject, environment: string, door: DirectDoor) {
  return removeBy(door, organization, {
    plural: 'environments',
    name: `shop.${environment}`,
    path: `/apps/shop/envs/${environment}`,
  })
}

/** Deletes a resource. Over REST, one of an environment that is missing stays. */
export async function removeResource(
  { organization, pathOf }: Subject,
  { metadata, spec }: ActiveResource,
  door: DirectDoor,
  isDetached = false,
): Promise<unknown> {
  const { type, class: name, resourceId, environmentName } = spec
  if (door === 'REST') {
    const typeAndClass = encodeURIComponent(name === 'default' ? type : `${type}.${name}`)
    const environment = `/apps/shop/envs/${environmentName.replace('shop.', '')}`
    const query = isDetached ? '?detach=true' : ''
    return organization.rest('DELETE', `${environment}/resources/${typeAndClass}/${resourceId}${query}`)
  }
  const path = pathOf('activeresources', metadata.name)
  if (isDetached)
    await patch(organization, path, { metadata: { annotations: { [annotations.detach]: 'true' } } })
  return organization.kube('DELETE', path)
}

/** Detaches each resource whose deletion fails, as its message says, until all are gone; answers their GUResIDs. */
export async function detachAll(subject: Subject, door: DirectDoor): Promise<ReadonlySet<string>> {
  const detached = new Set<string>()
  await eventually('the end of all resources', endsWithinMs, async () => {
    const left = await subject.organization.allResources()
    for (const resource of left) {
      const { message } = readyOf(resource)
      if (!message.includes(annotations.detach)) continue
      detached.add(resource.metadata.name)
      await removeResource(subject, resource, door, true)
    }
    if (left.length === 0) return true
    throw new Error(JSON.stringify(left.map((each) => [each.metadata.name, readyOf(each)])))
  })
  return detached
}
