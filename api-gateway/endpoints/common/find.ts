import { setTimeout } from 'node:timers/promises'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { Application } from '../../../operator/api/application.ts'
import { Environment } from '../../../operator/api/environment.ts'
import type { Kind, KubeObject, NamespacedMeta, ObjectOf } from '../../../operator/api/kind.ts'
import { annotations, finalizer } from '../../../operator/api/names.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { environmentObjectName } from '../../../operator/domain/resource/identity.ts'
import { type Cluster, refreshNamed } from '../../../operator/kube/cache/cluster.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import type { Caller } from '../../authenticate.ts'
import { Missing } from '../../request/missing.ts'

/** Path of an environment. */
export interface EnvironmentPath {
  readonly org_id: string
  readonly app_id: string
  readonly env_id: string
}

/** Key of an index over objects of an organization. */
export function organizationKey(organization: string, value: string): string {
  return `${organization}/${value}`
}

/** Returns undefined if the object does not exist or is being deleted. */
export function find<K extends Kind>(
  store: Store,
  kind: K,
  organization: string,
  name: string,
): ObjectOf<K> | undefined {
  const object = store.get(kind, organization, name)
  return object?.metadata.deletionTimestamp ? undefined : object
}

/** Returns the object; throws NotFound if it does not exist or is being deleted. */
export function findOrThrow<K extends Kind>(
  store: Store,
  kind: K,
  organization: string,
  name: string,
  what: string,
): ObjectOf<K> {
  const object = find(store, kind, organization, name)
  if (!object) throw new Missing(kind, organization, name, `${what} '${name}' not found`)
  return object
}

/** Reads an object that the cache lacks: another gateway may have created it a moment ago. */
export async function readUnknown(
  cluster: Cluster,
  kind: Kind,
  namespace: string,
  name: string,
): Promise<void> {
  if (!cluster.store.get(kind, namespace, name)) await refreshNamed(cluster, kind, namespace, name)
}

/** Lists the objects that are not being deleted, by name. */
export function findAll<K extends Kind>(store: Store, kind: K, organization: string): ObjectOf<K>[] {
  return store
    .list(kind, organization)
    .filter(({ metadata }) => !metadata.deletionTimestamp)
    .sort(byName)
}

/** Compares objects by name. */
export function byName(left: KubeObject, right: KubeObject): number {
  return left.metadata.name < right.metadata.name ? -1 : 1
}

/** Returns the application in the path; throws NotFound. */
export function findApplication(
  store: Store,
  { org_id, app_id }: Omit<EnvironmentPath, 'env_id'>,
): Application {
  const application = store.get(Application, org_id, app_id)
  if (application) return application
  throw new Missing(Application, org_id, app_id, `application '${app_id}' not found`)
}

/** Returns the environment in the path; throws NotFound. */
export function findEnvironment(store: Store, path: EnvironmentPath): Environment {
  findApplication(store, path)
  const name = environmentObjectName(path.app_id, path.env_id)
  const environment = store.get(Environment, path.org_id, name)
  if (environment) return environment
  throw new Missing(
    Environment,
    path.org_id,
    name,
    `environment '${path.env_id}' of application '${path.app_id}' not found`,
  )
}

/** Lists the environments of an application by name, including those that are being deleted. */
export function environmentsOf(store: Store, { metadata }: Pick<Application, 'metadata'>): Environment[] {
  const { namespace, name } = metadata
  return store.byIndex(Environment, 'application', organizationKey(namespace, name)).toSorted(byName)
}

/** Lists the active resources of an environment. */
export function resourcesOf(
  store: Store,
  { metadata }: Pick<Environment, 'metadata'>,
): readonly ActiveResource[] {
  const { namespace, name } = metadata
  return store.byIndex(ActiveResource, 'environment', organizationKey(namespace, name))
}

/** Returns the ID of an environment within its application. */
export function environmentIdOf({ metadata, spec }: Environment): string {
  return metadata.name.slice(spec.applicationName.length + 1)
}

