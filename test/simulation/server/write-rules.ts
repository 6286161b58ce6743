import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import type { KubeObject, StoredMeta, StoredObject } from '../../../operator/api/kind.ts'
import { fieldManager } from '../../../operator/api/names.ts'
import { isObject, sameJson } from '../../../operator/domain/base/json.ts'
import { serverNow } from '../time/replace-globals.ts'
import { invalid } from './errors.ts'
import type { Served } from './resources.ts'

/** A time as the API server writes it: whole seconds. */
export function timeNow(): string {
  return `${new Date(serverNow()).toISOString().slice(0, 19)}Z`
}

/** The managed fields of an object that only the operator or the gateway has written. */
export const ownManager = [{ manager: fieldManager, operation: 'Update' }]

/** Whether the API server counts changes of the spec of a resource. */
function hasGeneration({ kind }: Served): boolean {
  return !['Secret', 'Namespace', 'ConfigMap', 'Event', 'RoleBinding'].includes(kind)
}

/** The object that a create stores: its status is the default one of its kind. */
export function newObject(served: Served, body: KubeObject, identity: Partial<StoredMeta>): KubeObject {
  const { resourceVersion: _, deletionTimestamp: __, generation: ___, ...metadata } = body.metadata
  const { status: ____, stringData, ...rest } = body
  const data = isObject(stringData) ? { data: { ...dataOf(body), ...encoded(stringData) } } : {}
  const status = statusOfNew(served, body)
  return {
    ...rest,
    ...data,
    apiVersion: served.apiVersion,
    kind: served.kind,
    metadata: {
      ...metadata,
      ...identity,
      creationTimestamp: timeNow(),
      ...(hasGeneration(served) ? { generation: 1 } : {}),
    },
    ...(status === undefined ? {} : { status }),
  }
}

const dataOf = ({ data }: KubeObject) => (isObject(data) ? data : {})

function encoded(texts: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(String(text)).toString('base64')]),
  )
}

function statusOfNew({ kind, ours }: Served, { status }: KubeObject): unknown {
  if (kind === 'Namespace') return { phase: 'Active' }
  if (!ours) return status
  return ours.status && structuredClone((ours.status as { default?: unknown }).default)
}

/**
 * The object that an update stores: it keeps what only the API server writes, and counts a change outside metadata and
 * status. Validation by schemas and rules is not modelled, but for the immutable spec of deployments.
 */
export function updated(served: Served, before: StoredObject, body: KubeObject): StoredObject {
  const after: StoredObject = {
    ...body,
    apiVersion: served.apiVersion,
    kind: served.kind,
    metadata: metadataOfUpdate(before.metadata, body.metadata),
  }
  refuseNewFinalizers(before, after)
  if (served.kind === EnvironmentDeployment.kind && !sameJson(before.spec, after.spec))
    throw invalid('spec: the spec is immutable')
  const { generation } = before.metadata
  if (generation === undefined || sameJson(content(before), content(after))) return after
  return { ...after, metadata: { ...after.metadata, generation: generation + 1 } }
}

const content = (object: StoredObject) => ({ ...object, metadata: undefined, status: undefined })

function metadataOfUpdate(before: StoredMeta, next: KubeObject['metadata']): StoredMeta {
  const { labels, annotations, finalizers, ownerReferences, managedFields } = next
  const { uid, name, namespace, creationTimestamp, deletionTimestamp, generation, resourceVersion } = before
  const fields = {
    labels: unlessEmpty(labels),
    annotations: unlessEmpty(annotations),
    finalizers: finalizers?.length ? finalizers : undefined,
    ownerReferences,
    managedFields: managedFields ?? before.managedFields,
    namespace,
    deletionTimestamp,
    generation,
  }
  const defined = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  return { ...defined, uid, name, creationTimestamp, resourceVersion }
}

function unlessEmpty(texts: Readonly<Record<string, string>> | undefined) {
  return texts && Object.keys(texts).length > 0 ? texts : undefined
}

function refuseNewFinalizers({ metadata: before }: StoredObject, { metadata: after }: StoredObject): void {
  if (before.deletionTimestamp === undefined) return
  const added = after.finalizers?.filter((each) => !before.finalizers?.includes(each)) ?? []
  if (added.length > 0)
    throw invalid(
      `metadata.finalizers: no new finalizers can be added if the object is being deleted: ${added.join()}`,
    )
}
