/** Characters of words in one pass, to bound the memory. */
const mostAtOnce = 1 << 20

/** A word, and the index of the first text that holds it. */
export interface Occurrence {
  readonly word: string
  readonly index: number
}

/**
 * All words that occur in the texts, each with the first text that contains it. Linear in the lengths of words and texts,
 * also for hostile input (Aho–Corasick). Within one pass, words of earlier texts come first.
 */
export function* occurrencesOf(
  words: Iterable<string>,
  texts: readonly string[],
): Generator<Occurrence, void, undefined> {
  for (const some of inParts(words)) yield* search(some, texts)
}

/** The text with all parts that words cover replaced by `mark`. Linear too. */
export function withoutWords(text: string, words: Iterable<string>, mark: string): string {
  /** Length of the longest word that ends at each position. */
  const lengths = new Int32Array(text.length)
  for (const some of inParts(words)) {
    const { next, endAt, wordAt } = createAutomaton(some)
    let node = 0
    for (let at = 0; at < text.length; at += 1) {
      node = next(node, text.charCodeAt(at))
      const end = endAt(node)
      if (end !== 0) lengths[at] = Math.max(lengths[at] ?? 0, wordAt(end).length)
    }
  }
  const kept: string[] = []
  let begin = text.length // start of the part that is processed
  for (let at = text.length - 1; at >= 0; at -= 1) {
    if (lengths[at] === 0) continue
    kept.push(text.slice(at + 1, begin))
    let from = at + 1 - (lengths[at] ?? 0)
    for (; at > from; at -= 1) from = Math.min(from, at - (lengths[at - 1] ?? 0))
    begin = from
  }
  kept.push(text.slice(0, begin))
  return kept.reverse().join(mark)
}

function* inParts(words: Iterable<string>): Generator<string[]> {
  let part: string[] = []
  let length = 0
  for (const word of new Set(words)) {
    if (word === '') continue
    if (part.length > 0 && length + word.length > mostAtOnce) {
      yield part
      part = []
      length = 0
    }
    part.push(word)
    length += word.length
  }
  if (part.length > 0) yield part
}

function* search(words: readonly string[], texts: readonly string[]): Generator<Occurrence> {
  const { next, endAt, wordAt } = createAutomaton(words)
  const reported = new Set<number>()
  for (const [index, text] of texts.entries()) {
    let node = 0
    for (let at = 0; at < text.length; at += 1) {
      node = next(node, text.charCodeAt(at))
      // All suffixes of a reported word are reported too.
      for (let end = endAt(node); end !== 0 && !reported.has(end); end = endAt(end, true)) {
        reported.add(end)
        yield { word: wordAt(end), index }
      }
    }
  }
}

/** A trie of all words, with the root 0. Each node links to the node of its longest proper suffix. */
function createAutomaton(words: readonly string[]) {
  const length = words.reduce((sum, word) => sum + word.length, 0)
  const parents = new Int32Array(length + 1)
  const units = new Uint16Array(length + 1)
  const shorter = new Int32Array(length + 1)
  /** For each node the number of its word, from 1, and the next node on its suffix path that is a word. */
  const numbers = new Int32Array(length + 1)
  const shorterWords = new Int32Array(length + 1)
  // A hash table with open addressing of nodes by parent and character, at most half full.
  const mask = 2 ** Math.ceil(Math.log2(2 * length + 2)) - 1
  const slots = new Int32Array(mask + 1)
  let count = 0

  function slotOf(parent: number, unit: number): number {
    let hash = Math.imul(parent, 0x9e3779b1) ^ Math.imul(unit + 1, 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
    let slot = (hash ^ (hash >>> 13)) & mask
    for (let node = slots[slot]; node; node = slots[slot]) {
      if (parents[node] === parent && units[node] === unit) break
      slot = (slot + 1) & mask
    }
    return slot
  }

  const child = (parent: number, unit: number) => slots[slotOf(parent, unit)] ?? 0

  function next(node: number, unit: number): number {
    let from = node
    for (;;) {
      const to = child(from, unit)
      if (to !== 0 || from === 0) return to
      from = shorter[from] ?? 0
    }
  }

  function endAt(node: number, isOther = false): number {
    return !isOther && numbers[node] !== 0 ? node : (shorterWords[node] ?? 0)
  }

  function grow(parent: number, unit: number): number {
    const slot = slotOf(parent, unit)
    const known = slots[slot] ?? 0
    if (known !== 0) return known
    count += 1
    parents[count] = parent
    units[count] = unit
    shorter[count] = parent === 0 ? 0 : next(shorter[parent] ?? 0, unit)
    shorterWords[count] = endAt(shorter[count] ?? 0)
    slots[slot] = count
    return count
  }

  // Breadth first: all nodes that are shorter than a new node exist and are complete.
  const nodes = new Int32Array(words.length)
  let rest = [...words.keys()]
  for (let depth = 0; rest.length > 0; depth += 1) {
    for (const each of rest) nodes[each] = grow(nodes[each] ?? 0, words[each]?.charCodeAt(depth) ?? 0)
    for (const each of rest) if (words[each]?.length === depth + 1) numbers[nodes[each] ?? 0] = each + 1
    rest = rest.filter((each) => (words[each]?.length ?? 0) > depth + 1)
  }

  return { next, endAt, wordAt: (node: number) => words[(numbers[node] ?? 0) - 1] ?? '' }
}
