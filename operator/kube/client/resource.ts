import type { Kind, KubeObject } from '../../api/kind.ts'
import { group, version } from '../../api/names.ts'
import { Stalled } from '../../domain/base/errors.ts'

/** How a kind is addressed on the API server. */
export interface Resource {
  readonly apiVersion: string
  readonly kind: string
  readonly plural: string
  readonly namespaced: boolean
}

/** Namespaces, of which the labelled ones are organizations. */
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
export const leaseResource: Resource = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
}

/** The address of a kind of ours. */
export function resourceOf(kind: Kind): Resource {
  return { apiVersion: `${group}/${version}`, kind: kind.kind, plural: kind.plural, namespaced: true }
}

/** The path of a collection, or of one object, or of a part of it. */
export function pathOf(resource: Resource, namespace?: string, name?: string, subresource?: string): string {
  if (resource.namespaced) refuseNonName(namespace, resource)
  refuseNonName(name, resource)
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

/** Names come from definitions too: what is none would lead to another path, an empty one to the list of all. */
function refuseNonName(name: string | undefined, { kind }: Resource): void {
  if (name !== undefined && ['', '.', '..'].includes(name))
    throw new Stalled('InvalidName', `'${name}' is not the name of a ${kind} or of a namespace`)
}

/** `namespace/name`, the key of an object in caches and queues. */
export function keyOf(object: Pick<KubeObject, 'metadata'>): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`
}
