const token = /\\(?:[pPux]\{[^}]*\}|.)|\[\^?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\{(\d*)(,?)(\d*)\}|./gsu

/** Maximum number of repetitions of a part in the engine, with nested repetitions multiplied. */
const maxTimes = 1000

/** Approximate number of steps of a pattern with all repetitions expanded, and of reading its classes of characters. */
export function stepsOf(pattern: string): number {
  // These are not parsed here, so the upper bound applies.
  if (/\[\^?\]|\\Q/.test(pattern)) return pattern.length * maxTimes
  return stepsToRead(pattern) + expandedSteps(pattern)
}

/** Steps for a property such as `\pL`, which has hundreds of ranges. */
const propertySteps = 20
/** Steps for a range of letters of which the engine looks up each one, to fold its case. */
const foldedSteps = 250

/** The steps that are taken once, however often a class is repeated. */
function stepsToRead(pattern: string): number {
  const count = (part: RegExp) => pattern.match(part)?.length ?? 0
  const folded = /\(\?[A-Za-z-]*i/.test(pattern) ? count(/-(?:[^\0-\x7f]|\\[ux\d])/g) : 0
  return folded * foldedSteps + count(/\\p/gi) * propertySteps + count(/\\/g)
}

function expandedSteps(pattern: string): number {
  const outer: number[] = []
  let total = 0
  let last = 0
  for (const [text, from, , to] of pattern.matchAll(token)) {
    if (text === '(') {
      outer.push(total)
      total = 2
      last = 0
    } else if (text === ')') {
      last = total
      total += outer.pop() ?? 0
    } else if (from !== undefined && from !== '') {
      const times = Math.max(1, Number(to === '' ? from : to))
      total += (last + 1) * Math.min(times, maxTimes) - last
    } else {
      last = 1
      total += 1
    }
  }
  return outer.reduce((sum, each) => sum + each, total)
}
