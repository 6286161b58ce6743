import type { ActiveResource, ResourceContext } from '../../api/active-resource.ts'
import type { KubeObject } from '../../api/kind.ts'
import { annotations, labels, manager } from '../../api/names.ts'
import { Stalled, Waiting } from '../../domain/base/errors.ts'
import {
  environmentNamespace,
  environmentObjectName,
  guResId,
  isNamespaceOfOthers,
} from '../../domain/resource/identity.ts'
import type { ObjectReference, Objects } from '../../kube/objects.ts'
import { isSameKind, markOf } from './applied-object.ts'

const namespaceKind = { apiVersion: 'v1', kind: 'Namespace' }

/** Names a namespace as any object is named. */
export function namespaceReference(name: string): ObjectReference {
  return { ...namespaceKind, name }
}

/**
 * Objects go only into the namespace that we made for the environment, or into one that the cluster administrator
 * opened for the organization. Asked live, because it is a matter of rights.
 */
export async function openNamespace(
  objects: Objects,
  context: ResourceContext,
  namespace: string,
): Promise<void> {
  const existing = await objects.read(namespaceReference(namespace))
  if (existing?.metadata.deletionTimestamp) {
    throw new Waiting('NamespaceTerminating', `waiting for the namespace '${namespace}' to go`, 2)
  }
  const isOpen =
    existing &&
    (isNamespaceOf(existing, context) ||
      isOfItsResource(existing, context) ||
      isOpenFor(existing, context.organizationId))
  if (isOpen) return
  if (!existing && namespace === environmentNamespace(context)) {
    await makeNamespace(objects, context, namespace)
    return
  }
  throw new Stalled('NamespaceNotOpen', `namespace '${namespace}' ${whyNotOpen(existing, context)}`)
}

/**
 * Refuses a Namespace that is for others to make, as its name says. One that this very resource made before stays its
 * own, whatever its name.
 */
export async function refuseNamespaceOfOthers(
  objects: Objects,
  resource: ActiveResource,
  object: KubeObject,
): Promise<void> {
  const { name } = object.metadata
  const { organizationId } = resource.spec.context
  if (!isSameKind(object, namespaceKind) || !isNamespaceOfOthers(name, resource.spec.context)) return
  const existing = await objects.read(namespaceReference(name))
  const isOwn = existing?.metadata.annotations?.[annotations.resource] === markOf(resource)
  if (isOwn && !isOfOrganization(existing)) return
  const made = resource.status?.objects?.find((each) => isSameKind(each, namespaceKind) && each.name !== name)
  const warning = made ? `; another name takes away the Namespace '${made.name}' with all that is in it` : ''
  throw new Stalled(
    'NotAllowed',
    `Namespace '${name}' has the form of a namespace of another environment or organization: what '${organizationId}' makes is named '${organizationId}--<name>', or has no '--'${warning}`,
  )
}

function whyNotOpen(existing: KubeObject | undefined, { organizationId }: ResourceContext): string {
  const { [annotations.resource]: resource, [annotations.environment]: environment } =
    existing?.metadata.annotations ?? {}
  const maker = resource ?? environment
  // Whoever made it may take it away with all that is in it: no place for objects of others.
  if (maker !== undefined && !maker.startsWith(`${organizationId}/`))
    return 'was made for another organization'
  const remedy = `label it '${labels.accepts}: ${organizationId}' to let objects in`
  return `${existing ? 'is not of this environment' : 'does not exist'}: ${remedy}`
}

/** Whether the environment's own `k8s-namespace` resource made it, and nobody made an organization of it since. */
function isOfItsResource(namespace: KubeObject, context: ResourceContext): boolean {
  if (isOfOrganization(namespace)) return false
  const { metadata } = namespace
  const name = guResId(context, { type: 'k8s-namespace', class: 'default', resourceId: 'k8s-namespace' })
  return metadata.annotations?.[annotations.resource] === `${context.organizationId}/${name}`
}

/** Whether it is the namespace of an organization itself. */
export function isOfOrganization({ metadata }: KubeObject): boolean {
  return metadata.labels?.[labels.organization] !== undefined
}

function isOpenFor({ metadata }: KubeObject, organizationId: string): boolean {
  return metadata.labels?.[labels.accepts] === organizationId
}

/** Whether we made the namespace for this very environment. */
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
