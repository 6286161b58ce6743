/** A table with these rows. */
export function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Text as code. */
export function code(name: string): string {
  return `\`${name}\``
}
