import { createHash } from 'node:crypto'
import type { DeploymentProblem } from '../../../operator/api/environment-deployment.ts'
import { boolean, freeForm, list, object, type Static, string, time } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { shortened } from '../../../operator/domain/base/size.ts'
import { criterionId, type WonMatch } from '../../../operator/domain/definition/matching.ts'
import { buildGraph, type GraphNode } from '../../../operator/domain/graph/graph.ts'
import {
  graphRequest,
  type RequestedResource,
  requestedBy,
} from '../../../operator/domain/graph/graph-request.ts'
import { defaultClass, splitTypeAndClass } from '../../../operator/domain/resource/descriptor.ts'
import { canonicalJson } from '../../../operator/domain/resource/identity.ts'
import { overriding } from '../../../operator/domain/resource/override.ts'
import type { ResourceTypeInfo } from '../../../operator/domain/resource/types.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { type Endpoint, endpoint, type Gateway, ok } from '../../endpoint.ts'
import { knownId } from '../../request/parameters.ts'
import { createValidators } from '../../request/validate.ts'
import { plainSchema } from '../../request/wire.ts'
import { named } from '../../response/shapes.ts'
import { type EnvironmentPath, findApplication, findEnvironment } from '../common/find.ts'
import { versionId } from '../definitions/definition-shape.ts'
import { findSet } from '../deployments/set-shape.ts'
import { graphIdOf, longestGraphId, requestedIn } from './graph-id.ts'

const requestedShape = named(
  'GraphResource',
  object(
    {
      id: string('Resource ID, for example `modules.web.externals.db` or `shared.main`.', { maxLength: 253 }),
      type: string('Resource type: `<type>` or `<type>.<class>`.', { maxLength: 191 }),
    },
    {
      class: knownId('Resource class. `default` if neither this field nor the type specifies one.', 63),
      resource: freeForm('Inputs of the resource. For a workload, its module without `externals`.'),
    },
    'A resource to build a graph for.',
  ),
)
const requestedList = list(requestedShape, 'Resources to build a graph for.')

const nodeShape = named(
  'GraphNode',
  object(
    {
      type: string('Resource type.'),
      class: string('Resource class.'),
      id: string('Resource ID.'),
      guresid: string('GUResID.'),
      resource: freeForm('Inputs of the resource.'),
      driver: freeForm('Driver inputs that are not secret, with unresolved placeholders.'),
      def_id: string('ID of the definition that provisions the resource.'),
      def_version_id: string('ID of the content of the definition.'),
      criteria_id: string('ID of the criterion that matched.'),
      driver_type: string('Driver type.'),
      resource_schema: freeForm('JSON Schema of the inputs.'),
      depends_on: list(string('A GUResID.'), 'GUResIDs of the resources that this one depends on.'),
      in_place_driver_change: boolean('Always false.'),
    },
    { driver_account: string('ID of the account that the driver uses.') },
    'A resource of a graph.',
  ),
)
const nodeList = list(nodeShape, 'Resources in provisioning order.')

const graphShape = named(
  'Graph',
  object(
    {
      id: string(
        'ID of the graph. It encodes the requested resources; the nodes are computed on each read.',
        {
          maxLength: longestGraphId,
        },
      ),
      hash: string('Hash of the nodes. It changes when the definitions produce a different graph.'),
      nodes: nodeList,
      created_at: time('Time when the nodes were computed. They are not stored.'),
      used_at: time('Same as `created_at`.'),
    },
    {},
    'The resources that a deployment would provision.',
  ),
)

function toRequested({ id, type: text, class: given, resource }: Static<typeof requestedShape>) {
  const { type, class: inType } = splitTypeAndClass(text)
  return {
    descriptor: { type, class: given ?? inType ?? defaultClass, resourceId: id },
    ...(resource ? { params: resource } : {}),
  }
}

function fromRequested({ descriptor, params }: RequestedResource) {
  const { type, class: resourceClass, resourceId } = descriptor
  return { id: resourceId, type, class: resourceClass, ...(params ? { resource: params } : {}) }
}

