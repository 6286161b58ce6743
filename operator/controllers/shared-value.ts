import { SharedValue } from '../api/shared-value.ts'
import { Stalled } from '../domain/errors.ts'
import { holders, placeOf } from '../domain/shared-values.ts'
import type { Cluster } from '../kube/cluster.ts'
import { type Controller, watchKind } from '../kube/controller.ts'
import { scoped } from '../kube/kinds-in-store.ts'
import { keyOf } from '../kube/resource.ts'
import { createOwnedSecrets } from './owned-secrets.ts'
import { createSecretReader, resolveSecretRefs } from './secrets.ts'

/** A shared value is ready when it holds, and when its secret is there; a secret that was replaced goes. */
export function sharedValueController(cluster: Cluster): Controller<typeof SharedValue> {
  const { store, client } = cluster
  const ownedSecrets = createOwnedSecrets(cluster, SharedValue, ({ spec }) =>
    spec.secret === undefined ? [] : [spec.secret.secret],
  )
  const rivalsOf = (value: SharedValue) =>
    store.byIndex(SharedValue, 'place', scoped(value, placeOf(value.spec)))
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
    ],
    async reconcile(value) {
      const { spec, metadata } = value
      // The old secret stays until the new one is there.
      if (spec.secret)
        await resolveSecretRefs({ value: spec.secret }, metadata.namespace ?? '', createSecretReader(client))
      const seen = await ownedSecrets.tidy(value)
      const [holder] = holders(rivalsOf(value))
      if (!holder || holder.metadata.name === metadata.name) return seen
      const where = spec.environmentId === undefined ? '' : `, environment '${spec.environmentId}'`
      throw new Stalled(
        'DuplicateValue',
        `'${holder.metadata.name}' holds the key '${spec.key}' of application '${spec.applicationName}'${where} already`,
        seen,
      )
    },
  }
}
