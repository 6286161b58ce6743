import { createEngine, TemplateError } from '@promptctl/go-template-js'

const longest = 256 * 1024
const engine = createEngine<string>({ fromString: (text) => text })

/** Why the syntax of a Go template is invalid; undefined when it is valid. Does not run the template. */
export function problemOfGoTemplate(text: string): string | undefined {
  if (!text.includes('{{')) return undefined
  if (text.length > longest) return `is ${text.length} characters long; at most ${longest} are allowed`
  try {
    // The value of a placeholder is not known yet. A number is valid wherever a value is.
    engine.parse(text.replace(/\$\{[^{}]*\}/g, '0'))
    return undefined
  } catch (error) {
    if (error instanceof TemplateError)
      return `at line ${error.pos.line}, column ${error.pos.column}: ${error.message}`
    return 'is nested too deeply'
  }
}

/** The problems of a template, or of data whose texts are templates; `name` is its path. */
export function problemsOfGoTemplates(template: unknown, name: string): string[] {
  if (typeof template === 'string') {
    const problem = problemOfGoTemplate(template)
    return problem === undefined ? [] : [`template '${name}' ${problem}`]
  }
  if (typeof template !== 'object' || template === null) return []
  return Object.entries(template).flatMap(([key, each]) => problemsOfGoTemplates(each, `${name}.${key}`))
}
