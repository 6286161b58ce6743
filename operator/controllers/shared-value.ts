import { Application } from '../api/application.ts'
import { Environment } from '../api/environment.ts'
import { SharedValue } from '../api/shared-value.ts'
import { type ObjectProblem, problemsOfReference, throwProblems } from '../domain/base/object-problem.ts'
import { effectiveValues, valueIdentity } from '../domain/graph/shared-values.ts'
import { environmentObjectName } from '../domain/resource/identity.ts'
import { problemOfStore } from '../domain/secret/secret-stores.ts'
import type { Cluster } from '../kube/cache/cluster.ts'
import { scoped } from '../kube/cache/kinds-in-store.ts'
import { keyOf } from '../kube/client/resource.ts'
import { type Controller, watchKind } from '../kube/loop/controller.ts'
import { createOwnedSecrets } from './shared/owned-secrets.ts'
import { watchPresence } from './shared/presence.ts'
import { createSecretReader, resolveSecretRefs } from './shared/secrets.ts'

/** A shared value is ready when it holds, and its place and its secret are there; a secret that was replaced goes. */
export function sharedValueController(cluster: Cluster): Controller<typeof SharedValue> {
  const { store, client } = cluster
  const ownedSecrets = createOwnedSecrets(cluster, SharedValue, ({ spec }) =>
    spec.secret === undefined ? [] : [spec.secret.secret],
  )
  const rivalsOf = (value: SharedValue) =>
    store.byIndex(SharedValue, 'place', scoped(value, valueIdentity(value.spec)))
  return {
    kind: SharedValue,
    watches: [
      // A place that is given up may be what another value waits for.
      watchKind(store.cacheOf(SharedValue), ({ before, after }) =>
        before && (!after || after.metadata.deletionTimestamp)
          ? rivalsOf(before)
              .map(keyOf)
              .filter((key) => key !== keyOf(before))
          : [],
      ),
      watchPresence(store.cacheOf(Application), (each) =>
        store.byIndex(SharedValue, 'application', scoped(each, each.metadata.name)).map(keyOf),
      ),
      watchPresence(store.cacheOf(Environment), (each) =>
        store
          .byIndex(SharedValue, 'application', scoped(each, each.spec.applicationName))
          .filter(({ spec }) => spec.environmentId !== undefined)
          .map(keyOf),
      ),
    ],
    async reconcile(value) {
      const { spec, metadata } = value
      // The old secret stays until the new one is there.
      if (spec.secret)
        await resolveSecretRefs({ value: spec.secret }, metadata.namespace ?? '', createSecretReader(client))
      const seen = await ownedSecrets.tidy(value)
      const { storeReference } = spec
      const ofStore = storeReference ? [problemOfStore(storeReference, `'${spec.key}'`)] : []
      throwProblems([...faultsOfPlace(value), ...ofStore, ...faultsOfRivals(value)], seen)
      return seen
    },
  }

  function faultsOfPlace({ metadata: { namespace = '' }, spec }: SharedValue): ObjectProblem[] {
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
    const message = `'${holder.metadata.name}' holds the key '${spec.key}' of application '${spec.applicationName}'${where} already`
    return [{ reason: 'DuplicateValue', message }]
  }
}
