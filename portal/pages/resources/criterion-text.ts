/** A criterion in words; an empty one fits every resource of its class. */
export function criterionText(criterion: object): string {
  const parts = Object.entries(criterion)
    .filter(
      ([key, value]) =>
        typeof value === 'string' && value !== '' && !(key === 'class' && value === 'default'),
    )
    .map(([key, value]) => `${key} ${String(value)}`)
  return parts.length === 0 ? 'the criterion that fits everything' : `the criterion ${parts.join(', ')}`
}
