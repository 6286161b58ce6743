import type { TSchema } from '../../operator/api/schema.ts'
import { deploySchema, moduleSchema } from '../../operator/domain/module/module-schema.ts'
import { code, table } from './markdown.ts'

interface Schema {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly string[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema
  readonly items?: Schema
}

const begin = '<!-- The tables are generated from operator/domain/module by `make generate`; do not edit. -->'
const end = '<!-- End of the generated tables. -->'

/** The page with the current tables of the fields of modules between its two marks. */
export function withModuleFields(page: string): string {
  const [before = '', rest = ''] = page.split(begin)
  const [, after = ''] = rest.split(end)
  const sections = Object.entries((moduleSchema as Schema).properties ?? {})
  const tables = [
    ...sections.map(([name, schema]) => section(`spec.${name}`, schema)),
    section('deploy', deploySchema as Schema),
  ]
  return `${before}${begin}\n\n${tables.join('\n\n')}\n\n${end}${after}`
}

function section(name: string, schema: TSchema | Schema): string {
  const rows = rowsOf(name, schema as Schema, false)
  return `### ${code(name)}\n\n${table(['Field', 'Type', 'Meaning'], rows)}`
}

function rowsOf(path: string, schema: Schema, isRequired: boolean): string[][] {
  const need = isRequired ? ' Required.' : ''
  const own = [code(path), typeOf(schema), `${(schema.description ?? '').replaceAll('|', '\\|')}${need}`]
  const members = schema.additionalProperties ?? schema.items
  const below = members ? `${path}${schema.items ? '[]' : '.<name>'}` : path
  const { properties = {}, required = [] } = members ?? schema
  // The fields of containers are listed once.
  const isRepeated = path.startsWith('spec.schedules.') && below.endsWith('.containers.<name>')
  const fields = isRepeated ? [] : Object.entries(properties)
  return [
    own,
    ...fields.flatMap(([name, field]) => rowsOf(`${below}.${name}`, field, required.includes(name))),
  ]
}

function typeOf({ type, enum: values, items, additionalProperties: members }: Schema): string {
  if (values) return values.map(code).join(', ')
  if (items) return `list of ${typeOf(items)}`
  if (members) return `map of ${typeOf(members)}`
  const names: Readonly<Record<string, string>> = {
    string: 'text',
    integer: 'number',
    boolean: 'true or false',
    object: 'object',
  }
  return names[type ?? ''] ?? 'as in Kubernetes'
}
