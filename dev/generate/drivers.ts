import type { TSchema } from '../../operator/api/schema.ts'
import type { DriverDescriptor } from '../../operator/domain/resource/driver.ts'
import { catalogue } from '../../operator/drivers/catalogue.ts'
import { code, table } from './markdown.ts'

/** The parts of a schema that the page shows. */
interface Shown {
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, Shown>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Shown | boolean
}

/** The page that lists the inputs of each built-in driver. */
export function driversPage(): string {
  return `# Built-in drivers

A definition names a driver as \`quartermaster/<driver>\`. The inputs below are under \`driverInputs.values\`, the secret ones under
\`driverInputs.secretRefs\`; [definitions.md](definitions.md) shows how to write both, and [drivers.md](drivers.md) how to write a driver.

${catalogue.map(sectionOf).join('\n')}`
}

function sectionOf(driver: DriverDescriptor): string {
  const { name, description, resourceTypes, account, values, secrets, replaceOnChangeOf } = driver
  const inputs = [...rowsOf(values, ''), ...rowsOf(secrets, ', secret')]
  const facts = [
    `Types: ${resourceTypes ? resourceTypes.map(code).join(', ') : 'any'}.`,
    accountSentence(account),
    ...(replaceOnChangeOf.length > 0
      ? [`A change of ${replaceOnChangeOf.map(code).join(' or ')} replaces the resource.`]
      : []),
  ]
  const inputsTable = inputs.length > 0 ? `\n${table(['Input', 'Type', 'Meaning'], inputs)}\n` : ''
  return `## ${name}\n\n${description} ${facts.join(' ')}\n${inputsTable}`
}

function accountSentence({ types, required }: DriverDescriptor['account']): string {
  if (types.length === 0) return 'It takes no account.'
  return `It ${required ? 'needs' : 'may have'} an account of type ${types.map(code).join(' or ')}.`
}

function rowsOf(schema: TSchema, suffix: string, prefix = ''): string[][] {
  const { properties, required = [], description = '' } = schema as Shown // a JSON Schema
  if (!properties) return [['any', `object${suffix}`, description]]
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = name.includes('.') ? `${prefix.slice(0, -1)}['${name}']` : `${prefix}${name}`
    const need = required.includes(name) ? ', required' : ''
    const meaning = [property.description, choicesOf(property)].filter(Boolean).join(' ')
    const row = [code(path), `${typeOf(property)}${need}${suffix}`, meaning]
    return [row, ...rowsBelow(property, suffix, path)]
  })
}

/** The rows of the fields of an object, or of the objects of a map. */
function rowsBelow(property: Shown, suffix: string, path: string): string[][] {
  if (property.properties) return rowsOf(property as TSchema, suffix, `${path}.`)
  const { additionalProperties: member } = property
  const isMapOfObjects = typeof member === 'object' && member.properties !== undefined
  return isMapOfObjects ? rowsOf(member as TSchema, suffix, `${path}.<name>.`) : []
}

function typeOf({ type = 'string' }: Shown): string {
  return typeof type === 'string' ? type : type.filter((each) => each !== 'null').join(' or ')
}

function choicesOf({ enum: choices }: Shown): string {
  return choices ? `One of ${choices.map(code).join(', ')}.` : ''
}
