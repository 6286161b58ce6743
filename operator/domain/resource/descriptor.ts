import { Problem } from '../base/errors.ts'

/** Identifies a resource within its environment. */
export interface Descriptor {
  readonly type: string
  readonly class: string
  readonly resourceId: string
}

/** A reference to a resource. Absent parts default to those of the referring resource. */
export interface Reference {
  readonly type: string
  readonly class?: string
  readonly resourceId?: string
}

/** Class of a resource without a given class. */
export const defaultClass = 'default'

const namePattern = /^[A-Za-z0-9][A-Za-z0-9_-]*$/
const typePattern = /^[A-Za-z0-9][A-Za-z0-9_-]*(?:\/[A-Za-z0-9][A-Za-z0-9_-]*)?$/
/** A dot at the end belongs to an empty name: of a workload, or of a dependency. */
const resourceIdPattern = /^[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?$/

/** The text of a descriptor: `<type>.<class>#<resourceId>`. */
export function formatDescriptor(descriptor: Descriptor): string {
  return `${descriptor.type}.${descriptor.class}#${descriptor.resourceId}`
}

/** Parses the text of a descriptor; throws Problem('Invalid') when it is malformed. */
export function parseDescriptor(text: string): Descriptor {
  const { type, class: resourceClass, resourceId } = parseReference(text)
  if (resourceClass === undefined || resourceId === undefined) {
    throw new Problem('Invalid', `'${text}' is not a descriptor '<type>.<class>#<resource id>'`)
  }
  return { type, class: resourceClass, resourceId }
}

/** Parses a reference `type[.class][#id]`; throws Problem('Invalid') when it is malformed. */
export function parseReference(text: string): Reference {
  const hash = text.indexOf('#')
  const resourceId = hash === -1 ? undefined : text.slice(hash + 1)
  const { type, class: resourceClass } = splitTypeAndClass(hash === -1 ? text : text.slice(0, hash))
  const problem = problemOfDescriptor({ type, class: resourceClass, resourceId })
  if (problem)
    throw new Problem(
      'Invalid',
      `'${text}' is not a reference '<type>[.<class>][#<resource id>]': ${problem}`,
    )
  return {
    type,
    ...(resourceClass === undefined ? {} : { class: resourceClass }),
    ...(resourceId === undefined ? {} : { resourceId }),
  }
}

/** Why a reference or descriptor is invalid; undefined when it is valid. */
export function problemOfDescriptor({
  type,
  class: resourceClass,
  resourceId,
}: Reference): string | undefined {
  if (type.length > 127 || !typePattern.test(type)) return `'${type}' cannot be a type`
  if (resourceClass !== undefined && (resourceClass.length > 63 || !namePattern.test(resourceClass))) {
    return `'${resourceClass}' cannot be a class`
  }
  if (resourceId !== undefined && (resourceId.length > 253 || !resourceIdPattern.test(resourceId))) {
    return `'${resourceId}' cannot be a resource id`
  }
  return undefined
}

/** The text of a reference, with its given parts only. */
export function formatReference({ type, class: resourceClass, resourceId }: Reference): string {
  return `${type}${resourceClass === undefined ? '' : `.${resourceClass}`}${resourceId === undefined ? '' : `#${resourceId}`}`
}

/** The resource that a reference of `from` names. */
export function inherit(reference: Reference, from: Descriptor): Descriptor {
  return {
    type: reference.type,
    class: reference.class ?? from.class,
    resourceId: reference.resourceId ?? from.resourceId,
  }
}

/** The type and class of a text such as `s3.admin`. No class without a dot. */
export function splitTypeAndClass(text: string): { type: string; class?: string } {
  const dot = text.indexOf('.')
  return dot === -1 ? { type: text } : { type: text.slice(0, dot), class: text.slice(dot + 1) }
}
