/** A resource with the names of those that it depends on. */
interface Dependent {
  readonly name: string
  readonly dependsOn: readonly string[]
}

/** These names, and the names of all resources that depend on one of them, directly or through others. */
export function withDependents(names: Iterable<string>, resources: readonly Dependent[]): Set<string> {
  const dependents = new Map<string, string[]>()
  for (const { name, dependsOn } of resources)
    for (const each of dependsOn) {
      const known = dependents.get(each)
      if (known) known.push(name)
      else dependents.set(each, [name])
    }
  const found = new Set(names)
  for (const name of found) for (const each of dependents.get(name) ?? []) found.add(each)
  return found
}
