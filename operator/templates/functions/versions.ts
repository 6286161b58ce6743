import { FunctionFault } from '../limits.ts'
import { type Functions, textArgument } from '../values.ts'

interface Version {
  readonly numbers: readonly number[]
  readonly prerelease: string
}

interface Constraint extends Version {
  readonly operator: string
  /** How many numbers are given; `1.x` gives one. */
  readonly known: number
}

const number = String.raw`(\d+|[xX*])`
const words = String.raw`[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*`
const version = String.raw`v?${number}(?:\.${number})?(?:\.${number})?(?:-(${words}))?(?:\+${words})?`
const whole = new RegExp(`^${version}$`)
const single = new RegExp(String.raw`(!=|>=|=>|<=|=<|~>|[=><~^])?\s*${version}`, 'y')
const separator = /\s*,\s*|\s+/y
const range = new RegExp(String.raw`(${version})\s+-\s+(${version})`, 'g')

/** Functions of semantic versions; constraints have the syntax of Masterminds/semver. */
export const versionFunctions: Functions = {
  semverCompare: (constraint, text) => {
    const found = whole.exec(textArgument(text))
    const parsed = versionOf(found?.slice(1) ?? [])
    if (!found || parsed.known < found.slice(1, 4).filter((each) => each !== undefined).length)
      throw new FunctionFault('takes a semantic version, and this is none')
    return textArgument(constraint)
      .replace(range, (all) => all.replace(/^(.*?)\s+-\s+/s, '>=$1, <='))
      .split('||')
      .map((each) => constraintsOf(each.trim()))
      .some((all) => all.every((each) => fits(parsed, each)))
  },
}

function versionOf(parts: readonly (string | undefined)[]): Version & { readonly known: number } {
  const given = parts.slice(0, 3)
  const unknown = given.findIndex((part) => part === undefined || !/^\d/.test(part))
  const known = unknown < 0 ? given.length : unknown
  const numbers = [0, 1, 2].map((i) => (i < known ? Number(given[i]) : 0))
  return { numbers, known, prerelease: parts[3] ?? '' }
}

function constraintsOf(text: string): Constraint[] {
  const found: Constraint[] = []
  for (let at = 0; at < text.length || found.length === 0; ) {
    separator.lastIndex = at
    if (found.length > 0) at += separator.exec(text)?.[0].length ?? Number.NaN
    single.lastIndex = at
    const match = Number.isNaN(at) ? null : single.exec(text)
    if (!match) throw new FunctionFault('takes a constraint such as `>=1.2, <2`, and this is none')
    found.push({ ...versionOf(match.slice(2)), operator: match[1] ?? '=' })
    at = single.lastIndex
  }
  return found
}

function fits(given: Version, wanted: Constraint): boolean {
  // Only a constraint with a prerelease asks for one.
  const isOther = given.prerelease !== '' && wanted.prerelease === ''
  if (wanted.operator === '!=') return isOther ? wanted.known === 3 : !isEqual(given, wanted)
  return !isOther && (checks[wanted.operator]?.(given, wanted) ?? false)
}

function isEqual(given: Version, wanted: Constraint): boolean {
  if (wanted.known % 3 === 0) return compared(given, wanted) === 0
  const { numbers, prerelease } = wanted
  if (given.numbers.slice(0, wanted.known).some((each, i) => each !== numbers[i])) return false
  return wanted.known === 1 || given.prerelease === prerelease
}

type Check = (given: Version, wanted: Constraint) => boolean

const atLeast: Check = (given, wanted) => compared(given, wanted) >= 0
const tilde: Check = (given, wanted) => {
  const { numbers, known } = wanted
  if (!atLeast(given, wanted)) return false
  if (known % 3 === 0 && numbers.every((each) => each === 0)) return true
  return given.numbers[0] === numbers[0] && (known === 1 || given.numbers[1] === numbers[1])
}
const atMost: Check = (given, wanted) => {
  if (wanted.known === 3) return compared(given, wanted) <= 0
  return comparedNumbers(given, wanted, wanted.known === 1 ? 1 : 2) <= 0
}

const checks: Readonly<Record<string, Check>> = {
  '=': (given, wanted) => (wanted.known < 3 ? tilde(given, wanted) : compared(given, wanted) === 0),
  '>': (given, wanted) => {
    if (wanted.known % 3 === 0) return compared(given, wanted) > 0
    return comparedNumbers(given, wanted, wanted.known) > 0
  },
  '<': (given, wanted) => compared(given, wanted) < 0,
  '>=': atLeast,
  '=>': atLeast,
  '<=': atMost,
  '=<': atMost,
  '~': tilde,
  '~>': tilde,
  '^': (given, wanted) => {
    const { numbers, known } = wanted
    // The first number that is not zero stays; of those that are not given, the last one before them.
    const first = numbers.findIndex((each) => each > 0)
    const fixed = known === 0 ? 3 : Math.min(first < 0 ? 3 : first + 1, known)
    return atLeast(given, wanted) && comparedNumbers(given, wanted, fixed) === 0
  },
}

function comparedNumbers(left: Version, right: Version, count: number): number {
  for (let i = 0; i < count; i += 1) {
    const difference = (left.numbers[i] ?? 0) - (right.numbers[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

function compared(left: Version, right: Version): number {
  return comparedNumbers(left, right, 3) || comparedPrereleases(left.prerelease, right.prerelease)
}

/** A version without prerelease comes after those with one. */
function comparedPrereleases(left: string, right: string): number {
  if (left === right) return 0
  if (left === '' || right === '') return left === '' ? 1 : -1
  const [ours, theirs] = [left.split('.'), right.split('.')]
  const index = ours.findIndex((each, i) => each !== theirs[i])
  return index < 0 ? -1 : comparedWords(ours[index], theirs[index])
}

/** Numbers come before other words. */
function comparedWords(left: string | undefined, right: string | undefined): number {
  if (left === undefined || right === undefined) return left === undefined ? -1 : 1
  const [isNumber, isOtherNumber] = [/^\d+$/.test(left), /^\d+$/.test(right)]
  if (isNumber && isOtherNumber) return Number(left) - Number(right)
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1
  return left < right ? -1 : 1
}
