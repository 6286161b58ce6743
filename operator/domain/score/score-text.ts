/** A `${…}` of Score, as the steps of its path. */
export interface ScoreReference {
  readonly path: readonly string[]
}

/**
 * Parses a text of a Score document into literal parts and references. `$$` is a literal `$`, a step can contain a dot as
 * `\.`; a `$` that begins neither is literal too.
 */
export function parseScoreText(text: string): (string | ScoreReference)[] {
  const parts: (string | ScoreReference)[] = []
  // Without this limit, each beginning of a reference without an end searches the rest of the text.
  const lastEnd = text.lastIndexOf('}')
  let literal = ''
  let position = 0
  for (let dollar = text.indexOf('$'); dollar !== -1; dollar = text.indexOf('$', position)) {
    literal += text.slice(position, dollar)
    const end = text[dollar + 1] === '{' && dollar < lastEnd ? text.indexOf('}', dollar) : -1
    if (end === -1) {
      literal += '$'
      position = dollar + (text[dollar + 1] === '$' ? 2 : 1)
      continue
    }
    if (literal !== '') parts.push(literal)
    literal = ''
    parts.push({ path: pathSteps(text.slice(dollar + 2, end)) })
    position = end + 1
  }
  literal += text.slice(position)
  if (literal !== '') parts.push(literal)
  return parts
}

/**
 * Parses a command or an image into literal parts and references. Only references to resources and metadata are
 * references; `$$` is literal, and no reference begins with its second `$`.
 */
export function parseCommandText(text: string): (string | ScoreReference)[] {
  const parts: (string | ScoreReference)[] = []
  // References end before this, which makes the work linear: each beginning has an end.
  const searched = text.slice(0, text.lastIndexOf('}') + 1)
  let position = 0
  for (const { 0: found, index } of searched.matchAll(/\$\$|\$\{(?:resources|metadata)\.[^}]*\}/g)) {
    if (found === '$$') continue
    if (index > position) parts.push(text.slice(position, index))
    parts.push({ path: pathSteps(found.slice(2, -1)) })
    position = index + found.length
  }
  if (position < text.length) parts.push(text.slice(position))
  return parts
}

/** The steps of a path with dots between them; `\.` is a dot in a step. */
export function pathSteps(path: string): string[] {
  const steps = ['']
  for (let i = 0; i < path.length; i++) {
    const isEscape = path[i] === '\\' && i + 1 < path.length
    if (isEscape) i++
    if (path[i] === '.' && !isEscape) steps.push('')
    else steps[steps.length - 1] += path[i] ?? ''
  }
  return steps
}

/** The text of a path, which `parseScoreText` reads in `${…}`; undefined for a path that cannot be written. */
export function formatScorePath(path: readonly string[]): string | undefined {
  if (path.some((step) => step.includes('}'))) return undefined
  return path.map((step) => step.replaceAll(/[\\.]/g, String.raw`\$&`)).join('.')
}

/** The literal text as Score writes it. */
export function escapeScoreText(literal: string): string {
  return literal.replaceAll('$', '$$$$')
}
