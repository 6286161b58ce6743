import type { FreeForm } from '../../api/schema.ts'
import { Problem, Stalled } from '../base/errors.ts'
import { escapeToken, isObject, ownValue, pointerSteps, sameJson } from '../base/json.ts'
import { definitionRoots, parseLink } from '../placeholder/link.ts'
import { expand, findPlaceholders, type Resolved } from '../placeholder/placeholder.ts'
import { formatPath, parseTemplate } from '../placeholder/template.ts'

/** Stands for a secret that is not known yet. */
export const unreadSecret = '$\u007bsecret}'

/** Why a secret input cannot be used; never with its text. */
export const malformedSecret =
  "has a placeholder that is malformed or names nothing ('$\\{' stands for a literal '$\u007b')"

/** Whether a member of `secretRefs` is an input rather than a map of inputs. */
export function isSecretLeaf(value: unknown): boolean {
  return (
    !isObject(value) ||
    typeof value['secret'] === 'string' ||
    typeof value['ref'] === 'string' ||
    isText(value)
  )
}

/** Whether a leaf holds the input itself, `{value}`. */
export function isTextLeaf(value: unknown): value is FreeForm {
  return isObject(value) && isSecretLeaf(value) && isText(value)
}

function isText(value: FreeForm): boolean {
  const { secret, ref, value: text } = value
  if (typeof secret === 'string' || typeof ref === 'string') return false
  return text !== undefined && text !== null && !isObject(text)
}

/** Whether placeholders in a leaf are resolved: it was written in the definition, or lists them. */
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

/** What a reference to a Secret names is not known yet: it passes any schema, like a placeholder. */
export function unreadLeaves(refs: FreeForm): FreeForm {
  return mapSecretLeaves(refs, () => unreadSecret)
}

/** References without those whose placeholders have to be resolved before anything is known of them. */
export function withoutTemplates(refs: FreeForm): FreeForm {
  return mapSecretLeaves(refs, (leaf) => (isTemplate(leaf) ? unreadSecret : leaf))
}

/**
 * Paths of the placeholders in a secret input as it is written; undefined when it stands for nothing but itself.
 * Problem('Invalid'), without the text, when one is malformed or can name nothing.
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

/** Paths of the placeholders that each leaf holds or lists; `report` hears of leaves that cannot be used. */
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
 * The secret inputs with what their placeholders name: of the leaves that were written in the definition, and of those
 * that list them. Whatever else a Secret holds is data. `content` is what was read for each leaf.
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
  // All at once, since what they come to is bounded as a whole.
  const expandedAt = reader(expand(templates, lookup).value)
  return mapSecretLeaves(refs, (leaf, at) => (isTemplate(leaf) ? expandedAt(at) : contentAt(at)))
}

/** The text of a Secret may have changed since its placeholders were listed. */
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

/** Reads members by the JSON pointers that a walk over the same keys gives. */
function reader(root: FreeForm): (at: string) => unknown {
  return (at) =>
    pointerSteps(at).reduce<unknown>(
      (value, step) => (isObject(value) ? ownValue(value, step) : undefined),
      root,
    )
}
