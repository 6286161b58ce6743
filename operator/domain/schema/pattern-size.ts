const token = /\\(?:[pPux]\{[^}]*\}|.)|\[\^?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\{(\d*)(,?)(\d*)\}|./gsu

/** Times that the engine repeats a part at most, all repetitions around it multiplied. */
const maxTimes = 1000

/** About how many steps a pattern has once each part is written as often as it may come. */
export function stepsOf(pattern: string): number {
  // What others read as the end of a class or of a group may be none: the most that can be.
  if (/\[\^?\]|\\Q/.test(pattern)) return pattern.length * maxTimes
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
