import type { Kind } from '../../../operator/api/kind.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import {
  configMapResource,
  eventResource,
  namespaceResource,
  quotaResource,
  type Resource,
  resourceOf,
  secretResource,
} from '../../../operator/kube/client/resource.ts'
import { notServed } from './errors.ts'

/** A resource that the model serves. */
export interface Served extends Resource {
  /** Absent for resources of Kubernetes. */
  readonly ours?: Kind
}

const named = (apiVersion: string, kind: string): Served => ({
  apiVersion,
  kind,
  plural: kind.endsWith('s') ? `${kind.toLowerCase()}es` : `${kind.toLowerCase()}s`,
  namespaced: true,
})

export const roleBindingResource: Served = named('rbac.authorization.k8s.io/v1', 'RoleBinding')

/** All resources, in the order in which the content of a namespace is deleted. Those that only inventories and pods of workloads read are there, and have no controllers. */
export const allServed: readonly Served[] = [
  roleBindingResource,
  ...kinds.map((ours): Served => ({ ...resourceOf(ours), ours })),
  namespaceResource,
  secretResource,
  configMapResource,
  eventResource,
  quotaResource,
  ...['Service', 'Pod', 'ServiceAccount', 'PersistentVolumeClaim'].map((kind) => named('v1', kind)),
  ...['Deployment', 'StatefulSet', 'ReplicaSet', 'DaemonSet'].map((kind) => named('apps/v1', kind)),
  ...['Job', 'CronJob'].map((kind) => named('batch/v1', kind)),
  named('networking.k8s.io/v1', 'Ingress'),
]

const byKind = new Map(allServed.map((each) => [each.kind, each]))

export function servedAs(kind: string): Served {
  const found = byKind.get(kind)
  if (!found) throw new Error(`the simulation serves no kind '${kind}'`)
  return found
}

/** What the path of a request addresses. */
export interface Address {
  readonly served: Served
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly subresource: string | undefined
}

/** Parses the path of a collection, an object or a subresource; answers undefined for the path of a group or its version. */
export function addressOf(path: string): Address | undefined {
  const [root, ...segments] = path.split('/').slice(1).map(decodeURIComponent)
  const [apiVersion, rest] =
    root === 'api' ? [segments[0], segments.slice(1)] : [segments.slice(0, 2).join('/'), segments.slice(2)]
  if (rest.length === 0) return undefined
  const isInNamespace = rest[0] === 'namespaces' && rest.length > 2
  const [plural, name, subresource] = isInNamespace ? rest.slice(2) : rest
  const served = allServed.find((each) => each.apiVersion === apiVersion && each.plural === plural)
  if (!served) throw notServed()
  return { served, namespace: isInNamespace ? rest[1] : undefined, name, subresource }
}

/** The answer to the path of a version, which lists its resources, or of a group, which lists its versions. */
export function discovery(path: string): unknown {
  const name = path.split('/').slice(2).join('/')
  const resources = allServed.filter(({ apiVersion }) => apiVersion === name)
  if (resources.length > 0)
    return {
      resources: resources.map(({ plural, kind, namespaced }) => ({ name: plural, kind, namespaced })),
    }
  const versions = new Set(
    allServed.map(({ apiVersion }) => apiVersion).filter((each) => each.startsWith(`${name}/`)),
  )
  if (versions.size === 0) throw notServed()
  return { versions: [...versions].map((groupVersion) => ({ groupVersion })) }
}
