import { createHash } from 'node:crypto'
import type { DeploymentProblem } from '../../operator/api/environment-deployment.ts'
import { boolean, freeForm, list, object, type Static, string, time } from '../../operator/api/schema.ts'
import { defaultClass, splitTypeAndClass } from '../../operator/domain/descriptor.ts'
import { Problem } from '../../operator/domain/errors.ts'
import { buildGraph, type GraphNode } from '../../operator/domain/graph.ts'
import { graphRequest, type RequestedResource, requestedBy } from '../../operator/domain/graph-request.ts'
import { canonicalJson } from '../../operator/domain/identity.ts'
import { criterionId, type WonMatch } from '../../operator/domain/matching.ts'
import { overriding } from '../../operator/domain/override.ts'
import type { ResourceTypeInfo } from '../../operator/domain/types.ts'
import { type Endpoint, endpoint, type Gateway, ok } from '../endpoint.ts'
import { knownId } from '../parameters.ts'
import { named } from '../shapes.ts'
import { versionId } from './definition-shape.ts'
import { type EnvironmentPath, findApplication, findEnvironment } from './find.ts'
import { findSet } from './set-shape.ts'

const requestedShape = named(
  'GraphResource',
  object(
    {
      id: string('Resource ID, such as `modules.web.externals.db` or `shared.main`.', { maxLength: 253 }),
      type: string('Resource type, as `<type>` or `<type>.<class>`.', { maxLength: 191 }),
    },
    {
      class: knownId('Resource class. `default` when neither this nor the type gives one.', 63),
      resource: freeForm('Params of the resource; of a workload, its module without `externals`.'),
    },
    'A resource that a graph is made for.',
  ),
)
const requestedList = list(requestedShape, 'Resources that are asked for.')

const nodeShape = named(
  'GraphNode',
  object(
    {
      type: string('Resource type.'),
      class: string('Resource class.'),
      id: string('Resource ID.'),
      guresid: string('GUResID.'),
      resource: freeForm('Params of the resource.'),
      driver: freeForm('Inputs of the driver that are not secret, placeholders as they are.'),
      def_id: string('Definition that provisions it.'),
      def_version_id: string('Content of that definition.'),
      criteria_id: string('Criterion that decided.'),
      driver_type: string('Driver.'),
      resource_schema: freeForm('JSON Schema of the params.'),
      depends_on: list(string('A GUResID.'), 'What must be there first.'),
      in_place_driver_change: boolean('Always false.'),
    },
    { driver_account: string('Account that the driver uses.') },
    'A resource of a graph.',
  ),
)
const nodeList = list(nodeShape, 'Resources in the order in which they are provisioned.')

const graphShape = named(
  'Graph',
  object(
    {
      id: string('Hash of the nodes.'),
      hash: string('The same.'),
      nodes: nodeList,
      created_at: time('When it was asked for: it is not kept.'),
      used_at: time('The same.'),
    },
    {},
    'The resources that a deployment would want.',
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

/** The nodes of the graph of these resources as REST shows them; refused with all that is wrong with them. */
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

const maxInMessage = 5

function refuse(problems: readonly DeploymentProblem[]): void {
  if (problems.length === 0) return
  const texts = problems.map(({ object: about, message }) => (about ? `'${about}': ${message}` : message))
  const details = problems.map(({ object: about, reason, message }) => ({ object: about, reason, message }))
  throw new Problem('Invalid', `there is no such graph: ${texts.slice(0, maxInMessage).join('; ')}`, {
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

/** Resource graphs: computed when they are asked for, and not kept. */
export const graphs: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: `${resources}/graphs`,
    summary: 'Compute the graph of the resources that are needed for some',
    tag,
    access: { application: 'viewer' },
    body: requestedList,
    responses: { 200: graphShape },
    handle({ params, body }, gateway) {
      const nodes = nodesFor(params, body, gateway)
      const id = createHash('sha256').update(canonicalJson(nodes)).digest('hex')
      const now = new Date(gateway.now()).toISOString()
      return ok({ id, hash: id, nodes, created_at: now, used_at: now })
    },
  }),
  endpoint({
    method: 'post',
    path: `${resources}/graph`,
    summary: 'Compute the nodes of a graph; older form of `/graphs`',
    tag,
    access: { application: 'viewer' },
    body: requestedList,
    responses: { 200: nodeList },
    handle: ({ params, body }, gateway) => ok(nodesFor(params, body, gateway)),
  }),
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/apps/{app_id}/sets/{set_id}/resources',
    summary: 'List the resources that a deployment set asks for, as a graph takes them',
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
