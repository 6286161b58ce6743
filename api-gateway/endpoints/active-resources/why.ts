import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { CommonStatus, ObjectMeta } from '../../../operator/api/kind.ts'
import { string } from '../../../operator/api/schema.ts'
import { compareText } from '../../../operator/domain/base/json.ts'
import { formatDescriptor } from '../../../operator/domain/resource/descriptor.ts'
import { conditionOf, isObserved } from '../../../operator/kube/loop/outcome.ts'

interface Told {
  readonly metadata: ObjectMeta
  readonly status?: CommonStatus
}

/** Schema of a message that a condition gives. */
export const messageOfCondition = (description: string) => string(description, { maxLength: 65_536 })

/** Optional field of what the operator judges. */
export const statusMessageField = {
  status_message: messageOfCondition(
    'Reason and message of why it is not ready or what its deletion waits for. Absent if neither applies.',
  ),
}

/**
 * Why an object is not ready, or that nothing uses it, as `<reason>: <message>`. Undefined when all is well, and when
 * what is known speaks of an older spec.
 */
export function whyOf(object: Told): string | undefined {
  if (!isObserved(object)) return undefined
  const ready = conditionOf(object, 'Ready')
  const telling = ready?.status === 'True' ? conditionOf(object, 'Unused') : ready
  return telling && `${telling.reason}: ${telling.message}`
}

/** Field `status_message` of an object, where there is something to say; its resources are asked when it is being deleted. */
export function statusMessageOf(
  object: Told,
  resources: () => readonly ActiveResource[] = () => [],
): { status_message?: string } {
  const holding = object.metadata.deletionTimestamp ? firstFailing(resources()) : undefined
  const parts = [whyOf(object), holding && describe(holding, object)].filter((each) => each !== undefined)
  return parts.length === 0 ? {} : { status_message: parts.join('; ') }
}

/** Those that merely wait for others are not what holds things up. */
function firstFailing(resources: readonly ActiveResource[]): ActiveResource | undefined {
  const isFailing = (each: ActiveResource) =>
    conditionOf(each, 'Ready')?.status === 'False' && isObserved(each)
  const place = ({ spec }: ActiveResource) => `${spec.environmentName} ${formatDescriptor(spec)}`
  return resources.filter(isFailing).sort((left, right) => compareText(place(left), place(right)))[0]
}

/** The environment is named unless it is the one that is asked about. */
function describe(resource: ActiveResource, { metadata }: Told): string {
  const { environmentName } = resource.spec
  const where = environmentName === metadata.name ? '' : ` of environment '${environmentName}'`
  return `${formatDescriptor(resource.spec)}${where}: ${whyOf(resource)}`
}
