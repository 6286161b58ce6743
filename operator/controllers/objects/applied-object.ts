import type { ActiveResource } from '../../api/active-resource.ts'
import type { KubeObject, Manifest } from '../../api/kind.ts'
import { annotations, group, labels, manager } from '../../api/names.ts'
import { Stalled, Waiting } from '../../domain/base/errors.ts'
import { formatDescriptor } from '../../domain/resource/descriptor.ts'
import { groupOf, keyOf } from '../../kube/client/resource.ts'
import { finalizersText } from '../../kube/loop/other-finalizers.ts'
import type { ObjectReference } from '../../kube/objects/objects.ts'

export type ObjectKind = Pick<ObjectReference, 'apiVersion' | 'kind'>

/** The key of a kind in a version of its API. */
export function keyOfKind({ apiVersion, kind }: ObjectKind): string {
  return `${apiVersion} ${kind}`
}

/** Throws Stalled for objects that only the operator may make: a definition could take over organizations with them. */
export function refuseReserved({ apiVersion, kind, metadata }: KubeObject): void {
  const name = `${kind} '${metadata.name}'`
  if (apiVersion.startsWith(`${group}/`))
    throw new Stalled('NotAllowed', `${name} is of the group '${group}': drivers must not make such objects`)
  const keys = [...Object.keys(metadata.labels ?? {}), ...Object.keys(metadata.annotations ?? {})]
  const reserved = keys.find((key) => key.startsWith(`${group}/`))
  if (reserved !== undefined)
    throw new Stalled(
      'NotAllowed',
      `${name} has '${reserved}': drivers must not set labels or annotations with the prefix '${group}/'`,
    )
}

/** Fields of the metadata that only the cluster sets. With some of them, each apply is a conflict. */
const fieldsOfCluster: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
])

/** The object without the fields that the manifest has when it is a copy of an object of a cluster. */
export function withoutFieldsOfCluster(object: KubeObject): KubeObject {
  const entries = Object.entries(object.metadata).filter(([name]) => !fieldsOfCluster.has(name))
  return { ...object, metadata: Object.fromEntries(entries) as unknown as KubeObject['metadata'] } // the others
}

/** Adds the labels and annotations by which the operator finds the object of a resource. */
export function marked(resource: Manifest<typeof ActiveResource>, object: KubeObject): KubeObject {
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
        [annotations.resource]: keyOf(resource),
        [annotations.descriptor]: formatDescriptor({ type, class: resourceClass, resourceId }),
      },
    },
  }
}

/** A number that grows with each change of an object: its generation, or its resource version without one. */
export function versionOf(version: {
  readonly generation?: number
  readonly resourceVersion?: string
}): number | undefined {
  if (version.generation !== undefined) return version.generation
  return version.resourceVersion === undefined ? undefined : Number(version.resourceVersion)
}

/** Whether `object` is a later version of the same object as `other`. */
export function isNewer(object: KubeObject, other: KubeObject): boolean {
  const [left, right] = [object.metadata, other.metadata]
  return left.uid === right.uid && Number(left.resourceVersion ?? 0) > Number(right.resourceVersion ?? 0)
}

/** Whether objects of the kinds are the same ones: the versions of an API are views of one stored object. */
export function isSameKind(left: ObjectKind, right: ObjectKind): boolean {
  return groupOf(left.apiVersion) === groupOf(right.apiVersion) && left.kind === right.kind
}

/** A text that is equal for the versions of a kind. */
export function textOfKind({ apiVersion, kind }: ObjectKind): string {
  return `${groupOf(apiVersion)} ${kind}`
}

/** A list permission on Secrets is a read permission on all of them, so they are not watched. */
export function isWatchable({ kind }: { readonly kind: string }): boolean {
  return kind !== 'Secret'
}

/** API groups of Kubernetes itself that workloads are made of. */
const builtInGroups: ReadonlySet<string> = new Set([
  '',
  'apps',
  'autoscaling',
  'batch',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
])

/**
 * Whether the cluster deletes objects of the kind in any order. An object of a custom kind may represent something outside the
 * cluster, which must outlive what uses it.
 */
function isBuiltIn({ apiVersion }: Pick<ObjectKind, 'apiVersion'>): boolean {
  return builtInGroups.has(groupOf(apiVersion))
}

/** Whether the cluster deletes the object together with this namespace, without help. */
export function isDeletedWith(
  namespace: string | undefined,
  object: Pick<ObjectReference, 'apiVersion' | 'namespace'>,
): boolean {
  return isBuiltIn(object) && object.namespace !== undefined && object.namespace === namespace
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
    namespace: metadata.namespace || undefined,
  }
}

export function isSame(
  reference: ObjectReference,
  object: Pick<KubeObject, 'apiVersion' | 'kind'> & {
    readonly metadata: { name: string; namespace?: string }
  },
): boolean {
  return isSameReference(reference, referenceTo(object))
}

export function isSameReference(left: ObjectReference, right: ObjectReference): boolean {
  return (
    isSameKind(left, right) && left.name === right.name && (left.namespace ?? '') === (right.namespace ?? '')
  )
}

/** A text that is equal for references to the same object. */
export function textOf({ namespace = '', name, ...kind }: ObjectReference): string {
  return `${textOfKind(kind)} ${namespace}/${name}`
}

export function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind} '${keyOf({ metadata })}'`
}

/** Seconds between looks at objects that are being deleted: a finalizer may keep them for days. */
const looks = { first: 1, most: 30 }

/** An object that is being deleted. */
type Remaining = Pick<ObjectReference, 'kind' | 'name'> & { readonly finalizers?: readonly string[] }

/**
 * Thrown while objects are being deleted; the longer they are, the longer the pause until they are looked at again. Both times
 * are by the clock of the API server.
 */
export function remaining(
  objects: readonly Remaining[],
  since: string | undefined,
  serverNow: () => number,
): Waiting {
  const seconds = since === undefined ? 0 : (serverNow() - Date.parse(since)) / 1000
  const pause = Math.min(looks.most, Math.max(looks.first, Math.round(seconds / 10)))
  return new Waiting(
    'ObjectsRemain',
    `waiting for ${objects.map(textOfRemaining).join(', ')} to be deleted`,
    pause,
  )
}

function textOfRemaining({ kind, name, finalizers = [] }: Remaining): string {
  const keepers = finalizers.length > 0 ? ` (kept by ${finalizersText(finalizers)})` : ''
  return `'${kind}' '${name}'${keepers}`
}
