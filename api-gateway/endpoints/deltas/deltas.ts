import { randomBytes } from 'node:crypto'
import { DeploymentDelta } from '../../../operator/api/deployment-delta.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { list } from '../../../operator/api/schema.ts'
import { type Endpoint, endpoint, noContent, ok } from '../../endpoint.ts'
import { flag, isOn } from '../../request/boolean-query.ts'
import { objectName } from '../../request/parameters.ts'
import { errorShape } from '../../response/shapes.ts'
import { changeObject, modificationBy } from '../common/change.ts'
import { findApplication, newMetadata, organizationKey } from '../common/find.ts'
import { ageOf, listEndpoint } from '../common/list-endpoint.ts'
import { createIn, targetApplication } from '../common/target.ts'
import { deltaMetadata } from './delta-metadata.ts'
import { changesRequest, deltaShape, toDelta } from './delta-shape.ts'
import { aboutDelta, changed, contentOf, findDelta, newDelta, replaced } from './delta-writing.ts'

/** Deployment deltas. */
export const deltas: readonly Endpoint[] = [
  listEndpoint({
    path: '/orgs/{org_id}/apps/{app_id}/deltas',
    summary: 'List the deltas of an application',
    tag: 'Deployment deltas',
    access: { application: 'viewer' },
    query: {
      archived: flag('Whether to list archived deltas instead of unarchived ones.'),
      env: objectName('ID of the environment that the deltas are for.'),
    },
    response: list(deltaShape, 'Deltas.'),
    plainNotFound: true,
    find({ params, query: { archived, env } }, { cluster: { store } }) {
      findApplication(store, params)
      return store
        .byIndex(DeploymentDelta, 'application', organizationKey(params.org_id, params.app_id))
        .filter(({ metadata }) => !metadata.deletionTimestamp)
        .filter(({ spec }) => (spec.archived ?? false) === isOn(archived))
        .filter(({ spec }) => env === undefined || spec.environmentId === env)
    },
    positionOf: ageOf,
    show: toDelta,
  }),
  endpoint({
    method: 'post',
    path: '/orgs/{org_id}/apps/{app_id}/deltas',
    summary: 'Create a delta',
    tag: 'Deployment deltas',
    access: { application: 'developer' },
    body: changesRequest,
    responses: { 200: deltaShape, 409: errorShape },
    plainNotFound: true,
    async handle({ params, body, caller }, gateway) {
      const { org_id, app_id } = params
      const target = targetApplication(gateway.cluster.store, params)
      const metadata = newMetadata(org_id, randomBytes(20).toString('hex'), caller)
      const draft = newObject(DeploymentDelta, metadata, {
        applicationName: app_id,
        ...aboutDelta(body),
      })
      const delta = newDelta(draft, contentOf(body), modificationBy(caller, gateway))
      return ok(toDelta(await createIn(gateway, target, DeploymentDelta, delta)))
    },
  }),
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/apps/{app_id}/deltas/{delta_id}',
    summary: 'Get a delta',
    tag: 'Deployment deltas',
    access: { application: 'viewer' },
    responses: { 200: deltaShape },
    plainNotFound: true,
    handle: ({ params }, { cluster: { store } }) => ok(toDelta(findDelta(store, params))),
  }),
  endpoint({
    method: 'patch',
    path: '/orgs/{org_id}/apps/{app_id}/deltas/{delta_id}',
    summary: 'Update a delta',
    tag: 'Deployment deltas',
    access: { application: 'developer' },
    body: list(changesRequest, 'Changes, applied to the delta in order.'),
    responses: { 200: deltaShape, 409: errorShape },
    plainNotFound: true,
    async handle({ params, body, caller }, gateway) {
      const { cluster } = gateway
      const changes = body.map(contentOf)
      const modification = modificationBy(caller, gateway)
      const first = findDelta(cluster.store, params)
      return ok(
        toDelta(
          await changeObject(cluster, DeploymentDelta, first, (delta) =>
            changed(delta, changes, modification),
          ),
        ),
      )
    },
  }),
  endpoint({
    method: 'put',
    path: '/orgs/{org_id}/apps/{app_id}/deltas/{delta_id}',
    summary: 'Replace the changes of a delta; its name and environment are kept unless they are given',
    tag: 'Deployment deltas',
    access: { application: 'developer' },
    body: changesRequest,
    responses: { 204: undefined, 409: errorShape },
    plainNotFound: true,
    async handle({ params, body, caller }, gateway) {
      const { cluster } = gateway
      const modification = modificationBy(caller, gateway)
      await changeObject(cluster, DeploymentDelta, findDelta(cluster.store, params), (delta) =>
        replaced(delta, body, modification),
      )
      return noContent
    },
  }),
  ...deltaMetadata,
]
