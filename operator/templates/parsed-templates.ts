/** A template that is parsed; it does not change when it is evaluated. */
export interface ParsedTemplate {
  evaluate(data: unknown): string[]
}

/** A character of a template needs up to 150 bytes when it is parsed, so this is 10 MB of the memory of the thread at most. */
const maxCharacters = 65_536

/** Parses templates, and keeps those that were used last: all resources of a definition have the same ones. */
export function createParsedTemplates(
  parse: (template: string) => ParsedTemplate,
): (template: string) => ParsedTemplate {
  const kept = new Map<string, ParsedTemplate>()
  let characters = 0

  function keep(template: string, parsed: ParsedTemplate): void {
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
