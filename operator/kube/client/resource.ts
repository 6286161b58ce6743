import type { Kind, KubeObject } from '../../api/kind.ts'
import { finalizer, group, version } from '../../api/names.ts'
import { Stalled } from '../../domain/base/errors.ts'

/** A resource as the API server serves it. */
export interface Resource {
  readonly apiVersion: string
  readonly kind: string
  readonly plural: string
  readonly namespaced: boolean
}

export const namespaceResource: Resource = {
  apiVersion: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
}
export const secretResource: Resource = {
  apiVersion: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
}
export const configMapResource: Resource = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
}
export const quotaResource: Resource = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  namespaced: true,
}
export const leaseResource: Resource = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
}
export const eventResource: Resource = {
  apiVersion: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
}

/** The resource of a kind of ours. */
export function resourceOf(kind: Kind): Resource {
  return { apiVersion: `${group}/${version}`, kind: kind.kind, plural: kind.plural, namespaced: true }
}

/** The group of an API version; empty for the core of Kubernetes. */
export function groupOf(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')))
}

/** The path of a collection, an object or a subresource; throws Stalled for an invalid name. */
export function pathOf(resource: Resource, namespace?: string, name?: string, subresource?: string): string {
  if (resource.namespaced) checkName(namespace, resource)
  checkName(name, resource)
  const root = resource.apiVersion.includes('/') ? '/apis' : '/api'
  const segments = [
    ...resource.apiVersion.split('/'),
    ...(resource.namespaced && namespace !== undefined ? ['namespaces', namespace] : []),
    resource.plural,
    ...(name === undefined ? [] : [name]),
    ...(subresource === undefined ? [] : [subresource]),
  ]
  return `${root}/${segments.map(encodeURIComponent).join('/')}`
}

/**
 * Names come from definitions too: an empty name would address all objects, `..` another path, and the API server reads an
 * encoded slash as one, so that `name/status` would address a subresource.
 */
function checkName(name: string | undefined, { kind }: Resource): void {
  if (name !== undefined && (['', '.', '..'].includes(name) || /[/%]/.test(name)))
    throw new Stalled('InvalidName', `'${name}' is not the name of a ${kind} or of a namespace`)
}

/** The namespace of an object; empty for a cluster-scoped kind. */
export function namespaceOf({ metadata }: Pick<KubeObject, 'metadata'>): string {
  return metadata.namespace ?? ''
}

/** The key of an object in caches and queues: `namespace/name`. */
export function keyOf(object: Pick<KubeObject, 'metadata'>): string {
  return `${namespaceOf(object)}/${object.metadata.name}`
}

/** The namespace and the name in a key. */
export function namespacedName(key: string): [namespace: string, name: string] {
  const slash = key.indexOf('/')
  return [key.slice(0, slash), key.slice(slash + 1)]
}

/** Whether the owner references of an object name this owner, and not an earlier one of its name. */
export function isOwnedBy(
  { metadata }: Pick<KubeObject, 'metadata'>,
  owner: { readonly metadata: { readonly uid: string } },
): boolean {
  return metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) ?? false
}

/** Whether an object carries our finalizer. */
export function hasFinalizer({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false
}
