import { randomBytes } from 'node:crypto'
import { DeploymentDelta } from '../../operator/api/deployment-delta.ts'
import { newObject } from '../../operator/api/kind.ts'
import { annotations } from '../../operator/api/names.ts'
import { list, oneOf, type Static } from '../../operator/api/schema.ts'
import { type DeltaContent, deltaContent, emptyDelta, foldDelta } from '../../operator/domain/delta.ts'
import { Problem } from '../../operator/domain/errors.ts'
import type { Store } from '../../operator/kube/cluster.ts'
import type { Caller } from '../authenticate.ts'
import { type Endpoint, endpoint, ok } from '../endpoint.ts'
import { shortId } from '../parameters.ts'
import { errorShape } from '../shapes.ts'
import { changeObject } from './change.ts'
import { changesRequest, deltaShape, toDelta } from './delta-shape.ts'
import { createdAt, find, findApplication, inOrganization, newMetadata, refuseTooLarge } from './find.ts'

function contentOf(request: Static<typeof changesRequest>): DeltaContent {
  const { add = {}, remove = [], update = {} } = request.modules ?? {}
  return { modules: { add, remove, update }, shared: request.shared ?? [] }
}

/** The changes as the object keeps them. */
function specPart({ modules, shared }: DeltaContent): Pick<DeploymentDelta['spec'], 'modules' | 'shared'> {
  const add = Object.entries(modules.add).flatMap(([id, module]) =>
    module === null ? [] : [[id, module] as const],
  )
  const update = Object.entries(modules.update).map(
    ([id, operations]) => [id, [...operations]] satisfies [string, unknown],
  )
  return {
    modules: {
      add: Object.fromEntries(add),
      remove: [...modules.remove],
      update: Object.fromEntries(update),
    },
    shared: [...shared],
  }
}

function findDelta(
  store: Store,
  path: { org_id: string; app_id: string; delta_id: string },
): DeploymentDelta {
  findApplication(store, path)
  const found = find(store, DeploymentDelta, path.org_id, path.delta_id)
  if (found?.spec.applicationName === path.app_id) return found
  throw new Problem('NotFound', `delta '${path.delta_id}' not found`)
}

function changed(
  delta: DeploymentDelta,
  changes: readonly DeltaContent[],
  caller: Caller,
  time: string,
): DeploymentDelta {
  if (delta.spec.archived) throw new Problem('Invalid', `delta '${delta.metadata.name}' is archived`)
  const content = changes.reduce(foldDelta, deltaContent(delta.spec))
  const spec = { ...delta.spec, ...specPart(content) }
  refuseTooLarge(spec, `delta '${delta.metadata.name}'`)
  const given = delta.metadata.annotations ?? {}
  const contributors = new Set(
    [...(given[annotations.contributors]?.split(',') ?? []), caller.userName].filter(Boolean),
  )
  const marks = {
    [annotations.lastModifiedAt]: time,
    [annotations.contributors]: [...contributors].join(','),
  }
  return { ...delta, metadata: { ...delta.metadata, annotations: { ...given, ...marks } }, spec }
}

/** Deployment deltas. */
export const deltas: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/apps/{app_id}/deltas',
    summary: 'List the deltas of an application',
    tag: 'Deployment deltas',
    access: { application: 'viewer' },
    query: {
      archived: oneOf(
        ['true', 'false'],
        'Whether the archived ones are listed instead of the others. False when absent.',
      ),
      env: shortId('Environment that they are meant for.'),
    },
    responses: { 200: list(deltaShape, 'Deltas.') },
    plainNotFound: true,
    handle({ params, query: { archived = 'false', env } }, { cluster: { store } }) {
      findApplication(store, params)
      const found = store
        .byIndex(DeploymentDelta, 'application', inOrganization(params.org_id, params.app_id))
        .filter(({ metadata }) => !metadata.deletionTimestamp)
        .filter(({ spec }) => (spec.archived ?? false) === (archived === 'true'))
        .filter(({ spec }) => env === undefined || spec.environmentId === env)
      return ok(found.sort((left, right) => (createdAt(left) < createdAt(right) ? -1 : 1)).map(toDelta))
    },
  }),
  endpoint({
    method: 'post',
    path: '/orgs/{org_id}/apps/{app_id}/deltas',
    summary: 'Create a delta',
    tag: 'Deployment deltas',
    access: { application: 'developer' },
    body: changesRequest,
    responses: { 200: deltaShape },
    plainNotFound: true,
    async handle({ params, body, caller }, { cluster, now }) {
      const { org_id, app_id } = params
      findApplication(cluster.store, params)
      const { env_id: environmentId, name: displayName } = body.metadata ?? {}
      const content = foldDelta(emptyDelta, contentOf(body))
      const metadata = newMetadata(org_id, randomBytes(20).toString('hex'), caller)
      const draft = newObject(DeploymentDelta, metadata, {
        applicationName: app_id,
        ...(environmentId === undefined ? {} : { environmentId }),
        ...(displayName === undefined ? {} : { displayName }),
      })
      const delta = changed(draft, [content], caller, new Date(now()).toISOString())
      return ok(toDelta(await cluster.create(DeploymentDelta, delta)))
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
    summary: 'Change a delta',
    tag: 'Deployment deltas',
    access: { application: 'developer' },
    body: list(changesRequest, 'Changes, folded into the delta in turn.'),
    responses: { 200: deltaShape, 409: errorShape },
    plainNotFound: true,
    async handle({ params, body, caller }, { cluster, now }) {
      const changes = body.map(contentOf)
      const time = new Date(now()).toISOString()
      const first = findDelta(cluster.store, params)
      return ok(
        toDelta(
          await changeObject(cluster, DeploymentDelta, first, (delta) =>
            changed(delta, changes, caller, time),
          ),
        ),
      )
    },
  }),
]
