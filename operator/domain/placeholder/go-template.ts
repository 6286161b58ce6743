import { createEngine, TemplateError } from '@promptctl/go-template-js'

const longest = 256 * 1024
const engine = createEngine<string>({ fromString: (text) => text })

/** What is wrong with the syntax of a Go template, for its author; undefined when it can be read. Nothing is run. */
export function problemOfGoTemplate(text: string): string | undefined {
  if (!text.includes('{{')) return undefined
  if (text.length > longest) return `is ${text.length} characters long; at most ${longest} are allowed`
  try {
    // What a placeholder stands for is known later: a number fits wherever it can stand.
    engine.parse(text.replace(/\$\{[^{}]*\}/g, '0'))
    return undefined
  } catch (error) {
    if (error instanceof TemplateError)
      return `at line ${error.pos.line}, column ${error.pos.column}: ${error.message}`
    return 'is nested too deeply'
  }
}

/** The problems of all templates in a text or in data whose texts are templates; `name` is where it stands. */
export function problemsOfGoTemplates(template: unknown, name: string): string[] {
  if (typeof template === 'string') {
    const problem = problemOfGoTemplate(template)
    return problem === undefined ? [] : [`template '${name}' ${problem}`]
  }
  if (typeof template !== 'object' || template === null) return []
  return Object.entries(template).flatMap(([key, each]) => problemsOfGoTemplates(each, `${name}.${key}`))
}
