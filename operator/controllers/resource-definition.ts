import { ResourceDefinition } from '../api/resource-definition.ts'
import { faultsOfDefinition } from '../domain/definition.ts'
import type { DriverDescriptor } from '../domain/driver.ts'
import { Stalled } from '../domain/errors.ts'
import type { Cluster } from '../kube/cluster.ts'
import { type Controller, watchKind } from '../kube/controller.ts'
import { criterionIndexOf } from '../kube/kinds-in-store.ts'
import { keyOf } from '../kube/resource.ts'

/** Judges what the schema of the kind cannot see: other definitions, drivers and types. */
export function resourceDefinitionController(
  cluster: Cluster,
  rules: { readonly catalogue: readonly DriverDescriptor[]; readonly vendors: readonly string[] },
): Controller<typeof ResourceDefinition> {
  const { store } = cluster
  const cache = store.cacheOf(ResourceDefinition)
  const rivalsOf = (definition: ResourceDefinition) =>
    criterionIndexOf(definition).flatMap((index) => store.byIndex(ResourceDefinition, 'criterion', index))
  return {
    kind: ResourceDefinition,
    watches: [
      // A criterion that is given up may be what another definition waits for.
      watchKind(cache, ({ before, after }) =>
        before && before.spec !== after?.spec
          ? rivalsOf(before)
              .map(keyOf)
              .filter((key) => key !== keyOf(before))
          : [],
      ),
    ],
    async reconcile(definition) {
      const faults = faultsOfDefinition(definition, { ...rules, rivals: rivalsOf(definition) })
      const [first] = faults
      if (first) throw new Stalled(first.reason, faults.map(({ message }) => message).join('; '))
      return {}
    },
  }
}
