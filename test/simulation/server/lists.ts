import type { KubeObject, StoredObject } from '../../../operator/api/kind.ts'
import { isIndexed } from '../../../operator/domain/base/json.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import type { Query } from '../../../operator/kube/client/client.ts'
import { keyOf } from '../../../operator/kube/client/resource.ts'
import type { Served } from './resources.ts'
import type { Storage } from './storage.ts'

/** Whether the selectors of a query select an object. */
export function isSelected(object: KubeObject, { labelSelector, fieldSelector }: Query): boolean {
  const labels = object.metadata.labels ?? {}
  return (
    parts(labelSelector).every((part) => fitsLabels(part, labels)) &&
    parts(fieldSelector).every((part) => fitsField(part, object))
  )
}

const parts = (selector: Query[string]) => (selector ? String(selector).split(',') : [])

function fitsLabels(part: string, labels: Readonly<Record<string, string>>): boolean {
  if (part.startsWith('!')) return !(part.slice(1) in labels)
  const [key = '', value] = part.split(/==?/)
  return value === undefined ? key in labels : labels[key] === value
}

function fitsField(part: string, object: KubeObject): boolean {
  const [path = '', value] = part.split('=')
  let field: unknown = object
  for (const step of path.split('.')) field = isIndexed(field) ? field[step] : undefined
  return String(field ?? '') === value
}

/** An object without all but its metadata. */
export function metadataOf({ metadata }: StoredObject): KubeObject {
  return { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata }
}

/** A list of the newest objects, or of those at an exact version. Pages are not modelled: a list is whole. */
export function listOf(storage: Storage, served: Served, namespace: string | undefined, query: Query) {
  const isExact = query.resourceVersionMatch === 'Exact'
  const version = isExact ? Number(query.resourceVersion) : storage.version
  const all = isExact ? objectsAt(storage, served, version) : storage.list(served)
  const items = all.filter(
    (each) => (namespace === undefined || each.metadata.namespace === namespace) && isSelected(each, query),
  )
  return { kind: `${served.kind}List`, metadata: { resourceVersion: String(version) }, items }
}

function objectsAt(storage: Storage, served: Served, version: number): StoredObject[] {
  const objects = new Map<string, StoredObject>()
  for (const change of storage.changesOf(served)) {
    if (change.version > version) break
    if (change.type === 'DELETED') objects.delete(keyOf(change.object))
    else objects.set(keyOf(change.object), change.object)
  }
  return [...objects.values()]
}

/** The API server has compacted the version that a request names. */
export function expired(): ApiError {
  return new ApiError(410, 'Expired', 'the provided resource version is too old')
}
