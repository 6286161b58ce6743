/**
 * Endpoint rule 11: the type that a name in a workload's needs stands for. A simple name stands for the
 * organization's override as long as there is a definition of that; a qualified one is taken as it is.
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
