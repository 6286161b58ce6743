/** The smallest and the largest number that a setting may be. */
export type Range = readonly [least: number, most: number]

/** Timers of Node count milliseconds in 31 bits; a longer one would end at once. */
const longestTimerSeconds = 2_147_483
export const delays: Range = [0, longestTimerSeconds]
/** What is repeated, or limits work: with 0, it would never pause, or end before it begins. */
export const intervals: Range = [1, longestTimerSeconds]
export const counts: Range = [0, 1_000_000_000]
export const positiveCounts: Range = [1, 1_000_000_000]
export const rates: Range = [0.01, 1_000_000_000]
export const ratios: Range = [0, 1]

/** The number that a text writes; throws an error that names the variable and its range otherwise. */
export function readNumber(name: string, text: string, [least, most]: Range): number {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (value >= least && value <= most) return value
  throw new Error(`QUARTERMASTER_${name} must be a number from ${least} to ${most}, not '${text}'`)
}

/** Port 0 is any free one. */
export function readPort(name: string, text: string): number {
  const value = readNumber(name, text, [0, 65_535])
  if (Number.isInteger(value)) return value
  throw new Error(`QUARTERMASTER_${name} must be an integer, not '${text}'`)
}

/** Words that are separated by commas and blanks. */
export function splitWords(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
}

/** Reads one of a few words; the message names the variable. */
export function readChoice<T extends string>(name: string, choices: readonly T[], text: string): T {
  const choice = choices.find((each) => each === text)
  if (choice !== undefined) return choice
  throw new Error(`QUARTERMASTER_${name} must be one of ${choices.join(', ')}, not '${text}'`)
}

/** A text that its user accepts, which throws otherwise; the message names the variable and says what it must be. */
export function readAccepted(
  name: string,
  text: string,
  what: string,
  use: (text: string) => unknown,
): string {
  try {
    use(text)
    return text
  } catch {
    throw new Error(`QUARTERMASTER_${name} must be ${what}, not '${text}'`)
  }
}

/** An address that begins with `http://` or `https://`; the message names the variable. */
export function readWebAddress(name: string, text: string, example: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text
  throw new Error(`QUARTERMASTER_${name} must be an address such as '${example}', not '${text}'`)
}
