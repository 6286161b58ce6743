import { string } from '../../operator/api/schema.ts'

/** A truth value in the query, in any case, as languages spell theirs; empty is absent. */
export function truthValue(description: string) {
  return string(description, { pattern: '^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$', maxLength: 5 })
}

/** A switch in the query; off when absent. */
export function flag(description: string) {
  return truthValue(`${description} False when absent.`)
}

/** Whether a truth value of a query is there and true. */
export function isOn(value: unknown): boolean {
  return typeof value === 'string' && value.toLowerCase() === 'true'
}
