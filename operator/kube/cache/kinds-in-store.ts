import { AccessToken, Membership, User } from '../../api/access.ts'
import { ActiveResource } from '../../api/active-resource.ts'
import { Application } from '../../api/application.ts'
import { ArtefactVersion } from '../../api/artefact-version.ts'
import { AutomationRule } from '../../api/automation-rule.ts'
import { DeploymentDelta } from '../../api/deployment-delta.ts'
import { DeploymentSet } from '../../api/deployment-set.ts'
import { Environment } from '../../api/environment.ts'
import { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { EnvironmentType } from '../../api/environment-type.ts'
import type { ObjectMeta } from '../../api/kind.ts'
import { annotations } from '../../api/names.ts'
import { Registry } from '../../api/registry.ts'
import { ResourceAccount } from '../../api/resource-account.ts'
import { ResourceClass } from '../../api/resource-class.ts'
import { ResourceDefinition } from '../../api/resource-definition.ts'
import { ResourceDriver } from '../../api/resource-driver.ts'
import { ResourceType } from '../../api/resource-type.ts'
import { SharedValue } from '../../api/shared-value.ts'
import { Webhook, WebhookCall } from '../../api/webhook.ts'
import { Workload } from '../../api/workload.ts'
import { criterionId } from '../../domain/definition/criterion.ts'
import { typesNamedBy } from '../../domain/definition/definition.ts'
import { valueIdentity } from '../../domain/graph/shared-values.ts'
import { artefactId } from '../../domain/image/artefact.ts'
import { environmentOfRule } from '../../domain/image/automation.ts'
import { wildcardOver } from '../../domain/resource/host.ts'
import { namesNamespace, setObjectName } from '../../domain/resource/identity.ts'
import { secretNamesIn } from '../../domain/secret/secret-names.ts'
import { type Store, type StoredKind, stored } from './store.ts'

/** An index value within an organization. */
export function scoped({ metadata }: { readonly metadata: ObjectMeta }, value: string): string {
  return `${metadata.namespace}/${value}`
}

/** Key of the environment of a resource or deployment. */
export function environmentKeyOf(object: {
  readonly metadata: ObjectMeta
  readonly spec: { readonly environmentName: string }
}): string {
  return scoped(object, object.spec.environmentName)
}

/** Values of the index `criterion`: definitions with a common value have the same criterion. */
export function criterionIndexOf(definition: ResourceDefinition): string[] {
  const { type, criteria = [] } = definition.spec
  return criteria.map((criterion) => scoped(definition, `${type} ${criterionId(criterion)}`))
}

/** Accounts of the resource's definition and of its provisioned instance. */
function accountsOf({ spec, status }: ActiveResource): string[] {
  return distinct([spec.definition.accountName, status?.provisioned?.accountName])
}

/** Each name once, in order. Most objects name nothing. */
function distinct(names: readonly (string | undefined)[]): string[] {
  const given = names.filter((name) => name !== undefined)
  return given.length < 2 ? given : [...new Set(given)]
}

/** Secrets that a resource needs in order to be updated or deprovisioned, each once. */
export function secretsNeededBy({ spec, status }: ActiveResource): string[] {
  const { secretRefs } = spec.definition.driverInputs ?? {}
  const inputs = secretRefs ? secretNamesIn(secretRefs) : []
  const values = spec.values ? secretNamesIn(spec.values) : []
  return distinct([...inputs, ...values, ...(status?.secretNames ?? [])])
}

/** Deployment sets that a deployment names or has folded; of Workloads, also the one that it is about to fold. */
export function setNamesOf({ spec, status }: EnvironmentDeployment): string[] {
  const [application = ''] = spec.environmentName.split('.')
  const ofWorkloads = spec.workloads === undefined ? undefined : setObjectName(application, spec.workloads)
  return distinct([spec.setName, status?.setName, ofWorkloads])
}

/** Deployment sets that an environment must be able to deploy again. */
export function recordedSetNames({ status }: Environment): string[] {
  return distinct([status?.lastPlanned?.setName, status?.start?.setName])
}

/** Whether a deployment or an environment refers to a deployment set. */
export function isSetInUse(store: Pick<Store, 'cacheOf'>, set: { readonly metadata: ObjectMeta }): boolean {
  const key = scoped(set, set.metadata.name)
  return [EnvironmentDeployment, Environment].some((kind) => store.cacheOf(kind).anyByIndex('set', key))
}

/** Artefact versions that an automatic deployment names, as `<environment> <version>`. */
function deployedVersionsOf({ metadata, spec }: EnvironmentDeployment): string[] {
  const names = metadata.annotations?.[annotations.artefactVersions]?.split(',') ?? []
  return names.map((name) => `${spec.environmentName} ${name}`)
}

function environmentsIn({ status }: ArtefactVersion) {
  return status?.environments ?? []
}

/** Values of the index `environment` of artefact versions. */
export function environmentIndexOf(version: ArtefactVersion): string[] {
  return environmentsIn(version).map(({ environmentName }) => scoped(version, environmentName))
}

/** The kinds that both processes keep in memory, with their indexes. */
export const kindsInStore: readonly StoredKind[] = [
  stored(Application),
  stored(EnvironmentType),
  stored(Environment, {
    application: (each) => [scoped(each, each.spec.applicationName)],
    type: (each) => [scoped(each, each.spec.typeName)],
    start: ({ metadata, spec }) =>
      spec.fromDeploymentName === undefined ? [] : [scoped({ metadata }, spec.fromDeploymentName)],
    set: (each) => recordedSetNames(each).map((name) => scoped(each, name)),
  }),
  stored(ResourceType),
  stored(ResourceClass),
  stored(ResourceDriver),
  stored(ResourceAccount),
  stored(ResourceDefinition, {
    namedType: (each) => typesNamedBy(each).map((type) => scoped(each, type)),
    driver: (each) => [scoped(each, each.spec.driverType)],
    account: (each) => (each.spec.accountName === undefined ? [] : [scoped(each, each.spec.accountName)]),
    criterion: criterionIndexOf,
  }),
  stored(SharedValue, {
    application: (each) => [scoped(each, each.spec.applicationName)],
    place: (each) => [scoped(each, valueIdentity(each.spec))],
  }),
  stored(DeploymentDelta, { application: (each) => [scoped(each, each.spec.applicationName)] }),
  stored(DeploymentSet, { application: (each) => [scoped(each, each.spec.applicationName)] }),
  stored(Workload, { application: (each) => [scoped(each, each.spec.applicationName)] }),
  stored(EnvironmentDeployment, {
    environment: (each) => [environmentKeyOf(each)],
    set: (each) => setNamesOf(each).map((name) => scoped(each, name)),
    artefactVersion: (each) => deployedVersionsOf(each).map((name) => scoped(each, name)),
  }),
  stored(ActiveResource, {
    environment: (each) => [environmentKeyOf(each)],
    namespaceOfEnvironment: (each) => (namesNamespace(each.spec) ? [environmentKeyOf(each)] : []),
    definition: (each) => [scoped(each, each.spec.definition.definitionName)],
    account: (each) => accountsOf(each).map((name) => scoped(each, name)),
    secret: (each) => secretsNeededBy(each).map((name) => scoped(each, name)),
    driver: (each) => [scoped(each, each.spec.definition.driverType)],
    // The built-in types never change.
    type: (each) => (each.spec.type.includes('/') ? [scoped(each, each.spec.type)] : []),
    reservedHost: (each) => each.status?.reservedHosts ?? [],
    wildcardOverHost: (each) =>
      (each.status?.reservedHosts ?? []).flatMap((name) => wildcardOver(name) ?? []),
    dependsOn: (each) => (each.spec.dependsOn ?? []).map((name) => scoped(each, name)),
  }),
  stored(Registry),
  stored(ArtefactVersion, {
    artefact: (each) => [scoped(each, artefactId(each.spec))],
    environment: environmentIndexOf,
    openEnvironment: (each) =>
      environmentsIn(each).flatMap(({ environmentName, outcome }) =>
        outcome === undefined ? [scoped(each, environmentName)] : [],
      ),
  }),
  stored(AutomationRule, {
    application: (each) => [scoped(each, each.spec.applicationName)],
    environment: (each) => [scoped(each, environmentOfRule(each))],
  }),
  stored(Webhook, { application: (each) => [scoped(each, each.spec.applicationName)] }),
  stored(WebhookCall, { webhook: (each) => [scoped(each, each.spec.webhookName)] }),
  stored(User),
  stored(AccessToken, { digest: (each) => [scoped(each, `${each.metadata.name} ${each.spec.sha256}`)] }),
  stored(Membership),
]
