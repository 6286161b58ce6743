import type { ActiveResource } from '../../api/active-resource.ts'
import type { KubeObject } from '../../api/kind.ts'
import { annotations, group, labels, manager } from '../../api/names.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { formatDescriptor } from '../../domain/resource/descriptor.ts'
import type { ObjectReference } from '../../kube/objects.ts'

/** A kind of objects. */
export type ObjectKind = Pick<ObjectReference, 'apiVersion' | 'kind'>

/** `organization/GUResID`, the mark that makes an object a resource's own. */
export function markOf({ metadata }: ActiveResource): string {
  return `${metadata.namespace}/${metadata.name}`
}

/** What is ours alone: a definition that could make it would decide about organizations and resources. */
export function refuseReserved({ apiVersion, kind, metadata }: KubeObject): void {
  const name = `${kind} '${metadata.name}'`
  if (apiVersion.startsWith(`${group}/`))
    throw new Stalled('NotAllowed', `${name} is of the group '${group}', which no driver makes`)
  const keys = [...Object.keys(metadata.labels ?? {}), ...Object.keys(metadata.annotations ?? {})]
  const reserved = keys.find((key) => key.startsWith(`${group}/`))
  if (reserved !== undefined)
    throw new Stalled(
      'NotAllowed',
      `${name} has '${reserved}', and no driver sets what begins with '${group}/'`,
    )
}

/** Our labels and annotations over those of the driver. */
export function marked(resource: ActiveResource, object: KubeObject): KubeObject {
  const { type, class: resourceClass, resourceId } = resource.spec
  return {
    ...object,
    metadata: {
      ...object.metadata,
      labels: {
        ...object.metadata.labels,
        [labels.managedBy]: manager,
        [labels.resource]: resource.metadata.name,
      },
      annotations: {
        ...object.metadata.annotations,
        [annotations.resource]: markOf(resource),
        [annotations.descriptor]: formatDescriptor({ type, class: resourceClass, resourceId }),
      },
    },
  }
}

/** What grows when somebody changes the object: its generation, or its resource version where it has none. */
export function versionOf(version: {
  readonly generation?: number
  readonly resourceVersion?: string
}): number | undefined {
  if (version.generation !== undefined) return version.generation
  return version.resourceVersion === undefined ? undefined : Number(version.resourceVersion)
}

/** Whether `object` is a later state of `other`. */
export function isNewer(object: KubeObject, other: KubeObject): boolean {
  const [left, right] = [object.metadata, other.metadata]
  return left.uid === right.uid && Number(left.resourceVersion ?? 0) > Number(right.resourceVersion ?? 0)
}

export function isSameKind(left: ObjectKind, right: ObjectKind): boolean {
  return left.apiVersion === right.apiVersion && left.kind === right.kind
}

/** A list permission on Secrets is a read permission on all of them, so they are not watched. */
export function isWatchable({ kind }: { readonly kind: string }): boolean {
  return kind !== 'Secret'
}

export function referenceTo({
  apiVersion,
  kind,
  metadata,
}: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>): ObjectReference {
  return {
    apiVersion,
    kind,
    name: metadata.name,
    ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
  }
}

export function isSame(
  reference: ObjectReference,
  object: Pick<KubeObject, 'apiVersion' | 'kind'> & {
    readonly metadata: { name: string; namespace?: string }
  },
): boolean {
  return (
    reference.apiVersion === object.apiVersion &&
    reference.kind === object.kind &&
    reference.name === object.metadata.name &&
    (reference.namespace ?? '') === (object.metadata.namespace ?? '')
  )
}

export function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind} '${metadata.namespace ?? ''}/${metadata.name}'`
}
