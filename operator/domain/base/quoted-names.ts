/** Lists names in quotes, separated by commas; of more than `most`, the first ones and how many are left out. */
export function quotedNames(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).map((name) => `'${name}'`)
  const more = names.length > most ? ` and ${names.length - most} more` : ''
  return `${shown.join(', ')}${more}`
}
