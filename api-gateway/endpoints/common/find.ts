import { setTimeout } from 'node:timers/promises'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { Application } from '../../../operator/api/application.ts'
import { Environment } from '../../../operator/api/environment.ts'
import type { Kind, KubeObject, ObjectMeta, ObjectOf } from '../../../operator/api/kind.ts'
import { annotations, finalizer } from '../../../operator/api/names.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { environmentObjectName } from '../../../operator/domain/resource/identity.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import type { Caller } from '../../authenticate.ts'

/** Where something of an environment is. */
export interface EnvironmentPath {
  readonly org_id: string
  readonly app_id: string
  readonly env_id: string
}

/** The value of an index over objects of an organization. */
export function inOrganization(organization: string, value: string): string {
  return `${organization}/${value}`
}

/** The object, unless it is not there or being deleted. */
export function find<K extends Kind>(
  store: Store,
  kind: K,
  organization: string,
  name: string,
): ObjectOf<K> | undefined {
  const object = store.get(kind, organization, name)
  return object?.metadata.deletionTimestamp ? undefined : object
}

/** All objects of a kind that are not being deleted, by name. */
export function findAll<K extends Kind>(store: Store, kind: K, organization: string): ObjectOf<K>[] {
  return store
    .list(kind, organization)
    .filter(({ metadata }) => !metadata.deletionTimestamp)
    .sort(byName)
}

/** Order of lists. */
export function byName(left: KubeObject, right: KubeObject): number {
  return left.metadata.name < right.metadata.name ? -1 : 1
}

/** The application in the path. */
export function findApplication(
  store: Store,
  { org_id, app_id }: Omit<EnvironmentPath, 'env_id'>,
): Application {
  const application = store.get(Application, org_id, app_id)
  if (application) return application
  throw new Problem('NotFound', `application '${app_id}' not found`)
}

/** The environment in the path. */
export function findEnvironment(store: Store, path: EnvironmentPath): Environment {
  findApplication(store, path)
  const environment = store.get(Environment, path.org_id, environmentObjectName(path.app_id, path.env_id))
  if (environment) return environment
  throw new Problem('NotFound', `environment '${path.env_id}' of application '${path.app_id}' not found`)
}

/** The environments of an application, by name; those that are being deleted are among them. */
export function environmentsOf(store: Store, { metadata }: Pick<Application, 'metadata'>): Environment[] {
  const { namespace = '', name } = metadata
  return store.byIndex(Environment, 'application', inOrganization(namespace, name)).toSorted(byName)
}

/** The active resources of an environment. */
export function resourcesOf(
  store: Store,
  { metadata }: Pick<Environment, 'metadata'>,
): readonly ActiveResource[] {
  const { namespace = '', name } = metadata
  return store.byIndex(ActiveResource, 'environment', inOrganization(namespace, name))
}

/** Id of an environment within its application. */
export function environmentIdOf({ metadata, spec }: Environment): string {
  return metadata.name.slice(spec.applicationName.length + 1)
}

/** Metadata of a new object: it says who made it. */
export function newMetadata(namespace: string, name: string, caller: Caller): ObjectMeta {
  return { namespace, name, annotations: { [annotations.createdBy]: caller.userName } }
}

/** Metadata of a new object that webhooks tell of: it says who is to be named. */
export function newToldMetadata(namespace: string, name: string, caller: Caller): ObjectMeta {
  const { annotations: given, ...metadata } = newMetadata(namespace, name, caller)
  return { ...metadata, annotations: { ...given, [annotations.triggeredBy]: caller.userName } }
}

/** Metadata of what the operator has to clear up after, even when it is deleted before the operator saw it. */
export function held(metadata: ObjectMeta): ObjectMeta {
  return { ...metadata, finalizers: [finalizer] }
}

/** What comes after the application in a name that begins with it. */
export function afterDot(name: string): string {
  return name.slice(name.indexOf('.') + 1)
}

/** User id of whoever made an object over REST; empty when it came another way. */
export function createdBy({ metadata }: KubeObject): string {
  return metadata.annotations?.[annotations.createdBy] ?? ''
}

/** When an object was made. */
export function createdAt({ metadata }: KubeObject): string {
  return metadata.creationTimestamp ?? new Date(0).toISOString() // the API server always sets it
}

/** Whether an object is being deleted, and since when; else when it was made. */
export function lifeOf(object: KubeObject) {
  const { deletionTimestamp } = object.metadata
  return {
    status: deletionTimestamp ? ('deleting' as const) : ('active' as const),
    status_changed_at: deletionTimestamp ?? createdAt(object),
  }
}

/** The object as it is, undefined when it is gone; what is known may be a moment behind another gateway. */
export async function refresh<K extends Kind>(
  cluster: Cluster,
  kind: K,
  known: ObjectOf<K>,
): Promise<ObjectOf<K> | undefined> {
  const { namespace = '', name } = known.metadata
  const current = await cluster.read(kind, namespace, name)
  const cache = cluster.store.cacheOf(kind)
  if (current) cache.set(current)
  else cache.remove(known)
  return current
}

/** Refuses an id that is taken; what is being deleted gets a moment to end. */
export async function refuseTaken<K extends Kind>(
  cluster: Cluster,
  kind: K,
  known: ObjectOf<K> | undefined,
  what: string,
): Promise<void> {
  if (!known || !(await refresh(cluster, kind, known))) return
  const { namespace = '', name } = known.metadata
  const look = () => cluster.store.get(kind, namespace, name)
  await untilGone(look)
  const existing = look()
  if (!existing) return
  const state = existing.metadata.deletionTimestamp ? 'is being deleted' : 'already exists'
  throw new Problem('Conflict', `${what} ${state}`)
}

const goneWithinMs = 2000
const lookEveryMs = 50

/** Gives what is being deleted a moment to end; whether it has, so that its id is free. */
export async function untilGone(look: () => KubeObject | undefined): Promise<boolean> {
  const isGoing = () => look()?.metadata.deletionTimestamp !== undefined
  const deadline = performance.now() + goneWithinMs
  while (isGoing() && performance.now() < deadline) await setTimeout(lookEveryMs)
  return !isGoing()
}

const maxObjectBytes = 1_400_000

/** Refuses an object that etcd would not take. */
export function refuseTooLarge(spec: unknown, what: string): void {
  const size = Buffer.byteLength(JSON.stringify(spec))
  if (size > maxObjectBytes)
    throw new Problem('Invalid', `${what} would be ${size} bytes; the limit is ${maxObjectBytes} bytes`)
}