/** Computes the nodes of a graph; throws Invalid with all its problems. */
function nodesFor(path: EnvironmentPath, body: Static<typeof requestedList>, gateway: Gateway) {
  const { cluster, planning } = gateway
  const environment = findEnvironment(cluster.store, path)
  const [matcher, types] = [planning.matcherOf(path.org_id), planning.typesOf(path.org_id)]
  const typesByName = new Map(types.map((each) => [each.type, each]))
  const {
    set,
    extra,
    problems: faults,
  } = graphRequest(body.map(toRequested), (type) =>
    overriding(type, {
      organizationId: path.org_id,
      isType: (name) => typesByName.has(name),
      hasDefinitionOf: (name) => matcher.hasDefinitionOf(name),
    }),
  )
  const graph = buildGraph({ ...planning.inputFor(environment, set), extra })
  refuse([...faults, ...graph.problems])
  return graph.nodes.flatMap((node) => (node.match ? [toNode(node, node.match, typesByName)] : []))
}

/** Computes the current graph with an ID. */
function toGraph(
  id: string,
  path: EnvironmentPath,
  requested: Static<typeof requestedList>,
  gateway: Gateway,
) {
  const nodes = nodesFor(path, requested, gateway)
  const hash = createHash('sha256').update(canonicalJson(nodes)).digest('hex')
  const now = new Date(gateway.now()).toISOString()
  return { id, hash, nodes, created_at: now, used_at: now }
}

const isRequest = createValidators().test(plainSchema(requestedList))

/** Returns the resources of a deployment set, or those that a graph ID encodes. */
function requestedFor(path: EnvironmentPath, id: string, store: Store): Static<typeof requestedList> {
  const content = findSet(store, path.org_id, path.app_id, id)
  if (content) return requestedBy(content).map(fromRequested)
  const requested = requestedIn(id)
  if (!isRequest(requested)) throw new Problem('NotFound', `resource graph '${shortened(id, 64)}' not found`)
  return requested as Static<typeof requestedList> // as just checked
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

function toNode(
  { descriptor, guResId, params, dependsOn }: GraphNode,
  { definition: { metadata, spec }, criterion }: WonMatch,
  types: ReadonlyMap<string, ResourceTypeInfo>,
) {
  return {
    type: descriptor.type,
    class: descriptor.class,
    id: descriptor.resourceId,
    guresid: guResId,
    resource: params ?? {},
    driver: spec.driverInputs?.values ?? {},
    def_id: metadata.name,
    def_version_id: versionId(spec),
    criteria_id: criterionId(criterion),
    driver_type: spec.driverType,
    resource_schema: types.get(descriptor.type)?.inputsSchema ?? {},
    depends_on: dependsOn,
    in_place_driver_change: false,
    ...(spec.accountName === undefined ? {} : { driver_account: spec.accountName }),
  }
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
    handle({ params, body }, gateway) {
      const id = graphIdOf(body)
      if (id.length > longestGraphId) {
        const remedy = `use 'POST ${resources}/graph' instead`
        throw new Problem('Invalid', `the list of resources is too long for a graph with an ID: ${remedy}`)
      }
      return ok(toGraph(id, params, body, gateway))
    },
  }),
  endpoint({
    method: 'get',
    path: `${resources}/graphs/{graph_id}`,
    summary: 'Get a resource graph, computed from the current definitions',
    tag,
    access: { application: 'viewer' },
    responses: { 200: graphShape },
    handle({ params }, gateway) {
      const { store } = gateway.cluster
      findEnvironment(store, params)
      const requested = requestedFor(params, params.graph_id, store)
      return ok(toGraph(params.graph_id, params, requested, gateway))
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
    handle: ({ params, body }, gateway) => ok(nodesFor(params, body, gateway)),
  }),
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/apps/{app_id}/sets/{set_id}/resources',
    summary: 'List the resources of a deployment set, in the form that graphs accept',
    tag,
    access: { application: 'viewer' },
    responses: { 200: requestedList },
    plainNotFound: true,
    handle({ params }, { cluster: { store } }) {
      findApplication(store, params)
      const content = findSet(store, params.org_id, params.app_id, params.set_id)
      if (!content) throw new Problem('NotFound', `deployment set '${params.set_id}' not found`)
      return ok(requestedBy(content).map(fromRequested))
    },
  }),
]
