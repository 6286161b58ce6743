import { DeploymentDelta } from '../../../operator/api/deployment-delta.ts'
import { pipelineStepSchema } from '../../../operator/api/environment-deployment.ts'
import { list, object, oneOf, type Static, string } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import {
  applyDelta,
  deltaContent,
  emptyDelta,
  emptySet,
  type SetContent,
} from '../../../operator/domain/delta/delta.ts'
import { foldDelta } from '../../../operator/domain/delta/fold.ts'
import type { Base } from '../../../operator/domain/deployment/deployment-base.ts'
import { deltaOfScores } from '../../../operator/domain/score/combine.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import type { Planning } from '../../../operator/planning/planning.ts'
import { knownId } from '../../request/parameters.ts'
import { wireSchema } from '../../request/wire.ts'
import { named } from '../../response/shapes.ts'
import { type EnvironmentPath, find } from '../common/find.ts'
import { changesRequest } from '../deltas/delta-shape.ts'
import { contentOf } from '../deltas/delta-writing.ts'
import { convertRequests, scoreRequestShape } from '../score/score-shape.ts'
import { findSet } from './set-shape.ts'

/** Fields that requests to deploy have in common. */
export const deploymentFields = {
  delta_id: knownId('ID of the delta to apply to the deployed set.'),
  set_id: knownId('ID of the set to deploy. Ignored if `delta_id` is given.'),
  comment: string('Comment.', { maxLength: 8192 }),
  value_set_version_id: string(
    'Stored and returned, but otherwise ignored: deployments use the current values.',
    {
      maxLength: 253,
    },
  ),
  mode: oneOf(
    ['full', 'incremental'],
    'Whether to provision unchanged resources again (`full`) or not (`incremental`).',
  ),
}

/** Request body of a deployment. */
export const newDeploymentShape = object(
  {},
  {
    ...deploymentFields,
    delta_id: string('ID of the delta to apply to the deployed set.', { maxLength: 253 }),
    set_id: string('ID of the set to deploy. Ignored if `delta_id` is given.', { maxLength: 253 }),
    delta: named('DeltaToDeploy', {
      ...changesRequest,
      description:
        'Changes to apply to the deployed set, as a delta that is not stored. Not together with `delta_id`, `set_id` or `score`.',
    }),
    score: list(
      scoreRequestShape,
      'Score documents whose workloads to add to the deployed set, or to replace there. Not together with `delta_id` or `set_id`.',
      { maxItems: 1000 },
    ),
    base_set_id: string(
      'ID of the set that the changes are made to, as `base_set_id` of the environment and of a plan. Refused with 409 if another set is deployed by now.',
      { maxLength: 253 },
    ),
    pipeline: wireSchema(pipelineStepSchema),
  },
  'A deployment. Without a delta, a set and Score documents, the deployed set is deployed again.',
)

export type NewDeployment = Static<typeof newDeploymentShape>

/** Drops an empty ID if the other one is given. Throws Invalid for an empty ID alone, and for an ID beside Score documents. */
export function withOneSource({ delta_id, set_id, ...rest }: NewDeployment): NewDeployment {
  const given = [delta_id && 'delta_id', set_id && 'set_id', rest.delta && 'delta', rest.score && 'score']
  const [content, ...others] = given.filter((each) => each !== undefined && each !== '').toReversed()
  if ((rest.delta || rest.score) && others.length > 0)
    throw new Problem('Invalid', `'${content}' cannot be combined with '${others[0]}'`)
  if (delta_id) return { delta_id, ...rest }
  if (set_id) return { set_id, ...rest }
  if (delta_id === undefined && set_id === undefined) return rest
  const name = delta_id === '' ? 'delta_id' : 'set_id'
  throw new Problem('Invalid', `'${name}' is empty; omit it to deploy the deployed set again`)
}

/** Returns the set of the base deployment; the empty set for the first deployment. */
function baseSet(store: Store, organization: string, base: Base | undefined): SetContent {
  if (!base) return emptySet
  const [application = '', setId = ''] = (base.setName ?? '').split('.')
  const content = findSet(store, organization, application, setId)
  if (content) return content
  throw new Problem(
    'Invalid',
    `the set of deployment '${base.deploymentName}', on which this deployment is based, does not exist`,
  )
}

/** Returns the set to deploy. */
export function wantedSet(
  { store, planning }: { readonly store: Store; readonly planning: Planning },
  path: EnvironmentPath,
  body: NewDeployment,
  builtOn: Base | undefined,
): SetContent {
  const { org_id, app_id } = path
  const base = () => baseSet(store, org_id, builtOn)
  if (body.delta_id !== undefined) {
    const delta = find(store, DeploymentDelta, org_id, body.delta_id)
    if (delta?.spec.applicationName === app_id) return applyDelta(base(), deltaContent(delta.spec))
    throw new Problem('Invalid', `delta '${body.delta_id}' does not exist`)
  }
  if (body.delta) return applyDelta(base(), foldDelta(emptyDelta, [contentOf(body.delta)]))
  if (body.score) {
    const set = base()
    const expandType = (type: string) => planning.expandType(org_id, type)
    return applyDelta(set, deltaOfScores(set, convertRequests(body.score), expandType))
  }
  if (body.set_id === undefined) return base()
  const set = findSet(store, org_id, app_id, body.set_id)
  if (!set) throw new Problem('Invalid', `deployment set '${body.set_id}' does not exist`)
  return set
}
