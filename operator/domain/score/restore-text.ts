import type { FreeForm } from '../../api/schema.ts'
import { isObject, ownValue, sameJson } from '../base/json.ts'
import { modulePlaceholderRoots, paramsRoots, valuesRoot } from '../placeholder/link.ts'
import { formatPath, formatTemplate, parseTemplate, type Template } from '../placeholder/template.ts'
import { sharedResourceId } from '../resource/identity.ts'
import { schemaProblems } from '../schema/user-schema.ts'
import { environmentType, serviceType, sharedKey } from './references.ts'
import { resourceSchema } from './score-schema.ts'
import { escapeScoreText, formatScorePath, parseCommandText } from './score-text.ts'

const labelPattern = /^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/
const schema: FreeForm = { ...resourceSchema }

/** Finds texts of Score for texts of a module, and collects the resources that they name. */
export class TextRestorer {
  /** Resources of the document, by local name. */
  readonly resources = new Map<string, FreeForm>()
  readonly #shared: Readonly<Record<string, FreeForm>>
  readonly #names = new Map<string, string>()
  readonly #sharedKeys = new Map<string, string>()

  constructor(externals: FreeForm, shared: Readonly<Record<string, FreeForm>>) {
    this.#shared = shared
    for (const [name, { params: _, ...entry }] of Object.entries(objectsIn(externals)))
      if (labelPattern.test(name) && isResource(entry)) this.resources.set(name, entry)
  }

  /** The text in a Score document; undefined for one that Score cannot express. */
  restore(text: string): string | undefined {
    if (!text.includes('$')) return text
    const parts = partsOf(text)
    // Another spelling of the same text would not come back.
    if (!parts || formatTemplate(parts, paramsRoots) !== text) return undefined
    const restored = parts.map((part) =>
      typeof part === 'string' ? escapeScoreText(part) : this.#restorePath(part.path),
    )
    return restored.includes(undefined) ? undefined : restored.join('')
  }

  /** The text of a command or an image in a Score document; undefined for one that Score cannot express. */
  restoreCommand(text: string): string | undefined {
    if (!text.includes('$')) return text
    const parts = partsOf(text)
    if (!parts || formatTemplate(parts, modulePlaceholderRoots) !== text) return undefined
    const restored = parts.map((part) => (typeof part === 'string' ? part : this.#restorePath(part.path)))
    if (restored.includes(undefined)) return undefined
    const command = restored.join('')
    // Literal text can look like a reference, or hide one that follows it.
    const read = parseCommandText(command).map(literalOf)
    return sameJson(read, parts.map(literalOf)) ? command : undefined
  }

  /** The value with all texts and keys restored; undefined when one cannot be expressed. */
  restoreAll(value: unknown): unknown {
    if (typeof value === 'string') return this.restore(value)
    if (Array.isArray(value)) {
      const items = value.map((item) => this.restoreAll(item))
      return items.includes(undefined) ? undefined : items
    }
    if (!isObject(value)) return value
    const entries = Object.entries(value).map(([key, member]) => [this.restore(key), this.restoreAll(member)])
    return entries.flat().includes(undefined) ? undefined : Object.fromEntries(entries)
  }

  /** The text for a reference without braces, such as `externals.data`, or for any other text. */
  restoreReference(text: string): string | undefined {
    const [part] = partsOf(`\${${text}}`) ?? []
    const name =
      typeof part === 'object' && formatPath(part.path) === text ? this.nameOf(part.path) : undefined
    const isWhole = typeof part === 'object' && part.path.length === 2
    return name !== undefined && isWhole ? `\${resources.${name}}` : this.restore(text)
  }

  /** Local name of the resource that a path of a module begins with. A shared one gets a name at first use. */
  nameOf([root = '', second = '', third]: readonly string[]): string | undefined {
    if (root === 'externals') return this.resources.has(second) ? second : undefined
    if (root === valuesRoot) return this.#named(root, { type: environmentType }, 'env')
    if (root === 'modules' && third === 'service')
      return this.#named(`modules ${second}`, { type: serviceType }, second, 1)
    const entry = root === 'shared' ? ownValue(this.#shared, second) : undefined
    const name = entry && this.#named(`shared ${second}`, sharedResource(second, entry), second)
    if (name !== undefined) this.#sharedKeys.set(name, second)
    return name
  }

  /** Key of the shared dependency with this local name. */
  sharedKeyOf(name: string): string | undefined {
    return this.#sharedKeys.get(name)
  }

  #restorePath(path: readonly string[]): string | undefined {
    const name = this.nameOf(path)
    const [root] = path
    const depth = { [valuesRoot]: 1, modules: 3 }[root ?? ''] ?? 2
    const text = name !== undefined && formatScorePath(['resources', name, ...path.slice(depth)])
    return text && path.length > depth ? `\${${text}}` : undefined
  }

  #named(key: string, entry: FreeForm | undefined, wished: string, most = 100): string | undefined {
    const known = this.#names.get(key)
    if (known !== undefined || !entry) return known
    for (let i = 1; i <= most; i++) {
      const name = i === 1 ? wished : `shared-${i}`
      if (!labelPattern.test(name) || this.resources.has(name)) continue
      this.resources.set(name, entry)
      this.#names.set(key, name)
      return name
    }
    return undefined
  }
}

/** The resource of a Score document for an entry of a deployment set; undefined when Score cannot express it. */
function sharedResource(key: string, { params: _, ...entry }: FreeForm): FreeForm | undefined {
  const { id: given, ...rest } = entry
  const prefix = sharedResourceId('')
  const id = given === undefined ? key : String(given).replace(prefix, '')
  const resource = { ...rest, id }
  const resourceClass = rest['class']
  const isKept =
    isResource(resource) &&
    sharedKey(id, resourceClass === undefined ? undefined : String(resourceClass)) === key
  return isKept && (given === undefined) === (key === id) ? resource : undefined
}

function isResource(entry: FreeForm): boolean {
  return schemaProblems(schema, entry).length === 0
}

function literalOf(part: unknown): string | undefined {
  return typeof part === 'string' ? part : undefined
}

/** The parts of a text of a module; undefined for a malformed one. */
export function partsOf(text: string): Template | undefined {
  try {
    return parseTemplate(text, modulePlaceholderRoots)
  } catch {
    return undefined
  }
}

/** The members of a map that are objects. */
export function objectsIn(value: unknown): Record<string, FreeForm> {
  if (!isObject(value)) return {}
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, FreeForm] => isObject(entry[1])),
  )
}
