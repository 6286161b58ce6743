import { Problem } from '../base/errors.ts'
import { didYouMean } from '../base/nearest.ts'
import {
  type Descriptor,
  formatDescriptor,
  formatReference,
  inherit,
  parseReference,
  type Reference,
} from '../resource/descriptor.ts'
import { mapTexts } from './placeholder.ts'
import { formatPath, formatTemplate, type Placeholder, parseTemplate } from './template.ts'

/** `A>B` selects the direct dependencies of A of type B, `A<B` the direct dependents. */
export interface Selector {
  readonly anchor: Reference
  readonly direction: '>' | '<'
  readonly of: Reference
}

/** The target of a placeholder. */
export type Link =
  | { readonly kind: 'context'; readonly name: string }
  | {
      readonly kind: 'reference'
      readonly text: string
      readonly reference: Reference
      readonly output?: string
    }
  | {
      readonly kind: 'selector'
      readonly text: string
      readonly selector: Selector
      readonly output?: string
    }
  /** A dependency in the deployment set, as its workloads name it. */
  | {
      readonly kind: 'dependency'
      readonly text: string
      readonly path: readonly string[]
      readonly output?: string
    }
  /** A shared value. */
  | { readonly kind: 'value'; readonly path: readonly string[] }
  /** A property of a workload other than a dependency. */
  | { readonly kind: 'workload'; readonly workload: string }

/** First step of placeholders for shared values. */
export const valuesRoot = 'values'

/** First steps of placeholders in a definition. */
export const definitionRoots: readonly string[] = ['context', 'resources']

/** First steps of placeholders in the params of a dependency. Other `${…}` are literal text. */
export const paramsRoots: readonly string[] = [
  'context',
  'resources',
  'externals',
  'shared',
  'modules',
  valuesRoot,
]

/** First steps of placeholders for dependencies in a module. */
export const moduleRoots: readonly string[] = ['externals', 'shared', 'modules']

/** First steps of placeholders in a module. Other `${…}` are literal text. */
export const modulePlaceholderRoots: readonly string[] = [...moduleRoots, 'context', valuesRoot]

/** Names in `context`. */
const contextNames: readonly string[] = [
  'org.id',
  'app.id',
  'env.id',
  'env.type',
  'res.id',
  'res.type',
  'res.class',
  'res.guresid',
  'deploy.id',
]

const tails = ['outputs', 'guresid', 'values', 'account']

/** Whether the text of a reference selects several resources. */
export function isSelector(text: string): boolean {
  return text.includes('>') || text.includes('<')
}

/** Parses the text of a reference as in `${resources[…]}`. */
export function parseReferenceText(text: string): Extract<Link, { kind: 'reference' | 'selector' }> {
  const at = text.search(/[<>]/)
  if (at === -1) return { kind: 'reference', text, reference: parseReference(text) }
  const selector: Selector = {
    anchor: parseReference(text.slice(0, at)),
    direction: text[at] === '>' ? '>' : '<',
    of: parseReference(text.slice(at + 1)),
  }
  return { kind: 'selector', text, selector }
}

/** The target of a placeholder; throws Problem('Invalid') when it cannot name anything. */
export function parseLink(path: readonly string[], roots: readonly string[]): Link {
  const [root = '', second] = path
  const shown = `\${${formatPath(path)}}`
  if (!roots.includes(root)) {
    throw new Problem(
      'Invalid',
      `'${shown}' begins with none of ${roots.map((each) => `'${each}'`).join(', ')}`,
    )
  }
  if (root === 'context') return contextLink(path, shown)
  if (second === undefined) throw new Problem('Invalid', `'${shown}' names nothing`)
  if (root === 'resources') return resourceLink(path, shown)
  if (root === valuesRoot) return { kind: 'value', path }
  const depth = dependencyDepth(path)
  if (depth === undefined) return { kind: 'workload', workload: second }
  const named = path.slice(0, depth)
  return { kind: 'dependency', text: formatPath(named), path: named, ...outputAt(path[depth]) }
}

/** The number of steps that name the dependency; undefined when the path names none. */
export function dependencyDepth([root, , third, fourth]: readonly string[]): number | undefined {
  if (root === 'externals' || root === 'shared') return 2
  return root === 'modules' && third === 'externals' && fourth !== undefined ? 4 : undefined
}

function contextLink(path: readonly string[], shown: string): Link {
  const name = path.slice(1).join('.')
  if (contextNames.includes(name)) return { kind: 'context', name }
  throw new Problem('Invalid', `'${shown}' is not in the context${didYouMean(name, contextNames)}`)
}

function resourceLink([, text = '', tail, output]: readonly string[], shown: string): Link {
  if (tail === undefined || !tails.includes(tail)) {
    const known = tails.map((each) => `'.${each}'`).join(', ')
    throw new Problem('Invalid', `'${shown}' names none of ${known} of '${text}'`)
  }
  return { ...parseReferenceText(text), ...(tail === 'outputs' ? outputAt(output) : {}) }
}

function outputAt(output: string | undefined): { readonly output?: string } {
  return output === undefined ? {} : { output }
}

/**
 * Rewrites references of `from` so that any resource can use the inputs: references get the class and id that they would
 * inherit, and placeholders of the context are filled in.
 */
export function absolute<T>(value: T, from: Descriptor, guResId: string): T {
  return mapTexts(value, (text) => {
    if (!text.includes('${')) return text
    return formatTemplate(
      parseTemplate(text).map((part) =>
        typeof part === 'string' ? part : absolutePart(part, from, guResId),
      ),
    )
  })
}

function absolutePart(part: Placeholder, from: Descriptor, guResId: string): string | Placeholder {
  const [root, second = '', third] = part.path
  if (root === 'resources') return { path: [root, absoluteText(second, from), ...part.path.slice(2)] }
  if (root !== 'context' || second !== 'res') return part
  const own: Record<string, string> = {
    id: from.resourceId,
    type: from.type,
    class: from.class,
    guresid: guResId,
  }
  return own[third ?? ''] ?? part
}

function absoluteText(text: string, from: Descriptor): string {
  const link = parseReferenceText(text)
  if (link.kind === 'reference') return formatDescriptor(inherit(link.reference, from))
  const { anchor, direction, of } = link.selector
  return `${formatDescriptor(inherit(anchor, from))}${direction}${formatReference(of)}`
}
