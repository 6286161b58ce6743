/** Characters of a rendered template, and of any text on the way to it. */
export const maxTextLength = 1_048_576

/** Items of a list that a function makes. */
export const maxListLength = 100_000

/** What a function of a template says against its arguments; never with the data in it. */
export class FunctionFault extends Error {}

/** Something that a template asks for is not there yet. */
export class NotYet extends Error {}

/** The text, unless it is longer than any may be. */
export function bounded(text: string): string {
  checkLength(text.length)
  return text
}

/** Refuses to make a text of so many characters. */
export function checkLength(length: number): void {
  if (length > maxTextLength) throw new FunctionFault(`makes a text of more than ${maxTextLength} characters`)
}

/** Refuses to make a list of so many items. */
export function checkItems(length: number): void {
  if (length > maxListLength) throw new FunctionFault(`makes a list of more than ${maxListLength} items`)
}
