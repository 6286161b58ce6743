import { Problem } from '../base/errors.ts'

/** What a resource is within its environment: the same descriptor is the same resource. */
export interface Descriptor {
  readonly type: string
  readonly class: string
  readonly resourceId: string
}

/** A resource as another one names it; parts that are not given are those of the one that names it. */
export interface Reference {
  readonly type: string
  readonly class?: string
  readonly resourceId?: string
}

/** Class of a resource that names none. */
export const defaultClass = 'default'

const namePattern = /^[A-Za-z0-9][A-Za-z0-9_-]*$/
const typePattern = /^[A-Za-z0-9][A-Za-z0-9_-]*(?:\/[A-Za-z0-9][A-Za-z0-9_-]*)?$/
const resourceIdPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/

/** The descriptor as people read it: `<type>.<class>#<resourceId>`. */
export function formatDescriptor(descriptor: Descriptor): string {
  return `${descriptor.type}.${descriptor.class}#${descriptor.resourceId}`
}

/** The descriptor that `formatDescriptor` wrote. */
export function parseDescriptor(text: string): Descriptor {
  const { type, class: resourceClass, resourceId } = parseReference(text)
  if (resourceClass === undefined || resourceId === undefined) {
    throw new Problem('Invalid', `'${text}' is not a descriptor '<type>.<class>#<resource id>'`)
  }
  return { type, class: resourceClass, resourceId }
}

/** A reference `type[.class][#id]`. */
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

/** What makes the parts of a reference or descriptor unusable; undefined when they are well. */
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

/** The reference as its author wrote it. */
export function formatReference({ type, class: resourceClass, resourceId }: Reference): string {
  return `${type}${resourceClass === undefined ? '' : `.${resourceClass}`}${resourceId === undefined ? '' : `#${resourceId}`}`
}

/** The resource that a reference names in the mouth of `from`. */
export function inherit(reference: Reference, from: Descriptor): Descriptor {
  return {
    type: reference.type,
    class: reference.class ?? from.class,
    resourceId: reference.resourceId ?? from.resourceId,
  }
}

/** The parts of `s3.admin`; no class when there is no dot. */
export function splitTypeAndClass(text: string): { type: string; class?: string } {
  const dot = text.indexOf('.')
  return dot === -1 ? { type: text } : { type: text.slice(0, dot), class: text.slice(dot + 1) }
}
