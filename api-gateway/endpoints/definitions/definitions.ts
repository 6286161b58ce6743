import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { list, string } from '../../../operator/api/schema.ts'
import { withLock } from '../../../operator/domain/base/keyed-mutex.ts'
import { driverOf } from '../../../operator/domain/definition/definition.ts'
import { doubtsAbout } from '../../../operator/domain/definition/doubts.ts'
import { type Call, type Endpoint, endpoint, type Gateway, noContent, ok } from '../../endpoint.ts'
import { flag, isOn } from '../../request/boolean-query.ts'
import { anyOf, errorShape } from '../../response/shapes.ts'
import { removeObject } from '../common/change.ts'
import { findAll, organizationKey } from '../common/find.ts'
import { listEndpoint } from '../common/list-endpoint.ts'
import { criteriaAt } from './criteria.ts'
import {
  findDefinition,
  findDefinitionOrDeleted,
  listDefinitions,
  resourcesOfDefinition,
} from './definition-finding.ts'
import {
  definitionChanges,
  definitionChangesShape,
  dryRunQuery,
  previewDefinition,
  previewShape,
} from './definition-preview.ts'
import {
  changeShape,
  type FieldNaming,
  fieldNamingOf,
  newDefinitionShape,
  replacementShape,
} from './definition-request.ts'
import { definitionShape, toDefinition } from './definition-shape.ts'
import {
  createDefinition,
  type Draft,
  draftOf,
  newDefinition,
  replacementOf,
  writeDraft,
} from './definition-writing.ts'

const tag = 'Resource definitions'
const deleted = flag('Whether to include deleted definitions while resources that they provisioned remain.')
const written = { 200: anyOf(definitionShape, previewShape) }
const filters = {
  app: string('Application ID of the context.'),
  env: string('Environment ID of the context.'),
  env_type: string('Environment type of the context.'),
  res: string('Resource ID.'),
  res_type: string('Resource type.'),
  class: string('Resource class.'),
}

/** Empty query parameters count as absent. */
function filterOf(query: { readonly [K in keyof typeof filters]?: string }) {
  return {
    appId: query.app || undefined,
    envId: query.env || undefined,
    envType: query.env_type || undefined,
    resId: query.res || undefined,
    type: query.res_type || undefined,
    class: query.class || undefined,
  }
}

interface WriteOptions extends Pick<Call, 'caller' | 'inTurn'> {
  readonly isDryRun: boolean
  readonly naming: FieldNaming
}

/** Writes a change of a definition or returns a preview of it. */
async function writeOrPreview(
  definition: ResourceDefinition,
  draftFor: (definition: ResourceDefinition) => Draft,
  { isDryRun, naming, caller, inTurn }: WriteOptions,
  gateway: Gateway,
) {
  const { namespace, name } = definition.metadata
  if (isDryRun)
    return ok(
      await previewDefinition(namespace, name, draftFor(definition).apply(definition), gateway, inTurn),
    )
  return ok(toWritten(await writeDraft(definition, draftFor, caller, gateway), naming, gateway))
}

/** Converts a definition that was just written: the operator, which warns later, has not looked at it. */
function toWritten(definition: ResourceDefinition, naming: FieldNaming, { planning, settings }: Gateway) {
  const shown = toDefinition(definition, naming)
  const catalogue = planning.catalogueOf(definition.metadata.namespace)
  const descriptor = driverOf(definition.spec.driverType, catalogue, settings.vendors)
  const { reason, warnings } = doubtsAbout(definition.spec, descriptor)
  if (shown.status_message !== undefined || warnings.length === 0) return shown
  return { ...shown, status_message: `${reason}: ${warnings.join('; ')}` }
}

/** Text that is lower for a higher rank; ranks have at most two digits. */
function bestFirst(rank: number): string {
  return String(99 - rank).padStart(3, '0')
}

function readingAt(path: 'defs' | 'dynamic', naming: FieldNaming, note: string): Endpoint[] {
  return [
    listEndpoint({
      path: `/orgs/{org_id}/resources/${path}`,
      summary: `List the resource definitions that could match a context${note}`,
      tag,
      access: { organization: 'member' },
      query: { ...filters, deleted },
      response: list(definitionShape, 'Resource definitions, by type, the best match first.'),
      find: ({ params: { org_id }, query }, { cluster: { store } }) =>
        listDefinitions(store, org_id, { filter: filterOf(query), deleted: isOn(query.deleted) }),
      positionOf: ({ definition: { metadata, spec }, rank }) => [spec.type, bestFirst(rank), metadata.name],
      show: ({ definition, isDeleted }) => toDefinition(definition, naming, isDeleted),
    }),
    endpoint({
      method: 'get',
      path: `/orgs/{org_id}/resources/${path}/{def_id}`,
      summary: `Get a resource definition${note}`,
      tag,
      access: { organization: 'member' },
      query: { deleted },
      responses: { 200: definitionShape },
      handle({ params: { org_id, def_id }, query }, { cluster: { store } }) {
        if (!isOn(query.deleted)) return ok(toDefinition(findDefinition(store, org_id, def_id), naming))
        const { definition, isDeleted } = findDefinitionOrDeleted(store, org_id, def_id)
        return ok(toDefinition(definition, naming, isDeleted))
      },
    }),
  ]
}

