import type { CodeOptions } from 'ajv'
import type { RE2JS } from 're2js'
import { compileLinear } from '../base/linear-regexp.ts'

const maxHeldBytes = 4 * 1_048_576
const maxHeldBytesOfAll = 64 * 1_048_576
/** What a schema counts for at least, so that there are not too many of them. */
const leastHeldBytes = 4096

/** Patterns that run in linear time and tell how much they do. */
interface MeteredPatterns {
  /** The engine for Ajv. */
  readonly engine: NonNullable<CodeOptions['regExp']>
  /** Lets go of what the patterns remember of texts when it has become much. */
  forget(): void
}

/** The patterns of one schema. */
type Holders = ReadonlyMap<string, { automaton: Automaton | undefined }>

// One budget for the memory of the whole process, however many schemas there are: those used longest ago come first.
const remembering = new Map<Holders, number>()
let heldByAll = 0

interface Automaton {
  readonly compiled: RE2JS
  readonly test: (text: string) => boolean
}

/** An engine for the patterns of one schema; `spend` hears of the work before it is done, and may throw. */
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
      // Ajv takes two patterns of the same text for the same pattern: without this, all of them.
      toString: () => pattern,
    }
  }
  return {
    engine: Object.assign(engine, { code: 'linearRegExp' }),
    forget() {
      let held = 0
      for (const { automaton } of known.values()) held += heldBytes(automaton)
      letGo(known)
      if (held > maxHeldBytes) drop(known)
      else if (held > 0) remember(known, Math.max(held, leastHeldBytes))
    },
  }
}

/** Counts what a schema remembers, and lets others forget when it is too much in all. */
function remember(holders: Holders, held: number): void {
  remembering.set(holders, held)
  heldByAll += held
  for (const [oldest] of remembering) {
    if (heldByAll <= maxHeldBytesOfAll) return
    letGo(oldest)
    drop(oldest)
  }
}

function letGo(holders: Holders): void {
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
 * The engine builds an automaton as texts ask for it, which is where its time goes; a text that it cannot be built
 * for takes the length of the text times that of the pattern.
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
