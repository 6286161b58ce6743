import { ResourceAccount } from '../api/resource-account.ts'
import { ResourceDefinition } from '../api/resource-definition.ts'
import { ResourceDriver } from '../api/resource-driver.ts'
import { ResourceType } from '../api/resource-type.ts'
import { faultsFor, throwFaults } from '../domain/base/fault.ts'
import { driverOf, faultsOfDefinition } from '../domain/definition/definition.ts'
import { ownDriverType } from '../domain/definition/third-party.ts'
import type { DriverDescriptor } from '../domain/resource/driver.ts'
import { withoutTemplates } from '../domain/secret/secret-inputs.ts'
import { secretNamesIn } from '../domain/secret/secret-names.ts'
import type { Cluster } from '../kube/cache/cluster.ts'
import { criterionIndexOf, scoped } from '../kube/cache/kinds-in-store.ts'
import { keyOf } from '../kube/client/resource.ts'
import { type Controller, watchKind } from '../kube/loop/controller.ts'
import type { Planning } from '../planning/planning.ts'
import { createOwnedSecrets } from './shared/owned-secrets.ts'
import { createSecretReader, resolveSecretRefs } from './shared/secrets.ts'

/** Judges what the schema of the kind cannot see: other definitions, drivers and types. */
export function resourceDefinitionController(
  cluster: Cluster,
  planning: Planning,
  vendors: readonly string[],
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
        return store.byIndex(ResourceDefinition, 'namedType', scoped(type, `${namespace}/${name}`)).map(keyOf)
      }),
      // A driver that wraps another depends on it: all that use drivers of the organization are looked at again.
      watchKind(store.cacheOf(ResourceDriver), ({ before, after }) => {
        const driver = after ?? before
        if (!driver || before?.spec === after?.spec) return []
        const types = [driver, ...store.list(ResourceDriver, driver.metadata.namespace ?? '')].map(
          ownDriverType,
        )
        return [...new Set(types)].flatMap((type) =>
          store.byIndex(ResourceDefinition, 'driver', scoped(driver, type)).map(keyOf),
        )
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
      const catalogue = planning.catalogueOf(namespace)
      const faults = faultsOfDefinition(definition, {
        vendors,
        catalogue,
        rivals: rivalsOf(definition),
        types: planning.typesOf(namespace),
        accountTypeOf: (name) => planning.accountTypeOf(namespace, name),
      })
      throwFaults(faults, seen)
      const warnings = await judgeSecrets(
        definition,
        driverOf(definition.spec.driverType, catalogue, vendors),
        seen,
      )
      return warnings.length === 0 ? seen : { ...seen, conditions: [warning(warnings.join('; '))] }
    },
  }
  /** What the driver says of the secret inputs, as far as they are known; answers its warnings. */
  async function judgeSecrets(
    { metadata, spec: { driverInputs } }: ResourceDefinition,
    descriptor: DriverDescriptor | undefined,
    seen: object,
  ): Promise<readonly string[]> {
    if (!descriptor?.check) return []
    const { values = {}, secretRefs = {} } = driverInputs ?? {}
    const reader = createSecretReader(cluster.client)
    const secrets = await resolveSecretRefs(withoutTemplates(secretRefs), metadata.namespace ?? '', reader)
    const { faults, warnings } = descriptor.check({ values, secrets }, Date.now())
    throwFaults(faultsFor('InvalidInputs', faults), seen)
    return warnings
  }
}

function warning(message: string) {
  return { type: 'Warning', status: 'True', reason: 'DoubtfulInputs', message } as const
}
