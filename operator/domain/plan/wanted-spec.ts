import type { ActiveResource, DefinitionSnapshot, ResourceContext } from '../../api/active-resource.ts'
import { isObject, sameJson } from '../base/json.ts'
import type { WonMatch } from '../definition/match-types.ts'
import type { GraphNode } from '../graph/graph.ts'
import { findPlaceholders } from '../placeholder/placeholder.ts'
import type { Descriptor } from '../resource/descriptor.ts'
import { secretPlaceholders } from '../secret/secret-inputs.ts'

/** The spec that a deployment computes for a resource, without the fields that are added when it is written. */
export type WantedSpec = Omit<ActiveResource['spec'], 'signature' | 'deploymentName' | 'unusedSince'>

/** The spec of the resource of a node, provisioned by the definition of `match`; without the explanation of the match. */
export function wantedSpec(
  { descriptor, params, values, dependsOn, references }: GraphNode,
  match: WonMatch,
  input: { readonly environmentName: string; readonly context: ResourceContext },
): WantedSpec {
  return {
    environmentName: input.environmentName,
    context: input.context,
    ...partsOfDescriptor(descriptor),
    definition: snapshotOf(match),
    params,
    values: Object.keys(values).length > 0 ? { ...values } : undefined,
    dependsOn: dependsOn.length > 0 ? [...dependsOn] : undefined,
    references: Object.keys(references).length > 0 ? mutable(references) : undefined,
  }
}

/** The spec with the explanation of the match, which only a spec that is written needs. */
export function explained(spec: WantedSpec, { explanation }: WonMatch): WantedSpec {
  return { ...spec, definition: { ...spec.definition, explanation } }
}

const specFields = fieldsOf<Omit<WantedSpec, 'definition'>>({
  environmentName: true,
  context: true,
  type: true,
  class: true,
  resourceId: true,
  params: true,
  values: true,
  dependsOn: true,
  references: true,
})

const definitionFields = fieldsOf<Omit<DefinitionSnapshot, 'explanation'>>({
  definitionName: true,
  driverType: true,
  accountName: true,
  driverInputs: true,
  criterion: true,
})

/** Whether two specs provision the same resource the same way; the explanation of the match does not count. */
export function isSameSpec(left: WantedSpec, right: WantedSpec): boolean {
  return (
    specFields.every((field) => sameJson(left[field], right[field])) &&
    definitionFields.every((field) => sameJson(left.definition[field], right.definition[field]))
  )
}

/** Whether an input or a param names the id of the deployment, which an unchanged spec keeps from an earlier one. */
export function namesDeployment({ definition, params }: WantedSpec): boolean {
  const { values, secretRefs = {} } = definition.driverInputs ?? {}
  // The graph reports malformed texts.
  const report = () => {}
  const plain = findPlaceholders([values, params], { keys: true, roots: ['context'], report })
  const found = [...plain, ...secretPlaceholders(secretRefs, report)]
  return found.some(({ path }) => path.join('.') === 'context.deploy.id')
}

/** The names of all fields of a type. */
function fieldsOf<T>(fields: Readonly<Record<keyof T, true>>): (keyof T)[] {
  return Object.keys(fields) as (keyof T)[] // the keys of T
}

/** The plain input of a definition at a dotted path; undefined when it is absent. */
export function inputAt({ driverInputs }: DefinitionSnapshot, path: string): unknown {
  let value: unknown = driverInputs?.values
  for (const step of path.split('.'))
    value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
  return value
}

/** The descriptor alone of an object that has its fields. */
export function partsOfDescriptor({ type, class: resourceClass, resourceId }: Descriptor): Descriptor {
  return { type, class: resourceClass, resourceId }
}

function snapshotOf({ definition: { metadata, spec }, criterion }: WonMatch): DefinitionSnapshot {
  const { driverType, accountName, driverInputs } = spec
  return { definitionName: metadata.name, driverType, accountName, driverInputs, criterion }
}

function mutable(references: GraphNode['references']): Record<string, string[]> {
  return Object.fromEntries(Object.entries(references).map(([text, names]) => [text, [...names]]))
}
