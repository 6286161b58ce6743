import type { ResourceType } from '../../api/resource-type.ts'
import { builtInTypes } from './built-in-types.ts'
import type { ResourceTypeInfo } from './type-info.ts'

/** Types of which an environment has one resource each, with the type as Resource ID, if a definition matches. */
export const implicitTypes = ['base-env', 'k8s-cluster', 'k8s-namespace'] as const

/** Type of the resource of a workload itself. */
export const workloadType = 'workload'

const byType = new Map(builtInTypes.map((each) => [each.type, each]))

/** The built-in type of this name. */
export function findBuiltInType(type: string): ResourceTypeInfo | undefined {
  return byType.get(type)
}

/** Name of a custom type in definitions. */
export function qualifiedTypeName({ metadata }: Pick<ResourceType, 'metadata'>): string {
  return `${metadata.namespace}/${metadata.name}`
}

/** The properties of a custom type. */
export function customType(resourceType: ResourceType): ResourceTypeInfo {
  const { metadata, spec } = resourceType
  return {
    type: qualifiedTypeName(resourceType),
    name: spec.displayName ?? metadata.name,
    use: spec.use,
    category: spec.category ?? '',
    inputsSchema: spec.inputsSchema ?? {},
    outputsSchema: spec.outputsSchema ?? {},
  }
}

/**
 * Whether a driver of these resource types (any when absent) provisions a type. A driver of a built-in type also provisions
 * its overrides. A driver of an override does not provision the built-in type.
 */
export function isProvidedBy(type: string, resourceTypes: readonly string[] | undefined): boolean {
  return !resourceTypes || resourceTypes.includes(type) || resourceTypes.includes(simpleTypeName(type))
}

/** The name of a type without its organization. */
export function simpleTypeName(type: string): string {
  return type.slice(type.indexOf('/') + 1)
}
