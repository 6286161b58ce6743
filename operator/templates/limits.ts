/** Maximum length of a rendered template and of intermediate texts. */
export const maxTextLength = 1_048_576

/** Maximum length of all results of a call, as JSON: the main thread searches them, and does nothing else meanwhile. */
export const maxResultsLength = 5 * 1_048_576

/** Maximum items of a list that a function returns. */
export const maxListLength = 100_000

/** Arguments of a template function are not valid; the message contains no data. */
export class FunctionFault extends Error {}

/** A template needs an object that does not exist yet. */
export class NotYet extends Error {}

/** Returns the text; throws when it is too long. */
export function bounded(text: string): string {
  checkLength(text.length)
  return text
}

/** Throws when a text would be too long. */
export function checkLength(length: number): void {
  if (length > maxTextLength) throw new FunctionFault(`makes a text of more than ${maxTextLength} characters`)
}

/** Throws when a list would have too many items. */
export function checkItems(length: number): void {
  if (length > maxListLength) throw new FunctionFault(`makes a list of more than ${maxListLength} items`)
}
