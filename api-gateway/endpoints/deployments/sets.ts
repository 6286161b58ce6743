import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { list, string } from '../../../operator/api/schema.ts'
import {
  applyDelta,
  diffSets,
  emptyDelta,
  type SetContent,
  setId,
} from '../../../operator/domain/delta/delta.ts'
import { foldDelta } from '../../../operator/domain/delta/fold.ts'
import { setObjectName } from '../../../operator/domain/resource/identity.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { type Endpoint, endpoint, ok } from '../../endpoint.ts'
import { Missing } from '../../request/missing.ts'
import { anyOf } from '../../response/shapes.ts'
import { findApplication, organizationKey, withoutApplication } from '../common/find.ts'
import { listEndpoint, nameOf } from '../common/list-endpoint.ts'
import { changesRequest, plainDeltaShape } from '../deltas/delta-shape.ts'
import { contentOf } from '../deltas/delta-writing.ts'
import { createSet, findSet, readMissingSets, setShape, toSet } from './set-shape.ts'

interface ApplicationPath {
  readonly org_id: string
  readonly app_id: string
}

/** Returns the content of a set of the application; throws NotFound. */
export function contentOfSet(store: Store, path: ApplicationPath, id: string): SetContent {
  findApplication(store, path)
  const content = findSet(store, path.org_id, path.app_id, id)
  if (content) return content
  throw new Missing(
    DeploymentSet,
    path.org_id,
    setObjectName(path.app_id, id),
    `deployment set '${id}' not found`,
  )
}

/** Deployment sets. */
export const sets: readonly Endpoint[] = [
  listEndpoint({
    path: '/orgs/{org_id}/apps/{app_id}/sets',
    summary: 'List the deployment sets of an application',
    tag: 'Deployment sets',
    access: { application: 'viewer' },
    response: list(setShape, 'Deployment sets.'),
    plainNotFound: true,
    find({ params }, { cluster: { store } }) {
      findApplication(store, params)
      return store.byIndex(DeploymentSet, 'application', organizationKey(params.org_id, params.app_id))
    },
    positionOf: nameOf,
    show: ({ metadata, spec }) => toSet(withoutApplication(metadata.name), spec),
  }),
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/apps/{app_id}/sets/{set_id}',
    summary: 'Get a deployment set, or its difference from another set',
    tag: 'Deployment sets',
    access: { application: 'viewer' },
    query: {
      diff: string('ID of another set. The response is the changes from that set to the set in the path.', {
        maxLength: 64,
      }),
    },
    responses: { 200: anyOf(setShape, plainDeltaShape) },
    plainNotFound: true,
    handle({ params, query: { diff } }, { cluster: { store } }) {
      const content = contentOfSet(store, params, params.set_id)
      if (diff) return ok(diffSets(contentOfSet(store, params, diff), content))
      return ok(toSet(params.set_id, content))
    },
  }),
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/apps/{app_id}/sets/{set_id}/diff/{source_set_id}',
    summary: 'Get the changes from a source deployment set to a deployment set',
    tag: 'Deployment sets',
    access: { application: 'viewer' },
    responses: { 200: plainDeltaShape },
    plainNotFound: true,
    handle({ params }, { cluster: { store } }) {
      const content = contentOfSet(store, params, params.set_id)
      return ok(diffSets(contentOfSet(store, params, params.source_set_id), content))
    },
  }),
  endpoint({
    method: 'post',
    path: '/orgs/{org_id}/apps/{app_id}/sets/{set_id}',
    summary: 'Create a deployment set by applying changes to another set',
    tag: 'Deployment sets',
    access: { application: 'developer' },
    body: changesRequest,
    responses: { 200: string('ID of the resulting set.') },
    plainNotFound: true,
    async handle({ params, body, caller }, { cluster }) {
      await readMissingSets(cluster, params.org_id, [setObjectName(params.app_id, params.set_id)])
      const base = contentOfSet(cluster.store, params, params.set_id)
      const content = applyDelta(base, foldDelta(emptyDelta, [contentOf(body)]))
      await createSet(cluster, params.org_id, params.app_id, content, caller)
      return ok(setId(content))
    },
  }),
]
