/** Parameters of a path, decoded. */
export type PathParameters = Readonly<Record<string, string>>

/** Returns the parameters if a path fits a pattern such as `/o/:org/apps/:app`. */
export function matchPath(pattern: string, path: string): PathParameters | undefined {
  const wanted = pattern.split('/')
  const given = path.replace(/(?<=.)\/+$/, '').split('/')
  if (wanted.length !== given.length) return undefined
  const parameters: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const value = decode(given[index] ?? '')
    if (value === undefined) return undefined
    if (!part.startsWith(':')) {
      if (part !== value) return undefined
    } else if (value === '') return undefined
    else parameters[part.slice(1)] = value
  }
  return parameters
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Returns the path of a pattern with parameters, each encoded as one segment. */
export function pathTo(pattern: string, parameters: PathParameters): string {
  return pattern.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''))
}

/** Returns the first pattern that fits, with its parameters. */
export function findRoute<R extends { readonly pattern: string }>(
  routes: readonly R[],
  path: string,
): { readonly route: R; readonly parameters: PathParameters } | undefined {
  for (const route of routes) {
    const parameters = matchPath(route.pattern, path)
    if (parameters) return { route, parameters }
  }
  return undefined
}
