/**
 * The type that a type name in the needs of a workload refers to (endpoint rule 11). A simple name refers to the override
 * of the organization if a definition of the override exists. A qualified name is used as it is.
 */
export function resolveOverride(
  type: string,
  around: {
    readonly organizationId: string
    isType(type: string): boolean
    hasDefinitionOf(type: string): boolean
  },
): string {
  if (type.includes('/')) return type
  const override = `${around.organizationId}/${type}`
  if (around.hasDefinitionOf(override)) return override
  return !around.isType(type) && around.isType(override) ? override : type
}
