import type { PlacedProblems } from './model/check.ts'

/** What all parts of a form share. */
export interface FormState {
  readonly value: unknown
  readonly problems: PlacedProblems
  /** Pointers of secrets that are stored: an empty field leaves them unchanged. */
  readonly stored: ReadonlySet<string>
  readonly isDisabled: boolean
  readonly idPrefix: string
  /** Writes a value at a JSON pointer. */
  readonly write: (pointer: string, value: unknown) => void
  /** Reports why the text at a JSON pointer has no value; an empty problem withdraws the report. */
  readonly report: (pointer: string, problem: string) => void
}
