import { ArtefactVersion } from '../../../operator/api/artefact-version.ts'
import { list, string } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { artefactId, isReferredBy } from '../../../operator/domain/image/artefact.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { type Endpoint, endpoint, noContent, ok } from '../../endpoint.ts'
import { isOn } from '../../request/boolean-query.ts'
import { Missing } from '../../request/missing.ts'
import { changeObject, modificationBy, removeObjects, withModification } from '../common/change.ts'
import { find, findAll, organizationKey } from '../common/find.ts'
import { listEndpoint } from '../common/list-endpoint.ts'
import { artefactShape, toArtefact, toVersion, versionChangesShape, versionShape } from './artefact-shape.ts'
import { archivedFilter, isListed, isOfType, referenceFilter, typeFilter } from './version-filters.ts'
import { versionAgeOf } from './version-order.ts'

const tag = 'Artefacts'
const artefactPath = '/orgs/{org_id}/artefacts/{artefact_id}'

/** Versions of an artefact; throws NotFound without any. */
function versionsOf(
  store: Store,
  { org_id, artefact_id }: { readonly org_id: string; readonly artefact_id: string },
): readonly [ArtefactVersion, ...ArtefactVersion[]] {
  const [first, ...others] = store
    .byIndex(ArtefactVersion, 'artefact', organizationKey(org_id, artefact_id))
    .filter(({ metadata }) => !metadata.deletionTimestamp)
  if (!first) throw new Problem('NotFound', `artefact '${artefact_id}' not found`)
  return [first, ...others]
}

function artefactsIn(store: Store, organization: string) {
  const versions = Map.groupBy(findAll(store, ArtefactVersion, organization), ({ spec }) => artefactId(spec))
  return [...versions.values()].flatMap(([first, ...others]) =>
    first ? [toArtefact([first, ...others])] : [],
  )
}

/** Artefacts and their versions. */
export const artefacts: readonly Endpoint[] = [
  listEndpoint({
    path: '/orgs/{org_id}/artefacts',
    summary: 'List the artefacts',
    tag,
    access: { organization: 'member' },
    query: { type: typeFilter, name: string('Only the artefacts of this name.') },
    response: list(artefactShape, 'Artefacts.'),
    find: ({ params: { org_id }, query: { type, name } }, { cluster: { store } }) =>
      artefactsIn(store, org_id).filter((each) => isOfType(each.type, type) && (!name || each.name === name)),
    positionOf: ({ name, type }) => [name, type],
    show: (each) => each,
  }),
  endpoint({
    method: 'delete',
    path: artefactPath,
    summary: 'Delete an artefact and all its versions',
    tag,
    access: { organization: 'administrator' },
    responses: { 204: undefined },
    async handle({ params }, { cluster }) {
      await removeObjects(cluster, ArtefactVersion, versionsOf(cluster.store, params))
      return noContent
    },
  }),
  listEndpoint({
    path: `${artefactPath}/versions`,
    summary: 'List the versions of an artefact, newest first',
    tag,
    access: { organization: 'member' },
    query: { archived: archivedFilter, reference: referenceFilter },
    response: list(versionShape, 'Versions.'),
    find: ({ params, query: { archived, reference } }, { cluster: { store } }) =>
      versionsOf(store, params).filter(
        (each) => isListed(each, isOn(archived)) && (!reference || isReferredBy(each.spec, reference)),
      ),
    positionOf: versionAgeOf,
    isDescending: true,
    show: toVersion,
  }),
  endpoint({
    method: 'patch',
    path: `${artefactPath}/versions/{artefact_version_id}`,
    summary: 'Archive a version of an artefact, or undo it',
    tag,
    access: { organization: 'artefactContributor' },
    body: versionChangesShape,
    responses: { 200: versionShape },
    async handle({ params, body: { archived }, caller }, gateway) {
      const { org_id, artefact_id, artefact_version_id } = params
      const version = find(gateway.cluster.store, ArtefactVersion, org_id, artefact_version_id)
      if (!version || artefactId(version.spec) !== artefact_id)
        throw new Missing(
          ArtefactVersion,
          org_id,
          artefact_version_id,
          `version '${artefact_version_id}' of artefact '${artefact_id}' not found`,
        )
      const modification = modificationBy(caller, gateway)
      const changed = await changeObject(gateway.cluster, ArtefactVersion, version, (current) => {
        if ((current.spec.archived ?? false) === archived) return current
        const wanted = { ...current, spec: { ...current.spec, archived } }
        return withModification(current, wanted, modification)
      })
      return ok(toVersion(changed))
    },
  }),
]
