/** Evaluates a template that is parsed, which does not change it. */
export type Evaluate = (data: unknown) => string[]

/** A character of a template needs up to 180 bytes when it is parsed, so this is 12 MB of the memory of the thread at most. */
const maxCharacters = 65_536

/** Parses templates, and keeps those that were used last: all resources of a definition have the same ones. */
export function createParsedTemplates(parse: (template: string) => Evaluate): (template: string) => Evaluate {
  const kept = new Map<string, Evaluate>()
  let characters = 0

  function keep(template: string, parsed: Evaluate): void {
    if (template.length > maxCharacters) return
    kept.set(template, parsed)
    characters += template.length
    for (const [oldest] of kept) {
      if (characters <= maxCharacters) return
      kept.delete(oldest)
      characters -= oldest.length
    }
  }

  return (template) => {
    const known = kept.get(template)
    if (known && kept.delete(template)) characters -= template.length
    const parsed = known ?? parse(template)
    keep(template, parsed)
    return parsed
  }
}
