import { ResourceDriver } from '../../api/resource-driver.ts'
import { driverTypesOver } from '../../domain/definition/third-party.ts'
import type { Store } from '../../kube/cache/store.ts'
import { type Watch, watchKind } from '../../kube/loop/controller.ts'

/** Watches changes of drivers. `keysOf` gets the driver, and its driver type with those that wrap it. */
export function watchDrivers(
  store: Store,
  keysOf: (driver: ResourceDriver, driverTypes: readonly string[]) => string[],
): Watch {
  return watchKind(store.cacheOf(ResourceDriver), ({ before, after }) => {
    const driver = after ?? before
    if (!driver || before?.spec === after?.spec) return []
    const drivers = store.list(ResourceDriver, driver.metadata.namespace)
    return keysOf(driver, driverTypesOver(driver, drivers))
  })
}
