import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { CommonStatus, ObjectMeta } from '../../../operator/api/kind.ts'
import { string } from '../../../operator/api/schema.ts'
import { compareText } from '../../../operator/domain/base/json.ts'
import { formatDescriptor } from '../../../operator/domain/resource/descriptor.ts'
import { conditionOf, isObserved } from '../../../operator/kube/loop/outcome.ts'

interface ObjectWithStatus {
  readonly metadata: ObjectMeta
  readonly status?: CommonStatus
}

/** Schema of the message of a condition. */
export const conditionMessageSchema = (description: string) => string(description, { maxLength: 65_536 })

/** Optional field of objects with conditions. */
export const statusMessageField = {
  status_message: conditionMessageSchema(
    'Why the object is not ready, what its deletion waits for, or a warning. Absent if none applies.',
  ),
}

/**
 * Returns `<reason>: <message>` of the condition that explains why an object is not ready or is unused.
 * Undefined if it is ready and used, or if its status belongs to an older spec.
 */
export function conditionMessage(object: ObjectWithStatus): string | undefined {
  if (!isObserved(object)) return undefined
  const ready = conditionOf(object, 'Ready')
  const condition = ready?.status === 'True' ? conditionOf(object, 'Unused') : ready
  return condition && `${condition.reason}: ${condition.message}`
}

/**
 * Returns the field `status_message`; for an object under deletion it includes the first resource that fails, unless the
 * condition of the object names that one.
 */
export function statusMessageOf(
  object: ObjectWithStatus,
  resources: () => readonly ActiveResource[] = () => [],
): { status_message?: string } {
  const message = conditionMessage(object) ?? warningOf(object)
  const failing = object.metadata.deletionTimestamp ? firstFailingResource(resources()) : undefined
  const isNamed = failing !== undefined && message?.includes(`${formatDescriptor(failing.spec)}: `)
  const parts = [message, failing && !isNamed ? describe(failing, object) : undefined].filter(
    (each) => each !== undefined,
  )
  return { status_message: parts.join('; ') || undefined }
}

/** The warning about an object that is ready, such as inputs that its driver does not read. */
function warningOf(object: ObjectWithStatus): string | undefined {
  const warning = isObserved(object) ? conditionOf(object, 'Warning') : undefined
  return warning && `${warning.reason}: ${warning.message}`
}

/** Resources that only wait for others are not the cause. */
function firstFailingResource(resources: readonly ActiveResource[]): ActiveResource | undefined {
  const isFailing = (each: ActiveResource) =>
    conditionOf(each, 'Ready')?.status === 'False' && isObserved(each)
  const key = ({ spec }: ActiveResource) => `${spec.environmentName} ${formatDescriptor(spec)}`
  return resources.filter(isFailing).sort((left, right) => compareText(key(left), key(right)))[0]
}

/** Names the environment unless it is the object itself. */
function describe(resource: ActiveResource, { metadata }: ObjectWithStatus): string {
  const { environmentName } = resource.spec
  const where = environmentName === metadata.name ? '' : ` of environment '${environmentName}'`
  return `${formatDescriptor(resource.spec)}${where}: ${conditionMessage(resource)}`
}
