import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { pathTo } from '../../../portal/routing/paths.ts'

const routesFile = join(import.meta.dirname, '../../../portal/routing/routes.ts')

/** Values of the parameters of addresses, by name. */
export type ParameterValues = Readonly<Record<string, readonly string[]>>

/** Patterns of all pages, from the table that the portal itself uses. */
export async function pagePatterns(): Promise<readonly string[]> {
  // Not a literal: the table imports pages, which are compiled with the settings of the portal.
  const { routes } = (await import(pathToFileURL(routesFile).href)) as {
    routes: readonly { readonly pattern: string }[]
  }
  return routes.map(({ pattern }) => pattern)
}

/** Addresses of a page: one for each value of its last parameter. Throws for a parameter without values. */
export function addressesOf(pattern: string, values: ParameterValues): string[] {
  const names = [...pattern.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const missing = names.find((name) => (values[name] ?? []).length === 0)
  if (missing) throw new Error(`page '${pattern}': no value of ':${missing}' is known to this test`)
  const first = Object.fromEntries(names.map((name) => [name, values[name]?.[0] ?? '']))
  const last = names.at(-1)
  if (last === undefined) return [pattern]
  return (values[last] ?? []).map((value) => pathTo(pattern, { ...first, [last]: value }))
}
