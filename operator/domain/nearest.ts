import { compareText } from './json.ts'

const maxDistance = 3
const maxLength = 64

/** `; did you mean 'x'?` for the known name that is nearest to a wrong one, or nothing when none is near. */
export function didYouMean(wrong: string, known: Iterable<string>): string {
  let best: { name: string; distance: number } | undefined
  for (const name of [...known].sort(compareText)) {
    const distance = distanceBetween(wrong.toLowerCase(), name.toLowerCase())
    if (distance <= maxDistance && distance < name.length && distance < (best?.distance ?? Infinity))
      best = { name, distance }
  }
  return best ? `; did you mean '${best.name}'?` : ''
}

/**
 * How many letters must change, come, go or swap with the next to make one word of the other; no matter for
 * long words.
 */
function distanceBetween(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > maxDistance || left.length > maxLength) return Infinity
  let before: number[] = []
  let row = Array.from({ length: right.length + 1 }, (_, i) => i)
  for (let i = 1; i <= left.length; i++) {
    const next = [i]
    for (let j = 1; j <= right.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : Infinity
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[right.length] ?? Infinity
}