function writingAt(path: 'defs' | 'dynamic', naming: FieldNaming, note: string): Endpoint[] {
  const access = { organization: 'administrator' } as const
  return [
    endpoint({
      method: 'post',
      path: `/orgs/{org_id}/resources/${path}`,
      summary: `Create a resource definition${note}`,
      tag,
      access,
      query: dryRunQuery,
      body: newDefinitionShape,
      responses: { ...written, 409: errorShape },
      async handle({ params: { org_id }, query: { dry_run }, body, caller, inTurn }, gateway) {
        if (isOn(dry_run)) {
          const { definition } = await newDefinition(org_id, body, caller, gateway, { isDryRun: true })
          return ok(await previewDefinition(org_id, body.id, definition, gateway, inTurn))
        }
        const definition = await withLock(
          gateway.criteriaLocks,
          organizationKey(org_id, body.type),
          async () => createDefinition(await newDefinition(org_id, body, caller, gateway), gateway),
        )
        return ok(toWritten(definition, fieldNamingOf(body, naming), gateway))
      },
    }),
    endpoint({
      method: 'put',
      path: `/orgs/{org_id}/resources/${path}/{def_id}`,
      summary: `Replace a resource definition, except for its type and criteria${note}`,
      tag,
      access,
      query: dryRunQuery,
      body: replacementShape,
      responses: written,
      handle({ params: { org_id, def_id }, query: { dry_run }, body, caller, inTurn }, gateway) {
        const definition = findDefinition(gateway.cluster.store, org_id, def_id)
        const options = { isDryRun: isOn(dry_run), naming: fieldNamingOf(body, naming), caller, inTurn }
        return writeOrPreview(definition, (each) => replacementOf(each, body, gateway), options, gateway)
      },
    }),
    endpoint({
      method: 'patch',
      path: `/orgs/{org_id}/resources/${path}/{def_id}`,
      summary: `Update a resource definition${note}`,
      tag,
      access,
      query: dryRunQuery,
      body: changeShape,
      responses: written,
      handle({ params: { org_id, def_id }, query: { dry_run }, body, caller, inTurn }, gateway) {
        const definition = findDefinition(gateway.cluster.store, org_id, def_id)
        const options = { isDryRun: isOn(dry_run), naming: fieldNamingOf(body, naming), caller, inTurn }
        return writeOrPreview(definition, (each) => draftOf(each, body, gateway), options, gateway)
      },
    }),
    endpoint({
      method: 'delete',
      path: `/orgs/{org_id}/resources/${path}/{def_id}`,
      summary: `Delete a resource definition${note}`,
      tag,
      access,
      query: { ...dryRunQuery, force: flag('Whether to delete it while active resources use it.') },
      responses: { 200: previewShape, 204: undefined, 409: definitionChangesShape },
      async handle({ params: { org_id, def_id }, query: { dry_run, force }, inTurn }, gateway) {
        const { store } = gateway.cluster
        const definition = findDefinition(store, org_id, def_id)
        if (isOn(dry_run)) return ok(await previewDefinition(org_id, def_id, undefined, gateway, inTurn))
        const resources = resourcesOfDefinition(store, org_id, def_id)
        if (resources.length > 0 && !isOn(force)) {
          const others = findAll(store, ResourceDefinition, org_id).filter((each) => each !== definition)
          const changes = await inTurn(() => definitionChanges(definition, resources, others))
          return { status: 409, body: changes }
        }
        await removeObject(gateway.cluster, ResourceDefinition, definition)
        return noContent
      },
    }),
  ]
}

function endpointsAt(path: 'defs' | 'dynamic', naming: FieldNaming): Endpoint[] {
  const note = naming === 'legacy' ? ' (legacy field names)' : ''
  return [...readingAt(path, naming, note), ...writingAt(path, naming, note), ...criteriaAt(path, naming)]
}

/** Resource definitions, with current and with legacy field names. */
export const definitions: readonly Endpoint[] = [
  ...endpointsAt('defs', 'current'),
  ...endpointsAt('dynamic', 'legacy'),
]
