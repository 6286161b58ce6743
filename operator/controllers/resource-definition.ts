import { ResourceAccount } from '../api/resource-account.ts'
import { ResourceDefinition } from '../api/resource-definition.ts'
import { ResourceType } from '../api/resource-type.ts'
import { faultsOfDefinition } from '../domain/definition.ts'
import type { DriverDescriptor } from '../domain/driver.ts'
import { Stalled } from '../domain/errors.ts'
import { secretNamesIn } from '../domain/secret-names.ts'
import type { Cluster } from '../kube/cluster.ts'
import { type Controller, watchKind } from '../kube/controller.ts'
import { criterionIndexOf, scoped } from '../kube/kinds-in-store.ts'
import type { Planning } from '../kube/planning.ts'
import { keyOf } from '../kube/resource.ts'
import { createOwnedSecrets } from './owned-secrets.ts'

/** Judges what the schema of the kind cannot see: other definitions, drivers and types. */
export function resourceDefinitionController(
  cluster: Cluster,
  planning: Planning,
  rules: { readonly catalogue: readonly DriverDescriptor[]; readonly vendors: readonly string[] },
): Controller<typeof ResourceDefinition> {
  const { store } = cluster
  const cache = store.cacheOf(ResourceDefinition)
  const ownedSecrets = createOwnedSecrets(cluster, ResourceDefinition, ({ spec }) =>
    secretNamesIn(spec.driverInputs?.secretRefs ?? {}),
  )
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
      watchKind(store.cacheOf(ResourceType), ({ before, after }) => {
        const type = after ?? before
        if (!type) return []
        const { namespace = '', name } = type.metadata
        return store.byIndex(ResourceDefinition, 'type', scoped(type, `${namespace}/${name}`)).map(keyOf)
      }),
      watchKind(store.cacheOf(ResourceAccount), ({ before, after }) => {
        const account = after ?? before
        if (!account || before?.spec === after?.spec) return []
        return store.byIndex(ResourceDefinition, 'account', scoped(account, account.metadata.name)).map(keyOf)
      }),
    ],
    async reconcile(definition) {
      const { namespace = '' } = definition.metadata
      const seen = await ownedSecrets.tidy(definition)
      const faults = faultsOfDefinition(definition, {
        ...rules,
        rivals: rivalsOf(definition),
        types: planning.typesOf(namespace),
        accountTypeOf: (name) => store.get(ResourceAccount, namespace, name)?.spec.type,
      })
      const [first] = faults
      if (first) throw new Stalled(first.reason, faults.map(({ message }) => message).join('; '), seen)
      return seen
    },
  }
}
