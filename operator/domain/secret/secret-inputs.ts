import type { FreeForm } from '../../api/schema.ts'
import { Problem, Stalled } from '../base/errors.ts'
import { escapeToken, isObject, ownValue, pointerSteps, sameJson } from '../base/json.ts'
import { misspelt } from '../base/nearest.ts'
import { definitionRoots, parseLink } from '../placeholder/link.ts'
import { expand, findPlaceholders, type Resolved } from '../placeholder/placeholder.ts'
import { formatPath, parseTemplate } from '../placeholder/template.ts'

/** Placeholder for a secret that is not read yet. */
export const unreadSecret = '$\u007bsecret}'

/** Message for an invalid secret input, without its text. */
export const malformedSecret =
  "has a placeholder that is malformed or names nothing (write '$\\{' for a literal '$\u007b')"

/** Whether a member of `secretRefs` is an input rather than a map of inputs. */
export function isSecretLeaf(value: unknown): boolean {
  return (
    !isObject(value) ||
    typeof value['secret'] === 'string' ||
    typeof value['ref'] === 'string' ||
    isText(value)
  )
}

/** Whether a leaf contains the input itself, `{value}`. */
export function isTextLeaf(value: unknown): value is FreeForm {
  return isObject(value) && isSecretLeaf(value) && isText(value)
}

function isText(value: FreeForm): boolean {
  const { secret, ref, value: text } = value
  if (typeof secret === 'string' || typeof ref === 'string') return false
  return text !== undefined && text !== null && !isObject(text)
}

/** Whether placeholders in a leaf are resolved: a text of the definition, or a reference that lists them. */
function isTemplate(leaf: unknown): leaf is FreeForm {
  return isObject(leaf) && (isTextLeaf(leaf) || leaf['placeholders'] !== undefined)
}

/** Secret inputs with each leaf replaced; `at` is the JSON pointer to it. */
export function mapSecretLeaves(
  refs: FreeForm,
  change: (leaf: unknown, at: string) => unknown,
  at = '',
): FreeForm {
  return Object.fromEntries(
    Object.entries(refs).map(([key, value]) => {
      const below = `${at}/${escapeToken(key)}`
      return [
        key,
        isObject(value) && !isSecretLeaf(value)
          ? mapSecretLeaves(value, change, below)
          : change(value, below),
      ]
    }),
  )
}

/** The inputs with a placeholder for each leaf, which passes any schema. */
export function unreadLeaves(refs: FreeForm): FreeForm {
  return mapSecretLeaves(refs, () => unreadSecret)
}

/** The inputs with a placeholder for each leaf whose own placeholders must be resolved first. */
export function withoutTemplates(refs: FreeForm): FreeForm {
  return mapSecretLeaves(refs, (leaf) => (isTemplate(leaf) ? unreadSecret : leaf))
}

/**
 * Paths of the placeholders in a secret input; undefined when it is plain text without escapes. Throws Problem('Invalid'),
 * without the text, when a placeholder is malformed or names nothing.
 */
export function placeholdersOfSecret(value: unknown): string[] | undefined {
  return withoutText(() => {
    const paths = findPlaceholders(value).map(({ path }) => path)
    for (const path of paths) parseLink(path, definitionRoots)
    if (paths.length > 0) return [...new Set(paths.map(formatPath))].sort()
    const { value: literal } = expand(value, (path) => ({ value: path, secret: true }))
    return sameJson(literal, value) ? undefined : []
  })
}

/** Paths of the placeholders that each leaf contains or lists. Calls `report` for invalid leaves. */
export function secretPlaceholders(
  refs: FreeForm,
  report: (at: string) => void,
): { readonly path: readonly string[]; readonly at: string }[] {
  const found: { readonly path: readonly string[]; readonly at: string }[] = []
  mapSecretLeaves(refs, (leaf, at) => {
    if (!isTemplate(leaf)) return
    try {
      for (const path of pathsOf(leaf)) found.push({ path, at })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      report(at)
    }
  })
  return found
}

/** Pointers to the leaves whose placeholders cannot be parsed. A placeholder that names nothing can be parsed. */
export function malformedSecretLeaves(refs: FreeForm): string[] {
  const found: string[] = []
  mapSecretLeaves(refs, (leaf, at) => {
    if (!isTemplate(leaf)) return
    const listed = leaf['placeholders']
    const hasText = isTextLeaf(leaf)
    let isMalformed = !hasText && !Array.isArray(listed)
    const report = () => {
      isMalformed = true
    }
    if (hasText) findPlaceholders(leaf['value'], { report })
    else if (Array.isArray(listed))
      findPlaceholders(
        listed.map((text) => `\${${String(text)}}`),
        { report },
      )
    if (isMalformed) found.push(at)
  })
  return found
}

