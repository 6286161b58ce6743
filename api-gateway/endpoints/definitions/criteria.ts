import { type Criterion, ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { list } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { withLock } from '../../../operator/domain/base/keyed-mutex.ts'
import { criterionId } from '../../../operator/domain/definition/criterion.ts'
import type { Caller } from '../../authenticate.ts'
import { type Endpoint, endpoint, type Gateway, noContent, ok } from '../../endpoint.ts'
import { flag, isOn } from '../../request/boolean-query.ts'
import { anyOf, errorShape } from '../../response/shapes.ts'
import {
  changeObject,
  currentIfRefused,
  modificationBy,
  unlessShownAlike,
  withModification,
} from '../common/change.ts'
import { findAll, organizationKey } from '../common/find.ts'
import {
  findDefinition,
  refreshConflicting,
  refuseDuplicates,
  resourcesOfDefinition,
} from './definition-finding.ts'
import {
  definitionChanges,
  definitionChangesShape,
  dryRunQuery,
  previewDefinition,
  previewShape,
} from './definition-preview.ts'
import { criteriaRequest, criterionOf, criterionRequest, type FieldNaming } from './definition-request.ts'
import { criterionShape, toCriterion } from './definition-shape.ts'

const tag = 'Resource definitions'

function withCriteria(definition: ResourceDefinition, criteria: readonly Criterion[]): ResourceDefinition {
  return { ...definition, spec: { ...definition.spec, criteria: [...criteria] } }
}

function withoutCriterion(definition: ResourceDefinition, id: string): ResourceDefinition {
  const { criteria = [] } = definition.spec
  const kept = criteria.filter((each) => criterionId(each) !== id)
  if (kept.length < criteria.length) return withCriteria(definition, kept)
  throw new Problem('NotFound', `definition '${definition.metadata.name}' has no criterion '${id}'`)
}

/** Writes criteria under a lock per type, so that a criterion stays free until it is written. */
async function writeCriteria(
  found: ResourceDefinition,
  caller: Caller,
  gateway: Gateway,
  added: readonly Criterion[],
  criteriaFor: (definition: ResourceDefinition) => readonly Criterion[],
): Promise<void> {
  const { cluster, criteriaLocks } = gateway
  const { namespace, name } = found.metadata
  await withLock(criteriaLocks, organizationKey(namespace, found.spec.type), async () => {
    await refreshConflicting(cluster, found, added)
    const first = findDefinition(cluster.store, namespace, name)
    await changeObject(cluster, ResourceDefinition, first, (definition) => {
      const wanted = withCriteria(definition, criteriaFor(definition))
      const changed = unlessShownAlike(definition, wanted, ({ spec }) => spec.criteria?.map(toCriterion))
      return withModification(definition, changed, modificationBy(caller, gateway))
    })
  })
}

/** Criteria endpoints of one of the two paths. */
export function criteriaAt(path: 'defs' | 'dynamic', naming: FieldNaming): Endpoint[] {
  const note = naming === 'legacy' ? ' (legacy field names)' : ''
  return [
    endpoint({
      method: 'post',
      path: `/orgs/{org_id}/resources/${path}/{def_id}/criteria`,
      summary: `Add a criterion to a resource definition${note}`,
      tag,
      access: { organization: 'administrator' },
      body: criterionRequest,
      responses: { 200: criterionShape, 409: errorShape },
      async handle({ params: { org_id, def_id }, body, caller }, gateway) {
        const { store } = gateway.cluster
        const criterion = criterionOf(body)
        await writeCriteria(
          findDefinition(store, org_id, def_id),
          caller,
          gateway,
          [criterion],
          (definition) => {
            const { criteria = [] } = definition.spec
            refuseDuplicates(store, definition, [criterion], criteria)
            return [...criteria, criterion]
          },
        )
        return ok(toCriterion(criterion))
      },
    }),
    endpoint({
      method: 'put',
      path: `/orgs/{org_id}/resources/${path}/{def_id}/criteria`,
      summary: `Replace the criteria of a resource definition${note}`,
      tag,
      access: { organization: 'administrator' },
      query: dryRunQuery,
      body: criteriaRequest,
      responses: { 200: anyOf(list(criterionShape, 'The new criteria.'), previewShape), 409: errorShape },
      async handle({ params: { org_id, def_id }, query: { dry_run }, body, caller, inTurn }, gateway) {
        const { store } = gateway.cluster
        const criteria = body.map(criterionOf)
        if (isOn(dry_run)) {
          const definition = findDefinition(store, org_id, def_id)
          refuseDuplicates(store, definition, criteria)
          const wanted = withCriteria(definition, criteria)
          return ok(await previewDefinition(org_id, def_id, wanted, gateway, inTurn))
        }
        await writeCriteria(
          findDefinition(store, org_id, def_id),
          caller,
          gateway,
          criteria,
          (definition) => {
            refuseDuplicates(store, definition, criteria)
            return criteria
          },
        )
        return ok(criteria.map(toCriterion))
      },
    }),
    endpoint({
      method: 'delete',
      path: `/orgs/{org_id}/resources/${path}/{def_id}/criteria/{criterion_id}`,
      summary: `Delete a criterion of a resource definition${note}`,
      tag,
      access: { organization: 'administrator' },
      query: { force: flag('Whether to delete it even if a resource would then match another definition.') },
      responses: { 204: undefined, 409: definitionChangesShape },
      async handle({ params: { org_id, def_id, criterion_id }, query: { force }, caller }, gateway) {
        const { cluster } = gateway
        const { store } = cluster
        const { object: definition, result: changed } = await currentIfRefused(
          cluster,
          ResourceDefinition,
          findDefinition(store, org_id, def_id),
          (each) => withoutCriterion(each, criterion_id),
        )
        const others = findAll(store, ResourceDefinition, org_id).filter(
          ({ metadata }) => metadata.name !== def_id,
        )
        const resources = resourcesOfDefinition(store, org_id, def_id)
        const changes = definitionChanges(definition, resources, [...others, changed]).filter(
          ({ from_def, to_def }) => from_def !== to_def,
        )
        if (changes.length > 0 && !isOn(force)) return { status: 409, body: changes }
        await changeObject(cluster, ResourceDefinition, definition, (each) =>
          withModification(each, withoutCriterion(each, criterion_id), modificationBy(caller, gateway)),
        )
        return noContent
      },
    }),
  ]
}
