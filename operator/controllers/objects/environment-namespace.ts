import type { ActiveResource, ResourceContext } from '../../api/active-resource.ts'
import type { KubeObject } from '../../api/kind.ts'
import { annotations, labels, manager } from '../../api/names.ts'
import { Stalled, Waiting } from '../../domain/base/errors.ts'
import { formatDescriptor } from '../../domain/resource/descriptor.ts'
import {
  environmentNamespace,
  environmentObjectName,
  guResId,
  isNamespaceOfOthers,
  namespaceDescriptor,
} from '../../domain/resource/identity.ts'
import { rejectedRetrySeconds } from '../../kube/client/explain-rejection.ts'
import type { ObjectReference, Objects } from '../../kube/objects/objects.ts'
import { isSameKind, isSameReference } from './applied-object.ts'

const namespaceKind = { apiVersion: 'v1', kind: 'Namespace' }

export function namespaceReference(name: string): ObjectReference {
  return { ...namespaceKind, name }
}

/**
 * Throws unless objects of the environment may be in the namespace: the operator made it for the environment, the
 * environment's `k8s-namespace` resource (`namer`) made it, or the cluster administrator opened it for the organization. Creates
 * the namespace of the environment. Reads the namespace from the API server: a cache could grant a right that is withdrawn.
 */
export async function openNamespace(
  objects: Objects,
  context: ResourceContext,
  namespace: string,
  namer: ActiveResource | undefined,
): Promise<void> {
  const existing = await objects.read(namespaceReference(namespace))
  if (existing?.metadata.deletionTimestamp) {
    throw new Waiting('NamespaceTerminating', `waiting for the namespace '${namespace}' to be deleted`, 2)
  }
  const isOpen =
    existing &&
    (isNamespaceOf(existing, context) ||
      isOfOwnResource(existing, context) ||
      isOpenFor(existing, context.organizationId))
  if (isOpen) return
  if (!existing && namespace === environmentNamespace(context)) {
    await makeNamespace(objects, context, namespace)
    return
  }
  // Another client deleted it, and the resource will make it again.
  if (!existing && isMadeBy(namer, namespace))
    throw new Waiting(
      'DependencyNotReady',
      `waiting for ${formatDescriptor(namespaceDescriptor)} to create the namespace '${namespace}'`,
      1,
    )
  const message = `namespace '${namespace}' ${whyNotOpen(existing, context)}`
  throw new Stalled('NamespaceNotOpen', message, undefined, rejectedRetrySeconds)
}

/**
 * Whether objects of the organization can be in the namespace: it is one of its environments, or the cluster administrator
 * opened it. The users of other namespaces can write any label and annotation there.
 */
export async function canHoldObjectsOf(
  objects: Pick<Objects, 'read'>,
  { organizationId }: ResourceContext,
  namespace: string,
): Promise<boolean> {
  const existing = await objects.read(namespaceReference(namespace))
  if (!existing) return false
  return isOpenFor(existing, organizationId) || !!makerOf(existing)?.startsWith(`${organizationId}/`)
}

/**
 * Whether the object is in no namespace, or in one that is made for the environment: by the operator, or by the environment's
 * `k8s-namespace` resource (`namer`).
 */
export function isInMadeNamespace(
  { metadata: { namespace } }: KubeObject,
  context: ResourceContext,
  namer: ActiveResource | undefined,
): boolean {
  if (namespace === undefined || namespace === environmentNamespace(context)) return true
  return isMadeBy(namer, namespace)
}

function isMadeBy(namer: ActiveResource | undefined, namespace: string): boolean {
  return !!namer?.status?.objects?.some((each) => isSameReference(each, namespaceReference(namespace)))
}

/** Throws Stalled for a Namespace whose name has the form of a namespace of another environment or organization. */
export function refuseNamespaceOfOthers({ spec: { context } }: ActiveResource, object: KubeObject): void {
  const { name } = object.metadata
  if (!isSameKind(object, namespaceKind) || !isNamespaceOfOthers(name, context)) return
  const { organizationId } = context
  throw new Stalled(
    'NotAllowed',
    `Namespace '${name}' has the form of a namespace of another environment or organization: use '${organizationId}--<name>', or a name without '--'`,
  )
}

function whyNotOpen(existing: KubeObject | undefined, { organizationId }: ResourceContext): string {
  const maker = existing && makerOf(existing)
  // That organization can delete the namespace with every object in it.
  if (maker !== undefined && !maker.startsWith(`${organizationId}/`)) return 'belongs to another organization'
  const label = `'${labels.accepts}: ${organizationId}'`
  return existing
    ? `does not belong to this environment: label it ${label} to allow objects in it`
    : `does not exist: create it with the label ${label}`
}

/** The resource or the environment for which the operator made the namespace, after its organization and a slash. */
function makerOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[annotations.resource] ?? metadata.annotations?.[annotations.environment]
}

/** Whether the environment's `k8s-namespace` resource made the namespace, and it is not an organization by now. */
function isOfOwnResource(namespace: KubeObject, context: ResourceContext): boolean {
  if (isOfOrganization(namespace)) return false
  const { metadata } = namespace
  const name = guResId(context, namespaceDescriptor)
  return metadata.annotations?.[annotations.resource] === `${context.organizationId}/${name}`
}

/** Whether the namespace is an organization. */
export function isOfOrganization({ metadata }: KubeObject): boolean {
  return metadata.labels?.[labels.organization] !== undefined
}

function isOpenFor({ metadata }: KubeObject, organizationId: string): boolean {
  return metadata.labels?.[labels.accepts] === organizationId
}

/** Whether the operator made the namespace for this environment. */
export function isNamespaceOf(
  { metadata }: KubeObject,
  context: Pick<ResourceContext, 'organizationId' | 'applicationId' | 'environmentId'>,
): boolean {
  return metadata.annotations?.[annotations.environment] === environmentMark(context)
}

function environmentMark(
  context: Pick<ResourceContext, 'organizationId' | 'applicationId' | 'environmentId'>,
): string {
  return `${context.organizationId}/${environmentObjectName(context.applicationId, context.environmentId)}`
}

async function makeNamespace(objects: Objects, context: ResourceContext, name: string): Promise<void> {
  await objects.apply({
    ...namespaceKind,
    metadata: {
      name,
      labels: { [labels.managedBy]: manager },
      annotations: { [annotations.environment]: environmentMark(context) },
    },
  })
}
