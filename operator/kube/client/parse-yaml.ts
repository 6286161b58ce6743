import { parse } from 'yaml'

/** Parses YAML; a separate file, so that the library is loaded on first use. */
export function parseYaml(text: string): unknown {
  return parse(text)
}
