import { boolean, freeForm, list, object, type Static, string, time } from '../../../operator/api/schema.ts'
import { criterionId } from '../../../operator/domain/definition/criterion.ts'
import type { WonMatch } from '../../../operator/domain/definition/match-types.ts'
import type { GraphNode } from '../../../operator/domain/graph/graph.ts'
import type { RequestedResource } from '../../../operator/domain/graph/graph-request.ts'
import { defaultClass, splitTypeAndClass } from '../../../operator/domain/resource/descriptor.ts'
import type { ResourceTypeInfo } from '../../../operator/domain/resource/type-info.ts'
import { knownId } from '../../request/parameters.ts'
import { named } from '../../response/shapes.ts'
import { versionId } from '../definitions/definition-shape.ts'
import { longestGraphId } from './graph-id.ts'

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

/** List of requested resources in requests and responses. */
export const requestedList = list(requestedShape, 'Resources to build a graph for.')

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

/** Nodes of a graph in responses. */
export const nodeList = list(nodeShape, 'Resources in provisioning order.')

/** Graph in responses. */
export const graphShape = named(
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

/** Converts a requested resource of a request. */
export function toRequested({ id, type: text, class: given, resource }: Static<typeof requestedShape>) {
  const { type, class: inType } = splitTypeAndClass(text)
  return {
    descriptor: { type, class: given ?? inType ?? defaultClass, resourceId: id },
    params: resource,
  }
}

/** Converts a requested resource for a response. */
export function fromRequested({ descriptor, params }: RequestedResource) {
  const { type, class: resourceClass, resourceId } = descriptor
  return { id: resourceId, type, class: resourceClass, resource: params }
}

/** Converts a node for a response. */
export function toNode(
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
    driver_account: spec.accountName,
  }
}
