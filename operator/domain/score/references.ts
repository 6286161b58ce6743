import type { FreeForm } from '../../api/schema.ts'
import { isObject, ownValue } from '../base/json.ts'
import { didYouMean } from '../base/nearest.ts'
import { fullBudget } from '../base/work-budget.ts'
import { modulePlaceholderRoots, paramsRoots, valuesRoot } from '../placeholder/link.ts'
import { formatPath, formatTemplate, type Placeholder } from '../placeholder/template.ts'
import { defaultClass } from '../resource/descriptor.ts'
import { type Locate, maxListed, problemAt, type ScoreProblem } from './problems.ts'
import type { ScoreDocument, ScoreResource } from './score-schema.ts'
import { parseCommandText, parseScoreText, type ScoreReference } from './score-text.ts'

/** Types that need nothing: a shared value of the environment, and another workload. */
export const environmentType = 'environment'
export const serviceType = 'service'

/** Maximum length of all metadata that the references of a document copy, except for the last copy. */
const maxMetadataLength = 1_048_576

/** How texts of a document are converted. */
export type TextMode =
  /** A text of Score: references are replaced, all else is literal. */
  | 'score'
  /** A command or an image: only references are replaced, all else is literal, also `$$`, because shells use it. */
  | 'command'
  /** A text of Score in the params of a shared resource, which names private ones with their workload. */
  | 'shared'
  /** A text of an extension: what remains can hold placeholders of modules. */
  | 'extension'

/** Key of a shared dependency in a deployment set. */
export function sharedKey(id: string, resourceClass: string = defaultClass): string {
  return resourceClass === defaultClass ? id : `${id}-class-${resourceClass}`
}

/** Converts the texts of one Score document, and collects the problems of its references. */
export class TextConverter {
  readonly problems: ScoreProblem[] = []
  readonly #document: ScoreDocument
  readonly #locate: Locate | undefined
  readonly #resourceNames: readonly string[]
  readonly #budget = fullBudget()
  #metadataLength = 0

  constructor(document: ScoreDocument, locate?: Locate) {
    this.#document = document
    this.#resourceNames = Object.keys(document.resources ?? {})
    this.#locate = locate
  }

  /** Records a problem of the value with this path. */
  report(path: readonly string[], message: string): void {
    // To find a place takes time that grows with the document.
    const locate = this.problems.length < maxListed ? this.#locate : undefined
    this.problems.push(problemAt(path, message, locate))
  }

  /** The text for a module. */
  convert(text: string, at: readonly string[], mode: TextMode = 'score'): string {
    if (!text.includes('$')) return text
    const parse = mode === 'command' ? parseCommandText : parseScoreText
    const parts = parse(text).map((part) => (typeof part === 'string' ? part : this.#resolve(part, at, mode)))
    if (mode === 'command') return formatTemplate(parts, modulePlaceholderRoots)
    if (mode !== 'extension') return formatTemplate(parts, paramsRoots)
    return parts.map((part) => (typeof part === 'string' ? part : formatTemplate([part]))).join('')
  }

  /** A text in which nothing is replaced. */
  literal(text: string): string {
    return formatTemplate([text])
  }

  /** A text of which a module replaces nothing, and which is written as it is where that is possible. */
  unchanged(text: string): string {
    return formatTemplate([text], modulePlaceholderRoots)
  }

  /** The value with all texts and keys converted. */
  convertAll(value: unknown, at: readonly string[], mode: TextMode = 'score'): unknown {
    if (typeof value === 'string') return this.convert(value, at, mode)
    if (Array.isArray(value)) return value.map((item, i) => this.convertAll(item, [...at, String(i)], mode))
    return isObject(value) ? this.convertMap(value, at, mode) : value
  }

  /** The map with all texts and keys converted. */
  convertMap(map: FreeForm, at: readonly string[], mode: TextMode = 'score'): FreeForm {
    return Object.fromEntries(
      Object.entries(map).map(([key, value]) => {
        const path = [...at, key]
        return [this.convert(key, path, mode), this.convertAll(value, path, mode)]
      }),
    )
  }

  #resolve({ path }: ScoreReference, at: readonly string[], mode: TextMode): string | Placeholder {
    const [root = '', name = '', ...rest] = path
    if (root === 'metadata') return this.#metadata(path.slice(1), at)
    if (root === 'resources') return this.#resource(name, rest, at, mode)
    if (mode === 'extension') return path.every((step) => step !== '') ? { path } : `\${${path.join('.')}}`
    const shown = path.join('.')
    this.report(
      at,
      `refers to '\${${shown}}', which begins with neither 'metadata' nor 'resources'; write '$\${${shown}}' for that text`,
    )
    return ''
  }

  #metadata(path: readonly string[], at: readonly string[]): string {
    let value: unknown = this.#document.metadata
    for (const step of path) value = isObject(value) ? ownValue(value, step) : undefined
    if (path.length === 0 || value === undefined) {
      this.report(at, `refers to '${formatPath(['metadata', ...path])}', which does not exist`)
      return ''
    }
    if (this.#metadataLength > maxMetadataLength) {
      this.report(at, `refers to metadata, whose copies have more than ${maxMetadataLength} characters`)
      return ''
    }
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    this.#metadataLength += text.length
    return text
  }

  #resource(
    name: string,
    rest: readonly string[],
    at: readonly string[],
    mode: TextMode,
  ): string | Placeholder {
    const resource = ownValue(this.#document.resources ?? {}, name)
    if (!resource) {
      const hint = didYouMean(name, this.#resourceNames, this.#budget)
      this.report(at, `refers to resource '${name}', which does not exist${hint}`)
      return ''
    }
    if (rest.includes('')) {
      this.report(at, `refers to resource '${name}' with an empty name in the path`)
      return ''
    }
    const inModule = targetOf(name, resource)
    const target = mode === 'shared' ? fromOutside(this.#document.metadata.name, inModule) : inModule
    if (rest.length === 0) return formatPath(target)
    return { path: [...target, ...(resource.type === serviceType ? ['service'] : []), ...rest] }
  }
}

/** Path of a resource in a module. */
function targetOf(name: string, { type, id, class: resourceClass }: ScoreResource): string[] {
  if (type === environmentType) return [valuesRoot]
  if (type === serviceType) return ['modules', name]
  return id === undefined ? ['externals', name] : ['shared', sharedKey(id, resourceClass)]
}

/** Path of a private resource for texts that belong to no workload; any other path is the same there. */
export function fromOutside(workload: string, path: readonly string[]): readonly string[] {
  return path[0] === 'externals' ? ['modules', workload, ...path] : path
}

/** Inverse of `fromOutside`. */
export function fromInside(workload: string, path: readonly string[]): readonly string[] {
  const [root, owner, part] = path
  return root === 'modules' && owner === workload && part === 'externals' ? path.slice(2) : path
}
