import { Application } from '../api/application.ts'
import { Environment } from '../api/environment.ts'
import { SharedValue } from '../api/shared-value.ts'
import { type ObjectProblem, problemsOfReference, throwProblems } from '../domain/base/object-problem.ts'
import { effectiveValues, valueIdentity } from '../domain/graph/shared-values.ts'
import { environmentObjectName } from '../domain/resource/identity.ts'
import { problemOfStore } from '../domain/secret/secret-stores.ts'
import { environmentIdOf } from '../domain/workload/targets.ts'
import type { Cluster } from '../kube/cache/cluster.ts'
import { scoped } from '../kube/cache/kinds-in-store.ts'
import { keyOf } from '../kube/client/resource.ts'
import { type Controller, watchKind } from '../kube/loop/controller.ts'
import type { OngoingStarts } from './shared/ongoing-starts.ts'
import { createOwnedSecrets } from './shared/owned-secrets.ts'
import { keysOfRivals } from './shared/rivals.ts'
import { createSecretReader, resolveSecretRefs } from './shared/secrets.ts'
import { watchLifecycle } from './shared/watch-lifecycle.ts'

/** A shared value is ready when its application, environment and secret exist, and no older value has the same key. */
export function sharedValueController(
  cluster: Cluster,
  starts: Pick<OngoingStarts, 'over'>,
): Controller<typeof SharedValue> {
  const { store, client } = cluster
  const namedBy = ({ spec }: SharedValue) => (spec.secret === undefined ? [] : [spec.secret.secret])
  const ownedSecrets = createOwnedSecrets(cluster, SharedValue, namedBy, { starts })
  const rivalsOf = (value: SharedValue) =>
    store.byIndex(SharedValue, 'place', scoped(value, valueIdentity(value.spec)))
  return {
    kind: SharedValue,
    watches: [
      // A key that one value gives up is free for another one. Of two that are new in the same second, the later one may hold it.
      watchKind(store.cacheOf(SharedValue), (change) =>
        keysOfRivals(change, rivalsOf, ({ spec }) => valueIdentity(spec)),
      ),
      watchLifecycle(store.cacheOf(Application), (each) =>
        store.byIndex(SharedValue, 'application', scoped(each, each.metadata.name)).map(keyOf),
      ),
      watchLifecycle(store.cacheOf(Environment), (each) =>
        store
          .byIndex(SharedValue, 'application', scoped(each, each.spec.applicationName))
          .filter(({ spec }) => spec.environmentId === environmentIdOf(each))
          .map(keyOf),
      ),
    ],
    async reconcile(value, context) {
      const { spec, metadata } = value
      // `removeUnused` deletes the old secret, so the new one must exist.
      if (spec.secret)
        await resolveSecretRefs({ value: spec.secret }, metadata.namespace, createSecretReader(client))
      const seen = await ownedSecrets.removeUnused(value, context)
      const { storeReference } = spec
      const ofStore = storeReference ? [problemOfStore(storeReference, `'${spec.key}'`)] : []
      throwProblems([...faultsOfPlace(value), ...ofStore, ...faultsOfRivals(value)], seen)
      return seen
    },
  }

  function faultsOfPlace({ metadata: { namespace }, spec }: SharedValue): ObjectProblem[] {
    const { applicationName, environmentId } = spec
    const application = store.get(Application, namespace, applicationName)
    const ofApplication = problemsOfReference(
      'ApplicationNotFound',
      `application '${applicationName}'`,
      application !== undefined,
    )
    if (environmentId === undefined) return ofApplication
    const name = environmentObjectName(applicationName, environmentId)
    const isThere = store.get(Environment, namespace, name) !== undefined
    return [...ofApplication, ...problemsOfReference('EnvironmentNotFound', `environment '${name}'`, isThere)]
  }

  function faultsOfRivals(value: SharedValue): ObjectProblem[] {
    const { spec, metadata } = value
    const [holder] = effectiveValues(rivalsOf(value))
    if (!holder || holder.metadata.name === metadata.name) return []
    const where = spec.environmentId === undefined ? '' : `, environment '${spec.environmentId}'`
    const message = `'${holder.metadata.name}' already has the key '${spec.key}' of application '${spec.applicationName}'${where}`
    return [{ reason: 'DuplicateValue', message }]
  }
}
