import { string } from '../../operator/api/schema.ts'

/** Boolean query parameter in any case; empty counts as absent. */
export function truthValue(description: string) {
  return string(description, { pattern: '^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$', maxLength: 5 })
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
