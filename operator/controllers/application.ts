import { Application } from '../api/application.ts'
import { Environment } from '../api/environment.ts'
import type { Kind, ObjectOf } from '../api/kind.ts'
import { contentKinds } from '../api/kinds.ts'
import { annotations } from '../api/names.ts'
import { Webhook } from '../api/webhook.ts'
import { Waiting } from '../domain/base/errors.ts'
import type { Cluster } from '../kube/cache/cluster.ts'
import { scoped } from '../kube/cache/kinds-in-store.ts'
import type { Store } from '../kube/cache/store.ts'
import { inParallel } from '../kube/client/parallel.ts'
import { type Controller, watchKind } from '../kube/loop/controller.ts'
import { createRoleWithdrawal } from './roles.ts'
import { deletionBlockers, firstOf, isBlockerChanged } from './shared/deletion-blockers.ts'
import { requireStillPresent } from './shared/still-present.ts'

/** Whether the application of an environment is being deleted. */
function isTerminating({ metadata, spec }: Environment, store: Store): boolean {
  const application = store.get(Application, metadata.namespace, spec.applicationName)
  return application?.metadata.deletionTimestamp !== undefined
}

/** An application is always ready; deleting it deletes its environments and everything else that belongs to it. */
export function applicationController(cluster: Cluster): Controller<typeof Application> {
  const { store } = cluster
  const withdrawRoles = createRoleWithdrawal(
    cluster,
    Application,
    'applications',
    ({ applicationName }) => applicationName,
  )
  return {
    kind: Application,
    watches: [
      watchKind(store.cacheOf(Environment), (change) => {
        const { before, after } = change
        const environment = after ?? before
        if (!environment) return []
        const isKnown = before !== undefined && after !== undefined
        const isNews = isKnown ? isBlockerChanged(change) : !after || isTerminating(environment, store)
        return isNews ? [scoped(environment, environment.spec.applicationName)] : []
      }),
    ],
    async reconcile() {
      return {}
    },
    async finalize(application) {
      const index = scoped(application, application.metadata.name)
      const contents = contentKinds.map((kind) => ({
        kind,
        objects: store.byIndex<Kind>(kind, 'application', index),
      }))
      const environments = store.byIndex(Environment, 'application', index)
      const dependents = [...environments, ...contents.flatMap(({ objects }) => objects)]
      await requireStillPresent(cluster, Application, application, dependents)
      await removeEnvironments(application, cluster)
      for (const { kind, objects } of contents)
        await inParallel(objects, (each) => removeContent(kind, each, cluster))
      await removeUnseen(application, cluster)
      // Last, so that its owner can read the application until it is gone.
      await withdrawRoles(application)
    },
  }
}

/** Deletes the environments; throws Waiting until they are gone. */
async function removeEnvironments(application: Application, cluster: Cluster): Promise<void> {
  const index = scoped(application, application.metadata.name)
  const environments = cluster.store.byIndex(Environment, 'application', index)
  const live = environments.filter(({ metadata }) => !metadata.deletionTimestamp)
  await inParallel(live, (each) => cluster.remove(Environment, each))
  if (environments.length === 0) return
  const nameOf = ({ metadata }: Environment) => `'${metadata.name}'`
  const blockers = deletionBlockers(environments, nameOf)
  throw environmentsRemain(environments.map(nameOf), blockers)
}

function environmentsRemain(names: readonly string[], blockers: string, retrySeconds?: number): Waiting {
  const message = `waiting for ${firstOf(names)} to be deleted${blockers}`
  return new Waiting('EnvironmentsRemain', message, retrySeconds)
}

/**
 * Deletes what the cache does not contain yet, because its watches are not ordered: a later application of the id must
 * not inherit it. Throws Waiting for environments, until the cache contains them.
 */
async function removeUnseen(application: Application, cluster: Cluster): Promise<void> {
  const { namespace, name } = application.metadata
  const fields = { 'spec.applicationName': name }
  const environments = await cluster.readNames(Environment, namespace, fields)
  if (environments.length > 0)
    throw environmentsRemain(
      environments.map((each) => `'${each}'`),
      '',
      1,
    )
  await inParallel(contentKinds, async (kind) => {
    for (const each of await cluster.readNames(kind, namespace, fields)) {
      // Workloads and webhooks wait for others before they end.
      if (cluster.store.get<Kind>(kind, namespace, each)?.metadata.deletionTimestamp) continue
      const object = await cluster.read<Kind>(kind, namespace, each)
      if (!object) continue
      await requireStillPresent(cluster, Application, application, [object])
      await removeContent(kind, object, cluster)
    }
  })
}

/** Deletes an object. A webhook stays until its last calls are delivered; the application does not wait for that. */
async function removeContent(kind: Kind, object: ObjectOf<Kind>, cluster: Cluster): Promise<void> {
  const { uid, deletionTimestamp } = object.metadata
  if (deletionTimestamp) return
  if (kind.kind === Webhook.kind) {
    const marker = { [annotations.lastCalls]: 'true' }
    await cluster.patch(kind, object, { metadata: { uid, annotations: marker } })
  }
  await cluster.remove(kind, object)
}