/** Pointers to the inputs `{key}`, which name no Secret, and would be read as a map with the text of the key. */
export function secretLeavesWithoutName(refs: FreeForm, at = ''): string[] {
  return Object.entries(refs).flatMap(([name, value]) => {
    if (!isObject(value) || isSecretLeaf(value)) return []
    const below = `${at}/${escapeToken(name)}`
    const isNameless =
      typeof value['key'] === 'string' && Object.keys(value).every((each) => keysOfReference.has(each))
    return isNameless ? [below] : secretLeavesWithoutName(value, below)
  })
}

const fieldsOfLeaf: readonly string[] = ['secret', 'key', 'placeholders', 'value', 'store', 'ref', 'version']

/** A name without effect, as a place in dots, and the names that it may misspell. */
export interface Ineffective {
  readonly place: string
  readonly name: string
  readonly known: readonly string[]
}

/** Fields of secret inputs that have no effect. */
export function unknownFieldsOfLeaves(refs: FreeForm, at = ''): Ineffective[] {
  return Object.entries(refs).flatMap(([name, value]) => {
    if (!isObject(value)) return []
    const below = at === '' ? name : `${at}.${name}`
    const names = Object.keys(value)
    const absent = fieldsOfLeaf.filter((field) => !names.includes(field))
    if (isSecretLeaf(value))
      return names
        .filter((field) => !fieldsOfLeaf.includes(field))
        .map((field) => ({ place: `${below}.${field}`, name: field, known: absent }))
    // A map of inputs may have any names.
    const wrong = misspeltSecretIn(value)
    if (wrong !== undefined) return [{ place: `${below}.${wrong}`, name: wrong, known: ['secret'] }]
    return unknownFieldsOfLeaves(value, below)
  })
}

/** The field of a map of inputs that seems to be a misspelt `secret`. */
function misspeltSecretIn(value: FreeForm): string | undefined {
  return Object.keys(value).find(
    (field) => typeof value[field] === 'string' && misspelt(field, ['secret']) !== undefined,
  )
}

/** Places of texts that are neither a reference nor `{value}`: they are taken as they are, without placeholders. */
export function bareTextsIn(refs: FreeForm, at = ''): string[] {
  return Object.entries(refs).flatMap(([name, value]) => {
    const below = at === '' ? name : `${at}.${name}`
    if (typeof value === 'string') return [below]
    if (!isObject(value) || isSecretLeaf(value) || misspeltSecretIn(value) !== undefined) return []
    return bareTextsIn(value, below)
  })
}

const keysOfReference: ReadonlySet<string> = new Set(['key', 'version', 'placeholders'])

function pathsOf(leaf: FreeForm): (readonly string[])[] {
  const placeholders = isTextLeaf(leaf) ? (placeholdersOfSecret(leaf['value']) ?? []) : leaf['placeholders']
  if (!Array.isArray(placeholders)) throw new Problem('Invalid', malformedSecret)
  return placeholders.map((text: unknown) => {
    const [part, ...rest] = parseTemplate(`\${${String(text)}}`)
    if (part === undefined || typeof part === 'string' || rest.length > 0)
      throw new Problem('Invalid', malformedSecret)
    parseLink(part.path, definitionRoots)
    return part.path
  })
}

/**
 * The secret inputs with their placeholders resolved: those of texts in the definition, and those that a reference lists.
 * Other content of a Secret is data. `content` holds what was read for each leaf.
 */
export function resolveSecrets(
  refs: FreeForm,
  content: FreeForm,
  lookup: (path: readonly string[]) => Resolved,
): FreeForm {
  const contentAt = reader(content)
  const templates = mapSecretLeaves(refs, (leaf, at) =>
    isTemplate(leaf) ? checked(leaf, contentAt(at), at) : null,
  )
  // Expanded together, because the size limit is for all of them.
  const expandedAt = reader(expand(templates, lookup).value)
  return mapSecretLeaves(refs, (leaf, at) => (isTemplate(leaf) ? expandedAt(at) : contentAt(at)))
}

/** Checks that the text of a Secret, which may have changed, contains only listed placeholders. */
function checked(leaf: FreeForm, text: unknown, at: string): unknown {
  try {
    const listed = new Set(pathsOf(leaf).map(formatPath))
    const paths = placeholdersOfSecret(text) ?? []
    if (paths.every((path) => listed.has(path))) return text
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new Stalled('InvalidPlaceholder', `secret input '${at}' ${malformedSecret}`)
  }
  throw new Stalled(
    'InvalidPlaceholder',
    `secret input '${at}' has a placeholder that its definition does not list under 'placeholders'`,
  )
}

function withoutText<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Problem) throw new Problem('Invalid', malformedSecret)
    throw error
  }
}

/** Reads members by JSON pointer. */
function reader(root: FreeForm): (at: string) => unknown {
  return (at) =>
    pointerSteps(at).reduce<unknown>(
      (value, step) => (isObject(value) ? ownValue(value, step) : undefined),
      root,
    )
}
