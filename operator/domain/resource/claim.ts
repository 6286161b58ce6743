/** The claim of the wildcard that answers for the host of a claim; undefined for wildcards and for names of other sorts. */
export function wildcardOver(claim: string): string | undefined {
  const [, rest] = /^host\/[^.*]+(\..+)$/.exec(claim) ?? []
  return rest === undefined ? undefined : `host/*${rest}`
}
