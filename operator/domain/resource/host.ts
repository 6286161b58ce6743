/** The wildcard that covers a host; undefined for a wildcard and for a host of one label. */
export function wildcardOver(host: string): string | undefined {
  const [, rest] = /^[^.*]+(\..+)$/.exec(host) ?? []
  return rest === undefined ? undefined : `*${rest}`
}
