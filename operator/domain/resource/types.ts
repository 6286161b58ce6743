import type { ResourceType } from '../../api/resource-type.ts'
import { builtInTypes } from './built-in-types.ts'
import type { ResourceTypeInfo } from './type-info.ts'

/** Types of which a deployment has one resource each, named like the type, where a definition matches. */
export const implicitTypes = ['base-env', 'k8s-cluster', 'k8s-namespace'] as const

/** Type of the resource that stands for a workload itself. */
export const workloadType = 'workload'

const byType = new Map(builtInTypes.map((each) => [each.type, each]))

/** The built-in type of this name. */
export function findBuiltInType(type: string): ResourceTypeInfo | undefined {
  return byType.get(type)
}

/** What a custom type is called in definitions. */
export function qualifiedTypeName({ metadata }: Pick<ResourceType, 'metadata'>): string {
  return `${metadata.namespace}/${metadata.name}`
}

/** A custom type, by its qualified name. */
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
 * Whether a driver of these resource types, or of any, provisions this one: by its very name, or the override of a
 * built-in type by the simple name. A driver of an override does not provision the built-in type.
 */
export function isProvidedBy(type: string, resourceTypes: readonly string[] | undefined): boolean {
  return !resourceTypes || resourceTypes.includes(type) || resourceTypes.includes(simpleTypeName(type))
}

/** The name of a type without its organization. */
export function simpleTypeName(type: string): string {
  return type.slice(type.indexOf('/') + 1)
}
