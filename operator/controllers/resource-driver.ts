import { ResourceDriver } from '../api/resource-driver.ts'
import { throwProblems } from '../domain/base/object-problem.ts'
import { driverOf } from '../domain/definition/definition.ts'
import { ownDriverType, problemsOfDriverObject, wrappedDriverType } from '../domain/definition/third-party.ts'
import { unreadFromTemplate } from '../domain/definition/unread-inputs.ts'
import type { Cluster } from '../kube/cache/cluster.ts'
import { keyOf } from '../kube/client/resource.ts'
import type { Controller } from '../kube/loop/controller.ts'
import { isReady } from '../kube/loop/outcome.ts'
import type { Planning } from '../planning/planning.ts'
import { watchDrivers } from './shared/driver-watch.ts'
import { warningsAs } from './shared/warnings.ts'

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
      watchDrivers(store, (driver, types) => {
        const over = new Set(types)
        // The message of one that is not ready may name similar ones.
        return store
          .list(ResourceDriver, driver.metadata.namespace)
          .filter((each) => over.has(ownDriverType(each)) || !isReady(each))
          .map(keyOf)
      }),
    ],
    async reconcile(driver) {
      const catalogue = planning.catalogueOf(driver.metadata.namespace)
      throwProblems(problemsOfDriverObject(driver, catalogue, vendors))
      const wrapped = wrappedDriverType(driver)
      const inner = wrapped === undefined ? undefined : driverOf(wrapped, catalogue, vendors)
      if (wrapped === undefined || !inner) return {}
      return warningsAs('DoubtfulInputs', unreadFromTemplate(wrapped, inner, driver.spec.template))
    },
  }
}
