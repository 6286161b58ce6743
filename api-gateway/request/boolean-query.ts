import { string, type TSchema } from '../../operator/api/schema.ts'

const pattern = '^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$'

/** Boolean query parameter in any case; empty counts as absent in a GET, and is refused in a write. */
export function truthValue(description: string) {
  return string(description, { pattern, maxLength: 5 })
}

/** Boolean query parameter that defaults to false. */
export function flag(description: string) {
  return truthValue(`${description} False when absent.`)
}

/** Whether a boolean query parameter is true. */
export function isOn(value: unknown): boolean {
  return typeof value === 'string' && value.toLowerCase() === 'true'
}

/** Whether an operation has a dry run. */
export function offersDryRun({ query = {} }: { readonly query?: object }): boolean {
  return 'dry_run' in query
}

/** Returns the boolean without a value that a write has: `?dry_run` would write, and `?detach` would delete. */
export function emptyFlag(
  { method, query = {} }: { readonly method: string; readonly query?: Readonly<Record<string, TSchema>> },
  given: Readonly<Record<string, unknown>>,
): string | undefined {
  if (method === 'get') return undefined
  const isBoolean = (schema: TSchema) => 'pattern' in schema && schema.pattern === pattern
  return Object.entries(query).find(([name, schema]) => isBoolean(schema) && given[name] === '')?.[0]
}
