import { boolean, list, object, oneOf, string, time } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { type Endpoint, endpoint, ok } from '../../endpoint.ts'
import { flag, isOn } from '../../request/boolean-query.ts'
import { named } from '../../response/shapes.ts'
import { findDefinitionOrDeleted } from './definition-finding.ts'
import { definitionShape, toDefinition, toInputs } from './definition-shape.ts'

const { properties, required } = definitionShape as unknown as {
  properties: Parameters<typeof object>[0]
  required: readonly string[]
}
const optional = Object.entries(properties).filter(([key]) => !required.includes(key))

const versionShape = named(
  'ResourceDefinitionVersion',
  object(
    {
      ...Object.fromEntries(Object.entries(properties).filter(([key]) => required.includes(key))),
      def_id: string('Definition ID.'),
      action: oneOf(['created', 'updated', 'deleted'], 'Action that created this version.'),
      archived: boolean('Always false.'),
      active: boolean('Whether deployments use this version.'),
      proposed: boolean('Always false.'),
      driver_account: string('ID of the account that the driver uses. Empty if there is none.'),
      driver_inputs: properties['driver_inputs'] ?? object({}, {}, ''),
      provision: properties['provision'] ?? object({}, {}, ''),
      updated_at: time('Time when it was created.'),
    },
    Object.fromEntries(optional),
    'A version of a resource definition.',
  ),
)

/** Only the current version is stored. */
function currentVersion(store: Store, organization: string, id: string, deleted: boolean) {
  const { definition, isDeleted } = findDefinitionOrDeleted(store, organization, id)
  if (isDeleted && !deleted) throw new Problem('NotFound', `definition '${id}' not found`)
  const shown = toDefinition(definition, 'current', isDeleted)
  const { updated_at: updatedAt = shown.created_at, active_version_id: version } = shown
  const changed = shown.updated_at === undefined ? ('created' as const) : ('updated' as const)
  return {
    ...shown,
    driver_account: definition.spec.accountName ?? '',
    driver_inputs: toInputs(definition.spec.driverInputs ?? {}, id),
    provision: shown.provision ?? {},
    id: version,
    def_id: id,
    action: isDeleted ? ('deleted' as const) : changed,
    archived: false,
    active: !isDeleted,
    proposed: false,
    updated_at: updatedAt,
  }
}

const path = '/orgs/{org_id}/resources/defs/{def_id}/versions'
const deleted = flag('Whether to include a deleted definition while resources that it provisioned remain.')

/** Versions of definitions. */
export const definitionVersions: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path,
    summary: 'List the versions of a resource definition (only the current version is kept)',
    tag: 'Resource definitions',
    access: { organization: 'member' },
    query: {
      deleted,
      per_page: string('Maximum number of versions per page. There is only one version.', { maxLength: 9 }),
      page: string('Page token. There is only one page.'),
    },
    responses: { 200: list(versionShape, 'Versions.') },
    handle: ({ params: { org_id, def_id }, query }, { cluster: { store } }) =>
      ok([currentVersion(store, org_id, def_id, isOn(query.deleted))]),
  }),
  endpoint({
    method: 'get',
    path: `${path}/{version_id}`,
    summary: 'Get a version of a resource definition',
    tag: 'Resource definitions',
    access: { organization: 'member' },
    query: { deleted },
    responses: { 200: versionShape },
    handle({ params: { org_id, def_id, version_id }, query }, { cluster: { store } }) {
      const version = currentVersion(store, org_id, def_id, isOn(query.deleted))
      if (version.id === version_id) return ok(version)
      throw new Problem('NotFound', `definition '${def_id}' has no version '${version_id}'`)
    },
  }),
]
