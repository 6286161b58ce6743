import { list } from '../../../operator/api/schema.ts'
import { type Endpoint, endpoint, ok } from '../../endpoint.ts'
import { contentOfSet } from '../deployments/sets.ts'
import { convertedShape, convertRequests, restoredShape, scoreRequestShape, toScores } from './score-shape.ts'

/** Conversion of Score documents. */
export const score: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/orgs/{org_id}/artefact-versions/convert-score',
    summary: 'Convert a Score document to modules and shared dependencies; nothing is stored',
    tag: 'Score',
    access: { organization: 'member' },
    body: scoreRequestShape,
    responses: { 200: convertedShape },
    handle: async ({ body, inTurn }) => ok(await inTurn(() => convertRequests([body]))),
  }),
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/apps/{app_id}/sets/{set_id}/score',
    summary: 'Get the workloads of a deployment set as Score documents',
    tag: 'Score',
    access: { application: 'viewer' },
    responses: { 200: list(restoredShape, 'Workloads.') },
    plainNotFound: true,
    async handle({ params, inTurn }, { cluster: { store } }) {
      const set = contentOfSet(store, params, params.set_id)
      return ok(await inTurn((next) => toScores(set, next)))
    },
  }),
]
