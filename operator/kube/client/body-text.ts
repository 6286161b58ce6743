/** Characters that YAML refuses, or takes for line breaks, where JSON has them as they are. */
const notYaml = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

/** A body as JSON. The API server parses a body for server-side apply as YAML. */
export function bodyText(body: unknown, contentType: string): string {
  const text = JSON.stringify(body)
  if (!contentType.endsWith('+yaml')) return text
  return text.replace(notYaml, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
