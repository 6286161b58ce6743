import { compareText } from './json.ts'
import { quotedNames } from './quoted-names.ts'
import { fullBudget, type WorkBudget } from './work-budget.ts'

const maxDistance = 3
const maxLength = 64
const maxCompared = 200
const maxShown = 20

/**
 * `; did you mean 'x'?` for the known name that is nearest to a wrong one, or an empty text if none is near. A shared
 * budget limits the hints of one request to its first problems.
 */
export function didYouMean(
  wrong: string,
  known: Iterable<string>,
  budget: Pick<WorkBudget, 'hints'> = fullBudget(),
): string {
  if (wrong.length > maxLength || budget.hints <= 0) return ''
  budget.hints -= 1
  const text = wrong.toLowerCase()
  let best: { name: string; distance: number } | undefined
  let compared = 0
  for (const name of known) {
    if (Math.abs(name.length - wrong.length) > maxDistance) continue
    compared += 1
    if (compared > maxCompared) break
    const distance = distanceBetween(text, name.toLowerCase())
    if (distance > maxDistance || distance >= name.length) continue
    if (!best || distance < best.distance || (distance === best.distance && compareText(name, best.name) < 0))
      best = { name, distance }
  }
  return best ? `; did you mean '${best.name}'?` : ''
}

/** The hint at the nearest known name; without one, the first known names. */
export function nearestOrKnown(
  wrong: string,
  { what, names }: { readonly what: string; readonly names: readonly string[] },
  budget?: Pick<WorkBudget, 'hints'>,
): string {
  return didYouMean(wrong, names, budget) || `; known ${what}: ${quotedNames(names, maxShown)}`
}

/** The fewest letters of a name with one letter too many, too few or swapped, and with another letter. */
const shortestMisspelt = 4
const shortestReplaced = 6

/**
 * The known name that a wrong one misspells: in case, in its separators, or in one letter. Short names differ by one letter
 * without being meant, such as `mode` and `code`. Generated clients have `_class` for `class`, which they may send in data.
 */
export function misspelt(wrong: string, known: readonly string[]): string | undefined {
  if (wrong.length < shortestMisspelt || wrong.length > maxLength || /^_|_$/.test(wrong)) return undefined
  const plain = withoutSeparators(wrong)
  return known.find((name) => {
    const other = withoutSeparators(name)
    return other === plain || isNear(plain, other)
  })
}

/** The first of the given names that misspells an absent one, with the one that is meant. */
export function firstMisspelt(
  given: readonly string[],
  absent: readonly string[],
): { readonly wrong: string; readonly meant: string } | undefined {
  for (const wrong of given) {
    const meant = misspelt(wrong, absent)
    if (meant !== undefined) return { wrong, meant }
  }
  return undefined
}

function withoutSeparators(name: string): string {
  return name.replaceAll(/[-_[\]]/g, '').toLowerCase()
}

/** Whether two words differ in one letter. Takes one pass, because there can be many wrong names. */
function isNear(left: string, right: string): boolean {
  if (Math.min(left.length, right.length) < shortestMisspelt) return false
  if (Math.abs(left.length - right.length) > 1) return false
  let start = 0
  while (start < left.length && left[start] === right[start]) start += 1
  let [leftEnd, rightEnd] = [left.length, right.length]
  while (Math.min(leftEnd, rightEnd) > start && left[leftEnd - 1] === right[rightEnd - 1]) {
    leftEnd -= 1
    rightEnd -= 1
  }
  const [onLeft, onRight] = [left.slice(start, leftEnd), right.slice(start, rightEnd)]
  if (onLeft.length !== onRight.length) return onLeft.length + onRight.length === 1
  if (onLeft.length === 1) return left.length >= shortestReplaced
  return onLeft.length === 2 && onLeft[0] === onRight[1] && onLeft[1] === onRight[0]
}

/** The Damerau–Levenshtein distance of two words; Infinity when it exceeds `maxDistance`. */
function distanceBetween(left: string, right: string): number {
  let before: number[] = []
  let row = Array.from({ length: right.length + 1 }, (_, i) => i)
  for (let i = 1; i <= left.length; i++) {
    const next = [i]
    let least = i
    for (let j = 1; j <= right.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : Infinity
      const distance = Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1)
      next.push(distance)
      least = Math.min(least, distance)
    }
    // No later row can have a smaller distance.
    if (least > maxDistance) return Infinity
    before = row
    row = next
  }
  return row[right.length] ?? Infinity
}