/** Returns metadata that records the creator. */
export function newMetadata(namespace: string, name: string, caller: Caller): NamespacedMeta {
  return { namespace, name, annotations: { [annotations.createdBy]: caller.userName } }
}

/** Returns metadata that also records who triggers the events of the object. */
export function newTriggeredMetadata(namespace: string, name: string, caller: Caller): NamespacedMeta {
  const { annotations: given, ...metadata } = newMetadata(namespace, name, caller)
  return { ...metadata, annotations: { ...given, [annotations.triggeredBy]: caller.userName } }
}

/** Adds the finalizer, so that the operator cleans up even if the object is deleted before the operator sees it. */
export function withFinalizer(metadata: NamespacedMeta): NamespacedMeta {
  return { ...metadata, finalizers: [finalizer] }
}

/** Removes the application prefix from an object name. */
export function withoutApplication(name: string): string {
  return name.slice(name.indexOf('.') + 1)
}

/** Returns the user who created an object over REST; empty if it was created in another way. */
export function createdBy({ metadata }: KubeObject): string {
  return metadata.annotations?.[annotations.createdBy] ?? ''
}

/** Returns the creation time of an object; the epoch for an object that a dry run did not create. */
export function createdAt({ metadata }: KubeObject): string {
  return metadata.creationTimestamp ?? new Date(0).toISOString()
}

/** Returns whether an object is active or being deleted, and since when. */
export function lifecycleOf(object: KubeObject) {
  const { deletionTimestamp } = object.metadata
  return {
    status: deletionTimestamp ? ('deleting' as const) : ('active' as const),
    status_changed_at: deletionTimestamp ?? createdAt(object),
  }
}

/** Reads an object from the API server into the cache; undefined if it does not exist. */
export function refresh<K extends Kind>(
  cluster: Cluster,
  kind: K,
  known: ObjectOf<K>,
): Promise<ObjectOf<K> | undefined> {
  const { namespace, name } = known.metadata
  return refreshNamed(cluster, kind, namespace, name, known)
}

/** Throws Conflict if an ID is taken. Waits for an object that is being deleted, `waitMs` at most. */
export async function refuseTaken<K extends Kind>(
  cluster: Cluster,
  kind: K,
  known: ObjectOf<K> | undefined,
  what: string,
  waitMs = deletionTimeoutMs,
): Promise<void> {
  if (!known || !(await refresh(cluster, kind, known))) return
  const { namespace, name } = known.metadata
  const look = () => cluster.store.get(kind, namespace, name)
  await waitUntilDeleted(look, waitMs)
  const existing = look()
  if (!existing) return
  const state = existing.metadata.deletionTimestamp ? 'is being deleted' : 'already exists'
  throw new Problem('Conflict', `${what} ${state}`)
}

const deletionTimeoutMs = 2000
const pollIntervalMs = 50

/**
 * How long the creation of an application or environment waits for an earlier one. A cluster takes some five seconds to delete
 * a namespace, and clients that replace what they made do not repeat a refused creation.
 */
export const replacementTimeoutMs = 10_000

/** Waits until an object is deleted, briefly unless said otherwise; returns whether it is. */
export async function waitUntilDeleted(
  look: () => KubeObject | undefined,
  waitMs = deletionTimeoutMs,
): Promise<boolean> {
  const isGoing = () => look()?.metadata.deletionTimestamp !== undefined
  const deadline = performance.now() + waitMs
  while (isGoing() && performance.now() < deadline) await setTimeout(pollIntervalMs)
  return !isGoing()
}

const maxObjectBytes = 1_400_000

/** Throws Invalid if a spec is too large for etcd. */
export function refuseTooLarge(spec: unknown, what: string): void {
  const size = Buffer.byteLength(JSON.stringify(spec))
  if (size > maxObjectBytes)
    throw new Problem('Invalid', `${what} would be ${size} bytes; the limit is ${maxObjectBytes} bytes`)
}
