import type { FreeForm } from '../../api/schema.ts'
import { isObject } from '../base/json.ts'
import { modulePlaceholderRoots } from '../placeholder/link.ts'
import { mapTexts } from '../placeholder/placeholder.ts'
import { formatTemplate } from '../placeholder/template.ts'
import { schemaProblems } from '../schema/user-schema.ts'
import { withoutAbsent } from './convert-container.ts'
import { objectsIn, partsOf, type TextRestorer } from './restore-text.ts'
import { containerFieldsSchema } from './score-schema.ts'

/** A container of a module as Score has it, and the fields for which it has none. */
interface RestoredContainer {
  readonly container: FreeForm
  readonly rest: FreeForm
}

const schema: FreeForm = { ...containerFieldsSchema }

type Restore = (value: unknown, texts: TextRestorer) => unknown

/** The field of Score for each field of a module, and how its value is restored; undefined when Score cannot express it. */
const fields: Readonly<Record<string, readonly [field: string, restore: Restore]>> = {
  image: ['image', restoreCommand],
  command: ['command', restoreCommand],
  args: ['args', restoreCommand],
  variables: ['variables', (value, texts) => (isTexts(value) ? restoreValues(value, texts) : undefined)],
  files: ['files', (value, texts) => restoreMembers(value, (each) => restoreFile(each, texts))],
  volume_mounts: ['volumes', (value, texts) => restoreMembers(value, (each) => restoreVolume(each, texts))],
  resources: ['resources', (value) => value],
  liveness_probe: ['livenessProbe', restoreProbe],
  readiness_probe: ['readinessProbe', restoreProbe],
}

/** The container of a Score document for a container of a module. */
export function restoreContainer(name: string, given: FreeForm, texts: TextRestorer): RestoredContainer {
  const container: FreeForm = {}
  const rest: FreeForm = {}
  for (const [key, value] of Object.entries(given)) {
    if (key === 'id' && value === name) continue
    const [field, restore] = fields[key] ?? []
    const restored = restore?.(value, texts)
    if (field !== undefined && restored !== undefined && isField(field, restored)) container[field] = restored
    else rest[key] = value
  }
  return { container, rest }
}

/** Whether Score has the field, with such a value: its probes have no times, and its resources no devices. */
function isField(field: string, value: unknown): boolean {
  return schemaProblems(schema, { [field]: value }).length === 0
}

function isTexts(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((each) => typeof each === 'string')
}

/** Names are not converted, only values. */
function restoreValues(
  variables: Readonly<Record<string, string>>,
  texts: TextRestorer,
): FreeForm | undefined {
  const entries = Object.entries(variables).map(([name, value]) => [name, texts.restore(value)] as const)
  return entries.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(entries)
}

/** An image, or the texts of a command. */
function restoreCommand(value: unknown, texts: TextRestorer): unknown {
  if (typeof value === 'string') return texts.restoreCommand(value)
  if (!Array.isArray(value)) return undefined
  const all = value.map((each) => (typeof each === 'string' ? texts.restoreCommand(each) : undefined))
  return all.includes(undefined) ? undefined : all
}

/** The map with each member restored; undefined when one cannot be expressed. */
export function restoreMembers(
  value: unknown,
  restore: (member: FreeForm) => FreeForm | undefined,
): FreeForm | undefined {
  const members = Object.entries(objectsIn(value)).map(([key, member]) => [key, restore(member)] as const)
  const isWhole = isObject(value) && members.length === Object.keys(value).length
  return isWhole && members.every(([, member]) => member) ? Object.fromEntries(members) : undefined
}

function restoreFile(
  { mode, value, binary_value, ...rest }: FreeForm,
  texts: TextRestorer,
): FreeForm | undefined {
  if (Object.keys(rest).length > 0 || (value === undefined) === (binary_value === undefined)) return undefined
  if (value === undefined) return withoutAbsent({ mode, binaryContent: binary_value })
  if (typeof value !== 'string') return undefined
  const [literal, ...more] = partsOf(value) ?? []
  if (
    typeof literal === 'string' &&
    more.length === 0 &&
    literal !== value &&
    formatTemplate([literal]) === value
  )
    return withoutAbsent({ mode, content: literal, noExpand: true })
  const content = texts.restore(value)
  return content === undefined ? undefined : withoutAbsent({ mode, content })
}

function restoreVolume(
  { id, sub_path, read_only, ...rest }: FreeForm,
  texts: TextRestorer,
): FreeForm | undefined {
  if (Object.keys(rest).length > 0 || typeof id !== 'string') return undefined
  const source = texts.restoreReference(id)
  return source === undefined ? undefined : withoutAbsent({ source, path: sub_path, readOnly: read_only })
}

function restoreProbe(value: unknown): FreeForm | undefined {
  let isLiteral = true
  const restored = mapTexts(value, (text) => {
    const literal = literalOf(text)
    isLiteral &&= literal !== undefined
    return literal ?? text
  })
  if (!isLiteral || !isObject(restored)) return undefined
  const { type, command, headers, ...http } = restored
  if (type === 'command' && headers === undefined && Object.keys(http).length === 0)
    return { exec: { command } }
  if (type !== 'http' || command !== undefined) return undefined
  const httpHeaders =
    isObject(headers) && Object.entries(headers).map(([name, each]) => ({ name, value: each }))
  return { httpGet: withoutAbsent({ ...http, httpHeaders: httpHeaders || undefined }) }
}

/** The literal that a module writes as this text; undefined for a text with placeholders. */
function literalOf(text: string): string | undefined {
  if (!text.includes('$')) return text
  const [literal, ...more] = partsOf(text) ?? []
  const isWritten = typeof literal === 'string' && formatTemplate([literal], modulePlaceholderRoots) === text
  return isWritten && more.length === 0 ? literal : undefined
}
