import type { CodeOptions } from 'ajv'
import type { RE2JS } from 're2js'
import { compileLinear } from '../base/linear-regexp.ts'

const maxHeldBytes = 4 * 1_048_576
const maxHeldBytesOfAll = 64 * 1_048_576
/** Minimum that a schema counts as, to bound their number. */
const leastHeldBytes = 4096

/** Patterns that run in linear time and report their work. */
interface MeteredPatterns {
  /** The engine for Ajv. */
  readonly engine: NonNullable<CodeOptions['regExp']>
  /** Frees the automata of the patterns when they have become large. */
  forget(): void
}

/** The patterns of one schema. */
type Holders = ReadonlyMap<string, { automaton: Automaton | undefined }>

// One memory budget for the whole process; the least recently used schemas are freed first.
const remembering = new Map<Holders, number>()
let heldByAll = 0

interface Automaton {
  readonly compiled: RE2JS
  readonly test: (text: string) => boolean
}

/** An engine for the patterns of one schema. Calls `spend` before each unit of work; `spend` may throw. */
export function createMeteredPatterns(spend: (steps: number) => void): MeteredPatterns {
  const known = new Map<string, { automaton: Automaton | undefined }>()
  const take = (pattern: string) => {
    const holder = known.get(pattern) ?? { automaton: undefined }
    known.set(pattern, holder)
    return holder
  }
  const engine = (pattern: string) => {
    const holder = take(pattern)
    holder.automaton ??= automatonOf(pattern, spend)
    return {
      test(text: string): boolean {
        holder.automaton ??= automatonOf(pattern, spend)
        return holder.automaton.test(text)
      },
      // Ajv uses the text as the cache key of a pattern.
      toString: () => pattern,
    }
  }
  return {
    engine: Object.assign(engine, { code: 'linearRegExp' }),
    forget() {
      let held = 0
      for (const { automaton } of known.values()) held += heldBytes(automaton)
      release(known)
      if (held > maxHeldBytes) drop(known)
      else if (held > 0) remember(known, Math.max(held, leastHeldBytes))
    },
  }
}

/** Counts the memory of a schema, and frees other schemas when the total is too large. */
function remember(holders: Holders, held: number): void {
  remembering.set(holders, held)
  heldByAll += held
  for (const [oldest] of remembering) {
    if (heldByAll <= maxHeldBytesOfAll) return
    release(oldest)
    drop(oldest)
  }
}

function release(holders: Holders): void {
  heldByAll -= remembering.get(holders) ?? 0
  remembering.delete(holders)
}

function drop(holders: Holders): void {
  for (const holder of holders.values()) holder.automaton = undefined
}

function heldBytes(automaton: Automaton | undefined): number {
  const dfa = automaton?.compiled.re2Input.lazyDFA
  return dfa ? dfa.maxMem - dfa.memBudget : 0
}

/**
 * Meters the engine by hooks on its internals. It builds an automaton lazily, which takes most of the time. For a text that
 * has no automaton, the time is the length of the text times that of the pattern.
 */
function automatonOf(pattern: string, spend: (steps: number) => void): Automaton {
  const compiled = compileLinear(pattern)
  const { re2Input } = compiled
  const { dfa } = re2Input
  const [step, match] = [dfa.step.bind(dfa), dfa.match.bind(dfa)]
  dfa.step = (state: { readonly nfaStates: readonly number[] }, ...rest: [unknown, unknown, unknown]) => {
    spend(2 + state.nfaStates.length / 2)
    return step(state, ...rest)
  }
  let length = 0
  dfa.match = (...given: Parameters<typeof match>) => {
    const result: unknown = match(...given)
    if (result === null) spend(length * re2Input.numberOfInstructions())
    return result
  }
  return {
    compiled,
    test(text) {
      length = text.length
      spend(length / 8)
      return compiled.test(text)
    },
  }
}
