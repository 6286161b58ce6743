import { ResourceDriver } from '../api/resource-driver.ts'
import { throwProblems } from '../domain/base/object-problem.ts'
import { problemsOfDriverObject } from '../domain/definition/third-party.ts'
import type { Cluster } from '../kube/cache/cluster.ts'
import { keyOf } from '../kube/client/resource.ts'
import { type Controller, watchKind } from '../kube/loop/controller.ts'
import type { Planning } from '../planning/planning.ts'

/** Checks the drivers of an organization: their schemas, their targets, and whether the drivers that they wrap exist. */
export function resourceDriverController(
  { store }: Cluster,
  planning: Planning,
  vendors: readonly string[],
): Controller<typeof ResourceDriver> {
  return {
    kind: ResourceDriver,
    watches: [
      // A driver that wraps another one depends on it.
      watchKind(store.cacheOf(ResourceDriver), ({ before, after }) => {
        if (before?.spec === after?.spec) return []
        return store.list(ResourceDriver, (after ?? before)?.metadata.namespace ?? '').map(keyOf)
      }),
    ],
    async reconcile(driver) {
      const catalogue = planning.catalogueOf(driver.metadata.namespace)
      throwProblems(problemsOfDriverObject(driver, catalogue, vendors))
      return {}
    },
  }
}
