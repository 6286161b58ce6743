import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { type Criterion, ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { canonicalJson, compareText } from '../../../operator/domain/base/json.ts'
import { couldMatch, type MatchFilter } from '../../../operator/domain/definition/could-match.ts'
import { criterionId, formatCriterion } from '../../../operator/domain/definition/matching.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { byName, createdAt, find, findAll, inOrganization, refresh } from '../common/find.ts'

/** A definition, and whether it is gone but for the resources that it provisioned. */
export interface FoundDefinition {
  readonly definition: ResourceDefinition
  readonly isDeleted: boolean
}

/** The definition in the path. */
export function findDefinition(store: Store, organization: string, id: string): ResourceDefinition {
  const found = find(store, ResourceDefinition, organization, id)
  if (!found) throw new Problem('NotFound', `definition '${id}' not found`)
  return found
}

/** The definition in the path, or what its resources remember of it. */
export function findDefinitionOrRemains(store: Store, organization: string, id: string): FoundDefinition {
  const definition = find(store, ResourceDefinition, organization, id)
  if (definition) return { definition, isDeleted: false }
  const remains = remainsOf(store, organization, id, resourcesOfDefinition(store, organization, id))
  if (!remains) throw new Problem('NotFound', `definition '${id}' not found`)
  return { definition: remains, isDeleted: true }
}

/** The definitions that could be chosen in such a context, and on demand those that are gone. */
export function listDefinitions(
  store: Store,
  organization: string,
  { filter, deleted }: { readonly filter: MatchFilter; readonly deleted: boolean },
): FoundDefinition[] {
  const present = findAll(store, ResourceDefinition, organization)
  const gone = deleted ? deletedDefinitions(store, organization) : []
  const isDeleted = new Set(gone)
  return couldMatch([...present, ...gone], filter).map((definition) => ({
    definition,
    isDeleted: isDeleted.has(definition),
  }))
}

/** The resources that a definition provisioned when they were deployed last. */
export function resourcesOfDefinition(
  store: Store,
  organization: string,
  id: string,
): readonly ActiveResource[] {
  return store.byIndex(ActiveResource, 'definition', inOrganization(organization, id))
}

function deletedDefinitions(store: Store, organization: string): ResourceDefinition[] {
  const resources = Map.groupBy(
    store.list(ActiveResource, organization),
    ({ spec }) => spec.definition.definitionName,
  )
  return [...resources].flatMap(([name, each]) => {
    if (find(store, ResourceDefinition, organization, name)) return []
    return remainsOf(store, organization, name, each) ?? []
  })
}

/** A definition as the resource remembers it that was deployed last of those that it provisioned. */
function remainsOf(
  store: Store,
  organization: string,
  name: string,
  resources: readonly ActiveResource[],
): ResourceDefinition | undefined {
  const oldestFirst = resources
    .map((resource) => ({ resource, time: deployedAt(store, resource) }))
    .sort((left, right) => compareText(left.time, right.time) || byName(left.resource, right.resource))
  const [oldest] = oldestFirst
  const newest = oldestFirst.at(-1)?.resource.spec
  if (!oldest || !newest) return undefined
  // While it is being deleted the object itself knows more.
  const going = store.get(ResourceDefinition, organization, name)
  if (going) return going
  const { driverType, accountName, driverInputs } = newest.definition
  const criteria = resources.flatMap(({ spec }) => spec.definition.criterion ?? [])
  return newObject(
    ResourceDefinition,
    { namespace: organization, name, creationTimestamp: oldest.time },
    {
      type: newest.type,
      driverType,
      ...(accountName === undefined ? {} : { accountName }),
      ...(driverInputs === undefined ? {} : { driverInputs }),
      criteria: [...new Map(criteria.map((each) => [canonicalJson(each), each])).values()],
    },
  )
}

function deployedAt(store: Store, resource: ActiveResource): string {
  const { namespace = '' } = resource.metadata
  return createdAt(store.get(EnvironmentDeployment, namespace, resource.spec.deploymentName) ?? resource)
}

/** Looks at the definitions that seem to hold new criteria of another one, so that these are refused for good reason alone. */
export async function refreshHolders(
  cluster: Cluster,
  definition: ResourceDefinition,
  criteria: readonly Criterion[],
): Promise<void> {
  const holders = criteria.flatMap(
    (each) => otherHolderOf(cluster.store, definition, criterionId(each)) ?? [],
  )
  for (const holder of new Set(holders)) await refresh(cluster, ResourceDefinition, holder)
}

function otherHolderOf(
  store: Store,
  { metadata: { namespace = '', name }, spec: { type } }: ResourceDefinition,
  id: string,
): ResourceDefinition | undefined {
  return store
    .byIndex(ResourceDefinition, 'criterion', inOrganization(namespace, `${type} ${id}`))
    .find((each) => !each.metadata.deletionTimestamp && each.metadata.name !== name)
}

/** Refuses new criteria that a definition of the same type has already: another one, or this one among those that it keeps. */
export function refuseDuplicates(
  store: Store,
  definition: ResourceDefinition,
  criteria: readonly Criterion[],
  kept: readonly Criterion[] = [],
): void {
  const { metadata, spec } = definition
  const own = new Set(kept.map(criterionId))
  for (const criterion of criteria) {
    const id = criterionId(criterion)
    const holder = own.has(id) ? metadata.name : otherHolderOf(store, definition, id)?.metadata.name
    own.add(id)
    if (holder === undefined) continue
    const text = `definition '${holder}' already has the criterion ${formatCriterion(criterion)} for type '${spec.type}'`
    throw new Problem('Conflict', text, { definition: holder })
  }
}
