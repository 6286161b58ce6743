import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { EnvironmentType } from '../../../operator/api/environment-type.ts'
import { type Kind, type Manifest, newObject, type ObjectOf } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { setNameOf } from '../../../operator/domain/deployment/deployment.ts'
import { environmentObjectName } from '../../../operator/domain/resource/identity.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { isGone } from '../../../operator/kube/client/api-error.ts'
import { type Caller } from '../../authenticate.ts'
import { Missing, Replaced } from '../../request/missing.ts'
import { removeObject } from '../common/change.ts'
import { find, newTriggeredMetadata, refresh, resourcesOf, withFinalizer } from '../common/find.ts'

/** Type of environments whose type is not given. */
export const defaultEnvironmentType = 'development'

/** Request for a new environment. */
export interface NewEnvironment {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly from_deploy_id?: string
}

/** Returns the object of a new environment. */
export function newEnvironment(
  organization: string,
  application: string,
  wanted: NewEnvironment,
  caller: Caller,
): Manifest<typeof Environment> {
  const metadata = newTriggeredMetadata(organization, environmentObjectName(application, wanted.id), caller)
  return newObject(Environment, withFinalizer(metadata), {
    applicationName: application,
    typeName: wanted.type,
    displayName: wanted.name,
    fromDeploymentName: wanted.from_deploy_id,
  })
}

/** Throws Invalid if the environment type does not exist. */
export function refuseUnknownType(store: Store, organization: string, type: string): void {
  if (find(store, EnvironmentType, organization, type)) return
  throw new Missing(
    EnvironmentType,
    organization,
    type,
    `environment type '${type}' does not exist`,
    'Invalid',
  )
}

/**
 * Deletes an object, and with it these environments. Records the user who first deletes them, for webhooks, and removes the
 * records when the deletion fails.
 */
export async function removeRecorded<K extends Kind>(
  cluster: Cluster,
  environments: readonly Environment[],
  caller: Caller,
  kind: K,
  object: ObjectOf<K>,
): Promise<void> {
  const records = await Promise.allSettled(environments.map((each) => recordDeletion(cluster, each, caller)))
  const failure = records.find((each) => each.status === 'rejected')
  const recorded = records.flatMap((each) => (each.status === 'fulfilled' && each.value ? [each.value] : []))
  const withdraw = () => Promise.allSettled(recorded.map((each) => withdrawRecord(cluster, each)))
  if (failure) {
    await withdraw()
    throw failure.reason
  }
  try {
    await removeObject(cluster, kind, object)
  } catch (error) {
    if (!(await mayBeDeleted(cluster, kind, object))) await withdraw()
    throw error
  }
}

/** Whether a deletion without an answer may have reached the cluster. */
async function mayBeDeleted<K extends Kind>(
  cluster: Cluster,
  kind: K,
  { metadata }: ObjectOf<K>,
): Promise<boolean> {
  try {
    const current = await cluster.read(kind, metadata.namespace, metadata.name)
    if (!current) return true
    return current.metadata.uid === metadata.uid && current.metadata.deletionTimestamp !== undefined
  } catch {
    return true
  }
}

async function recordDeletion(
  cluster: Cluster,
  environment: Environment,
  caller: Caller,
): Promise<Environment | undefined> {
  const { uid, deletionTimestamp } = environment.metadata
  if (deletionTimestamp) return undefined
  const note = { metadata: { uid, annotations: { [annotations.deletedBy]: caller.userName } } }
  try {
    return await cluster.patch(Environment, environment, note)
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}

/** Leaves an environment alone that has changed since: its deletion may have begun. */
async function withdrawRecord(cluster: Cluster, recorded: Environment): Promise<void> {
  const { resourceVersion } = recorded.metadata
  const note = { metadata: { resourceVersion, annotations: { [annotations.deletedBy]: null } } }
  await cluster.patch(Environment, recorded, note)
}

/** Whether an environment has resources, whose deprovisioning takes time. */
export function hasResources(store: Store, environment: Environment): boolean {
  return resourcesOf(store, environment).length > 0
}

/** Returns a deployment of the application that an environment can start from; throws Invalid. */
export function findStartDeployment(
  store: Store,
  organization: string,
  application: string,
  id: string,
): EnvironmentDeployment {
  const found = find(store, EnvironmentDeployment, organization, id)
  if (found?.spec.environmentName.startsWith(`${application}.`)) return found
  throw new Missing(
    EnvironmentDeployment,
    organization,
    id,
    `deployment '${id}' of application '${application}' does not exist`,
    'Invalid',
  )
}

/**
 * Throws Invalid for a deployment that is gone or has no set: each deployment that builds on it would fail, and one that waits in
 * the same environment would wait for itself. Reads it, because the cache may be stale.
 */
export async function refuseUnfitStart(cluster: Cluster, start: EnvironmentDeployment): Promise<void> {
  const current = await refresh(cluster, EnvironmentDeployment, start)
  const { name, uid } = start.metadata
  if (current && current.metadata.uid !== uid) throw new Replaced(EnvironmentDeployment, start)
  if (!current || current.metadata.deletionTimestamp)
    throw new Problem('Invalid', `deployment '${name}' does not exist`)
  if (setNameOf(current) !== undefined) return
  throw new Problem('Invalid', `deployment '${name}' has no set that an environment can start from`)
}

/** Returns the type of the environment of a deployment. */
export function typeOfStart(
  store: Store,
  organization: string,
  { spec }: EnvironmentDeployment,
): string | undefined {
  return store.get(Environment, organization, spec.environmentName)?.spec.typeName
}
