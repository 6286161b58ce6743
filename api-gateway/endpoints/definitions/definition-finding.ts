import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { type Manifest, newObject } from '../../../operator/api/kind.ts'
import { type Criterion, ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { canonicalJson, compareText } from '../../../operator/domain/base/json.ts'
import { criterionId, formatCriterion } from '../../../operator/domain/definition/criterion.ts'
import {
  couldMatch,
  type MatchFilter,
  type PossibleMatch,
} from '../../../operator/domain/definition/possible-matches.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { byName, createdAt, find, findAll, findOrThrow, organizationKey, refresh } from '../common/find.ts'

/** A definition that may not be stored. */
export type DefinitionManifest = Manifest<typeof ResourceDefinition>

/** A definition, and whether it was deleted while resources of it remain. */
export interface FoundDefinition {
  readonly definition: DefinitionManifest
  readonly isDeleted: boolean
}

/** Returns the definition in the path; throws NotFound. */
export function findDefinition(store: Store, organization: string, id: string): ResourceDefinition {
  return findOrThrow(store, ResourceDefinition, organization, id, 'definition')
}

/** Returns the definition in the path, or reconstructs a deleted one from its resources. */
export function findDefinitionOrDeleted(store: Store, organization: string, id: string): FoundDefinition {
  const definition = find(store, ResourceDefinition, organization, id)
  if (definition) return { definition, isDeleted: false }
  const remains = reconstructDefinition(
    store,
    organization,
    id,
    resourcesOfDefinition(store, organization, id),
  )
  if (!remains) return { definition: findDefinition(store, organization, id), isDeleted: false }
  return { definition: remains, isDeleted: true }
}

/** Lists the definitions that could match a context, optionally with deleted ones. */
export function listDefinitions(
  store: Store,
  organization: string,
  { filter, deleted }: { readonly filter: MatchFilter; readonly deleted: boolean },
): (FoundDefinition & PossibleMatch<DefinitionManifest>)[] {
  const present = findAll(store, ResourceDefinition, organization)
  const missing = deleted ? deletedDefinitions(store, organization) : []
  const isDeleted = new Set(missing)
  return couldMatch([...present, ...missing], filter).map((match) => ({
    ...match,
    isDeleted: isDeleted.has(match.definition),
  }))
}

/** Lists the resources that a definition provisioned in their last deployment. */
export function resourcesOfDefinition(
  store: Store,
  organization: string,
  id: string,
): readonly ActiveResource[] {
  return store.byIndex(ActiveResource, 'definition', organizationKey(organization, id))
}

function deletedDefinitions(store: Store, organization: string): DefinitionManifest[] {
  const resources = Map.groupBy(
    store.list(ActiveResource, organization),
    ({ spec }) => spec.definition.definitionName,
  )
  return [...resources].flatMap(([name, each]) => {
    if (find(store, ResourceDefinition, organization, name)) return []
    return reconstructDefinition(store, organization, name, each) ?? []
  })
}

/** Reconstructs a definition from its most recently deployed resource. */
function reconstructDefinition(
  store: Store,
  organization: string,
  name: string,
  resources: readonly ActiveResource[],
): DefinitionManifest | undefined {
  const oldestFirst = resources
    .map((resource) => ({ resource, time: deployedAt(store, resource) }))
    .sort((left, right) => compareText(left.time, right.time) || byName(left.resource, right.resource))
  const [oldest] = oldestFirst
  const newest = oldestFirst.at(-1)?.resource.spec
  if (!oldest || !newest) return undefined
  // An object that is being deleted is more complete.
  const deleting = store.get(ResourceDefinition, organization, name)
  if (deleting) return deleting
  const { driverType, accountName, driverInputs } = newest.definition
  const criteria = resources.flatMap(({ spec }) => spec.definition.criterion ?? [])
  return newObject(
    ResourceDefinition,
    { namespace: organization, name, creationTimestamp: oldest.time },
    {
      type: newest.type,
      driverType,
      accountName,
      driverInputs,
      criteria: [...new Map(criteria.map((each) => [canonicalJson(each), each])).values()],
    },
  )
}

function deployedAt(store: Store, resource: ActiveResource): string {
  const { namespace } = resource.metadata
  return createdAt(store.get(EnvironmentDeployment, namespace, resource.spec.deploymentName) ?? resource)
}

/** Refreshes definitions that seem to have the same criteria, because the cache may be stale. */
export async function refreshConflicting(
  cluster: Cluster,
  definition: DefinitionManifest,
  criteria: readonly Criterion[],
): Promise<void> {
  const conflicting = criteria.flatMap(
    (each) => findConflicting(cluster.store, definition, criterionId(each)) ?? [],
  )
  for (const each of new Set(conflicting)) await refresh(cluster, ResourceDefinition, each)
}

function findConflicting(
  store: Store,
  { metadata: { namespace, name }, spec: { type } }: DefinitionManifest,
  id: string,
): ResourceDefinition | undefined {
  return store
    .byIndex(ResourceDefinition, 'criterion', organizationKey(namespace, `${type} ${id}`))
    .find((each) => !each.metadata.deletionTimestamp && each.metadata.name !== name)
}

/** Throws Conflict if a definition of the same type, or the definition itself, already has one of the criteria. */
export function refuseDuplicates(
  store: Store,
  definition: DefinitionManifest,
  criteria: readonly Criterion[],
  kept: readonly Criterion[] = [],
): void {
  const { metadata, spec } = definition
  const own = new Set(kept.map(criterionId))
  for (const criterion of criteria) {
    const id = criterionId(criterion)
    const owner = own.has(id) ? metadata.name : findConflicting(store, definition, id)?.metadata.name
    own.add(id)
    if (owner === undefined) continue
    const text = `definition '${owner}' already has the criterion ${formatCriterion(criterion)} for type '${spec.type}'`
    throw new Problem('Conflict', text, { definition: owner })
  }
}
