import { ArtefactVersion } from '../../../operator/api/artefact-version.ts'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { freeForm, list, string } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { isReferredBy } from '../../../operator/domain/image/artefact.ts'
import { repositoryOf } from '../../../operator/domain/image/image-reference.ts'
import { repositoriesIn } from '../../../operator/domain/image/image-update.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { authorize } from '../../authenticate.ts'
import { type Endpoint, endpoint, noContent, ok } from '../../endpoint.ts'
import { flag, isOn } from '../../request/boolean-query.ts'
import { shortId } from '../../request/parameters.ts'
import { environmentsOf, findAll, findApplication, findOrThrow } from '../common/find.ts'
import { listEndpoint } from '../common/list-endpoint.ts'
import { convertedShape, convertRequests } from '../score/score-shape.ts'
import { newVersionShape, newVersionSpec, scoreOf, toVersion, versionShape } from './artefact-shape.ts'
import { register } from './artefact-writing.ts'
import { archivedFilter, isListed, isOfType, referenceFilter, typeFilter } from './version-filters.ts'
import { versionAgeOf } from './version-order.ts'

const tag = 'Artefacts'
const versionsPath = '/orgs/{org_id}/artefact-versions'
const versionPath = '/orgs/{org_id}/artefact-versions/{artefact_version_id}'

function findVersion(
  store: Store,
  { org_id, artefact_version_id }: { readonly org_id: string; readonly artefact_version_id: string },
): ArtefactVersion {
  return findOrThrow(store, ArtefactVersion, org_id, artefact_version_id, 'artefact version')
}

/** Full names of the repositories whose images the environments of an application run. */
function repositoriesOf(store: Store, organization: string, application: string): Set<string> {
  const owner = findApplication(store, { org_id: organization, app_id: application })
  const sets = environmentsOf(store, owner).flatMap(({ status }) => {
    const name = status?.lastPlanned?.setName
    const set = name === undefined ? undefined : store.get(DeploymentSet, organization, name)
    return set ? [set.spec] : []
  })
  return new Set(sets.flatMap((each) => [...repositoriesIn(each)]))
}

/** Versions of all artefacts. */
export const artefactVersions: readonly Endpoint[] = [
  listEndpoint({
    path: versionsPath,
    summary: 'List the versions of all artefacts, newest first',
    tag,
    access: { organization: 'member' },
    query: {
      name: string('Only the versions of the artefact of this name.'),
      reference: referenceFilter,
      archived: archivedFilter,
      type: typeFilter,
      app: shortId('Only the versions of images that the environments of this application run.'),
    },
    response: list(versionShape, 'Versions.'),
    find({ params: { org_id }, query, caller }, { cluster: { store } }) {
      const { name, reference, archived, type, app } = query
      if (name && reference) throw new Problem('Invalid', "'name' and 'reference' cannot be combined")
      if (app) authorize(caller, { application: 'viewer' }, { applicationId: app })
      const repositories = app ? repositoriesOf(store, org_id, app) : undefined
      return findAll(store, ArtefactVersion, org_id).filter(
        (each) =>
          isListed(each, isOn(archived)) &&
          isOfType(each.spec.type, type) &&
          (!name || each.spec.artefactName === name) &&
          (!reference || isReferredBy(each.spec, reference)) &&
          (!repositories || repositories.has(repositoryOf(each.spec.artefactName))),
      )
    },
    positionOf: versionAgeOf,
    isDescending: true,
    show: toVersion,
  }),
  endpoint({
    method: 'post',
    path: versionsPath,
    summary: 'Register a version of an artefact; registering it again returns the same version',
    tag,
    access: { organization: 'artefactContributor' },
    query: {
      vcs: string(
        'Version control system. With `git`, which is the default, `ref` must begin with `refs/`.',
        {
          maxLength: 63,
        },
      ),
      dry_run: flag('Whether to validate the request without writing anything.'),
    },
    body: newVersionShape,
    responses: { 200: versionShape, 204: undefined },
    async handle({ params: { org_id }, query, body, caller, inTurn }, { cluster }) {
      const spec = await inTurn(() => newVersionSpec(body, (query.vcs || 'git') === 'git'))
      if (isOn(query.dry_run)) return noContent
      return ok(toVersion(await register(org_id, spec, caller, cluster)))
    },
  }),
  endpoint({
    method: 'get',
    path: versionPath,
    summary: 'Get a version of an artefact',
    tag,
    access: { organization: 'member' },
    responses: { 200: versionShape },
    handle: ({ params }, { cluster: { store } }) => ok(toVersion(findVersion(store, params))),
  }),
  endpoint({
    method: 'get',
    path: `${versionPath}/workload-spec`,
    summary: 'Get the Score document of a version of type `workload`',
    tag,
    access: { organization: 'member' },
    responses: { 200: freeForm('The Score document.') },
    handle: ({ params }, { cluster: { store } }) => ok(scoreOf(findVersion(store, params)).spec),
  }),
  endpoint({
    method: 'get',
    path: `${versionPath}/workload-deployment-set`,
    summary: 'Get the modules and shared dependencies of a version of type `workload`',
    tag,
    access: { organization: 'member' },
    responses: { 200: convertedShape },
    async handle({ params, inTurn }, { cluster: { store } }) {
      const score = scoreOf(findVersion(store, params))
      return ok(await inTurn(() => convertRequests([score])))
    },
  }),
]
