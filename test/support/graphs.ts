import type { ResourceDefinition } from '../../operator/api/resource-definition.ts'
import { ResourceType } from '../../operator/api/resource-type.ts'
import type { FreeForm } from '../../operator/api/schema.ts'
import { createOrganizationMatcher } from '../../operator/domain/definition/built-in-definitions.ts'
import type { SetContent } from '../../operator/domain/delta/delta.ts'
import { buildGraph } from '../../operator/domain/graph/build-graph.ts'
import type { Graph, GraphInput, GraphNode } from '../../operator/domain/graph/graph.ts'
import { builtInTypes } from '../../operator/domain/resource/built-in-types.ts'
import { formatDescriptor } from '../../operator/domain/resource/descriptor.ts'
import type { DriverDescriptor } from '../../operator/domain/resource/driver.ts'
import { customType } from '../../operator/domain/resource/types.ts'
import { context, definition, driver, storedObject } from './builders.ts'

/** The drivers that definitions of tests name. */
export const drivers: readonly DriverDescriptor[] = [
  driver('workload', { resourceTypes: ['workload'], rendersModules: true }),
  driver('echo'),
  driver('dns-cloudflare', {
    resourceTypes: ['dns'],
    account: { types: ['cloudflare'], required: true },
    replaceOnChangeOf: ['zone_id', 'record.name'],
  }),
  driver('ingress', {
    resourceTypes: ['ingress'],
    account: { types: ['local'], required: false },
    neighbours: { dns: 'dns', routes: 'dns<route' },
    takesIngressRules: true,
  }),
]

/** Types of the organization that tests name, with no schema. */
const ownTypes = ['dns', 'k8s-namespace', 'queue', 's3'].map((name) =>
  customType(storedObject(ResourceType, { namespace: 'acme', name }, { use: 'direct' })),
)

/** The input of a graph of `context()`. */
export function graphInput(
  set: SetContent,
  definitions: readonly ResourceDefinition[],
  changes: Partial<GraphInput> = {},
): GraphInput {
  return {
    context: context(),
    set,
    matcher: createOrganizationMatcher(definitions),
    types: [...builtInTypes, ...ownTypes],
    catalogue: drivers,
    vendors: ['quartermaster', 'humanitec'],
    accountTypeOf: (name) => (name === 'cloud' ? 'cloudflare' : undefined),
    ...changes,
  }
}

/** The graph of a set in `context()`. */
export function graphOf(set: SetContent, ...definitions: readonly ResourceDefinition[]): Graph {
  return buildGraph(graphInput(set, definitions))
}

/** The definition of workloads that no definition of a test provisions. */
export const builtInName = 'default--workload'

/** Whether a definition of the test provisions the node, and not the built-in one of workloads. */
export function isOfTest({ match }: GraphNode): boolean {
  return match?.definition.metadata.name !== builtInName
}

/** Descriptors of the nodes that definitions of the test provision, in order. */
export function resources({ nodes }: Graph): string[] {
  return nodes.filter(isOfTest).map(({ descriptor }) => formatDescriptor(descriptor))
}

/** Edges between resources that definitions of the test provision, as `dependent -> dependency`, sorted. */
export function edges({ nodes }: Graph): string[] {
  const names = new Map(nodes.map(({ guResId, descriptor }) => [guResId, formatDescriptor(descriptor)]))
  return nodes
    .filter(isOfTest)
    .flatMap(({ descriptor, dependsOn }) =>
      dependsOn.map((id) => `${formatDescriptor(descriptor)} -> ${names.get(id)}`),
    )
    .sort()
}

/** References of one node, by descriptor instead of by GUResID. */
export function references({ nodes }: Graph, of: string): Record<string, (string | undefined)[]> {
  const names = new Map(nodes.map(({ guResId, descriptor }) => [guResId, formatDescriptor(descriptor)]))
  const node = nodes.find(({ descriptor }) => formatDescriptor(descriptor) === of)
  return Object.fromEntries(
    Object.entries(node?.references ?? {}).map(([text, ids]) => [text, ids.map((id) => names.get(id))]),
  )
}

/** Reasons and objects of the problems. */
export function problems({ problems: all }: Pick<Graph, 'problems'>): string[] {
  return all.map(({ object, reason }) => `${reason} ${object}`)
}

/** A definition that outputs values. */
export function reading(
  name: string,
  type: string,
  values: FreeForm,
  spec: Partial<ResourceDefinition['spec']> = {},
) {
  return definition(name, type, { driverInputs: { values }, ...spec })
}

export const s3 = definition('s3', 's3')
export const postgres = definition('postgres', 'postgres')
/** A dependency of a type. */
export const need = (type: string, rest: FreeForm = {}) => ({ type, ...rest })
