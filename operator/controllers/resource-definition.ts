import { ResourceAccount } from '../api/resource-account.ts'
import { ResourceDefinition } from '../api/resource-definition.ts'
import { ResourceType } from '../api/resource-type.ts'
import { throwProblems } from '../domain/base/object-problem.ts'
import { driverOf, problemsOfDefinition } from '../domain/definition/definition.ts'
import { doubtsAbout } from '../domain/definition/doubts.ts'
import type { DriverDescriptor } from '../domain/resource/driver.ts'
import { withoutTemplates } from '../domain/secret/secret-inputs.ts'
import { secretNamesIn } from '../domain/secret/secret-names.ts'
import type { Cluster } from '../kube/cache/cluster.ts'
import { criterionIndexOf, scoped } from '../kube/cache/kinds-in-store.ts'
import type { Store } from '../kube/cache/store.ts'
import { keyOf } from '../kube/client/resource.ts'
import { type Controller, type Watch, type WorkContext, watchKind } from '../kube/loop/controller.ts'
import type { Observed } from '../kube/loop/status.ts'
import type { Planning } from '../planning/planning.ts'
import { watchDrivers } from './shared/driver-watch.ts'
import type { OngoingStarts } from './shared/ongoing-starts.ts'
import { createOwnedSecrets, type OwnedSecrets } from './shared/owned-secrets.ts'
import { keysOfRivals } from './shared/rivals.ts'
import { createSecretReader, resolveSecretRefs } from './shared/secrets.ts'
import { warningsAs } from './shared/warnings.ts'

interface Tools {
  readonly cluster: Cluster
  readonly planning: Planning
  readonly vendors: readonly string[]
  readonly ownedSecrets: OwnedSecrets<typeof ResourceDefinition>
}

/** Checks a definition against other definitions, drivers, types and accounts, which the schema of the kind cannot do. */
export function resourceDefinitionController(
  cluster: Cluster,
  planning: Planning,
  vendors: readonly string[],
  starts: Pick<OngoingStarts, 'over'>,
): Controller<typeof ResourceDefinition> {
  const namedBy = ({ spec }: ResourceDefinition) => secretNamesIn(spec.driverInputs?.secretRefs ?? {})
  const ownedSecrets = createOwnedSecrets(cluster, ResourceDefinition, namedBy, { starts })
  const tools: Tools = { cluster, planning, vendors, ownedSecrets }
  return {
    kind: ResourceDefinition,
    watches: watchesOf(cluster.store),
    reconcile: (definition, context) => reconcile(definition, tools, context),
  }
}

function watchesOf(store: Store): Watch[] {
  return [
    // A criterion that one definition gives up is free for another one. Of two that are new in the same second, the later one may
    // hold it.
    watchKind(store.cacheOf(ResourceDefinition), (change) =>
      keysOfRivals(
        change,
        (each) => rivalsOf(each, store),
        ({ spec }) => spec,
      ),
    ),
    watchKind(store.cacheOf(ResourceType), ({ before, after }) => {
      const type = after ?? before
      if (!type) return []
      const { namespace, name } = type.metadata
      return store.byIndex(ResourceDefinition, 'namedType', scoped(type, `${namespace}/${name}`)).map(keyOf)
    }),
    // A driver that wraps another one depends on it.
    watchDrivers(store, (driver, types) =>
      types.flatMap((type) => store.byIndex(ResourceDefinition, 'driver', scoped(driver, type)).map(keyOf)),
    ),
    watchKind(store.cacheOf(ResourceAccount), ({ before, after }) => {
      const account = after ?? before
      if (!account || before?.spec === after?.spec) return []
      return store.byIndex(ResourceDefinition, 'account', keyOf(account)).map(keyOf)
    }),
  ]
}

async function reconcile(
  definition: ResourceDefinition,
  { cluster, planning, vendors, ownedSecrets }: Tools,
  context: Pick<WorkContext<typeof ResourceDefinition>, 'releaseWorker'>,
): Promise<Observed<typeof ResourceDefinition>> {
  const { namespace } = definition.metadata
  const status = await ownedSecrets.removeUnused(definition, context)
  const catalogue = planning.catalogueOf(namespace)
  const problems = problemsOfDefinition(definition, {
    vendors,
    catalogue,
    rivals: rivalsOf(definition, cluster.store),
    types: planning.typesOf(namespace),
    accountTypeOf: (name) => planning.accountTypeOf(namespace, name),
  })
  throwProblems(problems, status)
  const descriptor = driverOf(definition.spec.driverType, catalogue, vendors)
  const ofDriver = await checkInputs(definition, descriptor, status, cluster)
  const { reason, warnings } = doubtsAbout(definition.spec, descriptor, ofDriver)
  return { ...status, ...warningsAs(reason, warnings) }
}

/** Definitions that share a criterion with this one, each once. */
function rivalsOf(definition: ResourceDefinition, store: Store): ResourceDefinition[] {
  const indexes = criterionIndexOf(definition)
  return [...new Set(indexes.flatMap((index) => store.byIndex(ResourceDefinition, 'criterion', index)))]
}

/** Lets the driver check its inputs, except secret inputs with placeholders; returns warnings, and throws problems. */
async function checkInputs(
  { metadata, spec: { driverInputs = {} } }: ResourceDefinition,
  descriptor: DriverDescriptor | undefined,
  status: object,
  { client }: Cluster,
): Promise<readonly string[]> {
  if (!descriptor?.check) return []
  const { values = {}, secretRefs = {} } = driverInputs
  const reader = createSecretReader(client)
  const secrets = await resolveSecretRefs(withoutTemplates(secretRefs), metadata.namespace, reader)
  const { problems, warnings } = descriptor.check({ values, secrets }, Date.now())
  throwProblems(
    problems.map((message) => ({ reason: 'InvalidInputs', message })),
    status,
  )
  return warnings
}
