/** What a reason means, and what to do about it: one sentence each. */
export interface ReasonText {
  readonly meaning: string
  readonly remedy: string
}

/** Declares the text of a reason. */
export function reason(meaning: string, remedy: string): ReasonText {
  return { meaning, remedy }
}
