import { DeploymentSet } from '../../operator/api/deployment-set.ts'
import { list } from '../../operator/api/schema.ts'
import { Problem } from '../../operator/domain/errors.ts'
import { type Endpoint, endpoint, ok } from '../endpoint.ts'
import { byName, findApplication, inOrganization } from './find.ts'
import { findSet, setShape, toSet } from './set-shape.ts'

/** Deployment sets: made by deployments, read here. */
export const sets: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/apps/{app_id}/sets',
    summary: 'List the deployment sets of an application',
    tag: 'Deployment sets',
    access: { application: 'viewer' },
    responses: { 200: list(setShape, 'Deployment sets.') },
    plainNotFound: true,
    handle({ params }, { cluster: { store } }) {
      findApplication(store, params)
      const found = store.byIndex(DeploymentSet, 'application', inOrganization(params.org_id, params.app_id))
      return ok([...found].sort(byName).map(({ spec }) => toSet(spec)))
    },
  }),
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/apps/{app_id}/sets/{set_id}',
    summary: 'Get a deployment set',
    tag: 'Deployment sets',
    access: { application: 'viewer' },
    responses: { 200: setShape },
    plainNotFound: true,
    handle({ params }, { cluster: { store } }) {
      findApplication(store, params)
      const content = findSet(store, params.org_id, params.app_id, params.set_id)
      if (!content) throw new Problem('NotFound', `deployment set '${params.set_id}' not found`)
      return ok({ ...toSet(content), id: params.set_id })
    },
  }),
]
