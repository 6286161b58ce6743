/** Name of something in headings and links: its ID if its name is blank. */
export function nameOf({ id, name }: { readonly id: string; readonly name: string }): string {
  return name.trim() === '' ? id : name
}
