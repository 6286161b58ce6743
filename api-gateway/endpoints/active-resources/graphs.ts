import { hash } from 'node:crypto'
import type { DeploymentProblem } from '../../../operator/api/environment-deployment.ts'
import type { Static } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { canonicalJson } from '../../../operator/domain/base/json.ts'
import { shortenMessage } from '../../../operator/domain/base/size-limits.ts'
import { buildGraph } from '../../../operator/domain/graph/build-graph.ts'
import type { GraphNode } from '../../../operator/domain/graph/graph.ts'
import {
  type GraphRequest,
  graphRequest,
  isWorkload,
  requestedBy,
} from '../../../operator/domain/graph/graph-request.ts'
import { type Endpoint, endpoint, type Gateway, ok } from '../../endpoint.ts'
import { createValidators } from '../../request/validate.ts'
import { plainSchema } from '../../request/wire.ts'
import { type EnvironmentPath, findEnvironment } from '../common/find.ts'
import { findSet } from '../deployments/set-shape.ts'
import { contentOfSet } from '../deployments/sets.ts'
import { graphIdOf, longestGraphId, requestedIn } from './graph-id.ts'
import { fromRequested, graphShape, nodeList, requestedList, toNode, toRequested } from './graph-shape.ts'

type Requested = Static<typeof requestedList>

/** What the graph of a list of resources is built from. */
function requestFor(path: EnvironmentPath, requested: Requested, { planning }: Gateway): GraphRequest {
  return graphRequest(requested.map(toRequested), (type) => planning.expandType(path.org_id, type))
}

/** Computes the nodes of a graph; throws Invalid with all its problems. */
function nodesFor(
  path: EnvironmentPath,
  { set, extra, notRequested, problems }: GraphRequest,
  gateway: Gateway,
) {
  const { cluster, planning } = gateway
  const environment = findEnvironment(cluster.store, path)
  const typesByName = new Map(planning.typesOf(path.org_id).map((each) => [each.type, each]))
  const graph = buildGraph({ ...planning.inputFor(environment, set), extra })
  refuse([...problems, ...graph.problems])
  const isRequested = ({ descriptor }: GraphNode) =>
    !notRequested.has(descriptor.resourceId) || !isWorkload(descriptor)
  return graph.nodes
    .filter(isRequested)
    .flatMap((node) => (node.match ? [toNode(node, node.match, typesByName)] : []))
}

/** Computes the current graph with an ID. */
function toGraph(id: string, path: EnvironmentPath, request: GraphRequest, gateway: Gateway) {
  const nodes = nodesFor(path, request, gateway)
  const now = new Date(gateway.now()).toISOString()
  return { id, hash: hash('sha256', canonicalJson(nodes)), nodes, created_at: now, used_at: now }
}

const isRequest = createValidators().test(plainSchema(requestedList))

/** What the graph of a deployment set is built from, or that of the resources that a graph ID encodes. */
function requestWithId(path: EnvironmentPath, id: string, gateway: Gateway): GraphRequest {
  const set = findSet(gateway.cluster.store, path.org_id, path.app_id, id)
  if (set) return { set, extra: [], notRequested: new Set(), problems: [] }
  const requested = requestedIn(id, gateway.settings.maxBodyBytes)
  if (!isRequest(requested))
    throw new Problem('NotFound', `resource graph '${shortenMessage(id, 64)}' not found`)
  return requestFor(path, requested as Requested, gateway) // as just checked
}

const maxInMessage = 5

function refuse(problems: readonly DeploymentProblem[]): void {
  if (problems.length === 0) return
  const texts = problems.map(({ object: about, message }) => (about ? `'${about}': ${message}` : message))
  const details = problems.map(({ object: about, reason, message }) => ({ object: about, reason, message }))
  throw new Problem('Invalid', `the graph has problems: ${texts.slice(0, maxInMessage).join('; ')}`, {
    problems: details,
  })
}

const resources = '/orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources'
const tag = 'Resource graphs'

/** Resource graphs, which are computed on each request and not stored. */
export const graphs: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: `${resources}/graphs`,
    summary: 'Compute the resource graph of a list of resources',
    tag,
    access: { application: 'viewer' },
    body: requestedList,
    responses: { 200: graphShape },
    async handle({ params, body, inTurn }, gateway) {
      const id = graphIdOf(body)
      // Some numbers are longer in the ID than in the body.
      if (id.length > longestGraphId || !requestedIn(id, gateway.settings.maxBodyBytes)) {
        const remedy = `use 'POST ${resources}/graph' instead`
        throw new Problem('Invalid', `the list of resources is too long for a graph with an ID: ${remedy}`)
      }
      return ok(await inTurn(() => toGraph(id, params, requestFor(params, body, gateway), gateway)))
    },
  }),
  endpoint({
    method: 'get',
    path: `${resources}/graphs/{graph_id}`,
    summary: 'Get a resource graph, computed from the current definitions',
    tag,
    access: { application: 'viewer' },
    responses: { 200: graphShape },
    async handle({ params, inTurn }, gateway) {
      findEnvironment(gateway.cluster.store, params)
      const request = requestWithId(params, params.graph_id, gateway)
      return ok(await inTurn(() => toGraph(params.graph_id, params, request, gateway)))
    },
  }),
  endpoint({
    method: 'post',
    path: `${resources}/graph`,
    summary: 'Compute the nodes of a resource graph (legacy form of `/graphs`)',
    tag,
    access: { application: 'viewer' },
    body: requestedList,
    responses: { 200: nodeList },
    handle: async ({ params, body, inTurn }, gateway) =>
      ok(await inTurn(() => nodesFor(params, requestFor(params, body, gateway), gateway))),
  }),
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/apps/{app_id}/sets/{set_id}/resources',
    summary: 'List the resources of a deployment set, in the form that graphs accept',
    tag,
    access: { application: 'viewer' },
    responses: { 200: requestedList },
    plainNotFound: true,
    async handle({ params, inTurn }, { cluster: { store } }) {
      const set = contentOfSet(store, params, params.set_id)
      return ok(await inTurn(() => requestedBy(set).map(fromRequested)))
    },
  }),
]
