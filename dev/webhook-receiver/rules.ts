import { withoutQuery } from './calls.ts'

export const deeds = ['status', 'hang', 'slow', 'reset', 'redirect', 'flood'] as const

/** How calls to a path are treated. */
export interface Rule {
  readonly path: string
  /** Calls that it is for, -1 for all. */
  readonly times: number
  readonly do: (typeof deeds)[number]
  readonly status: number
  /** Where a redirect leads. */
  readonly location: string
  /** Before a slow answer. */
  readonly delayMs: number
}

/** A rule with what need not be said left out: once, 500 or, for a redirect, 307, and 200 for a slow answer. */
export type RuleGiven = Pick<Rule, 'path' | 'do'> & Partial<Rule>

export type Rules = ReturnType<typeof createRules>

/** The rules in force; the first that fits a call and is not used up is used. */
export function createRules() {
  let rules: { readonly rule: Rule; used: number }[] = []
  return {
    /** Throws when the rule is wrong. */
    add(given: Readonly<Record<string, unknown>>): void {
      rules.push({ rule: ruleOf(given), used: 0 })
    },
    /** The rule for a call, which counts as used then. */
    next(path: string): Rule | undefined {
      const found = rules.find(
        ({ rule, used }) => rule.path === withoutQuery(path) && (rule.times === -1 || used < rule.times),
      )
      if (found) found.used += 1
      return found?.rule
    },
    show: () => rules.map(({ rule, used }) => ({ ...rule, used })),
    clear(): void {
      rules = []
    },
  }
}

const usualStatus: Readonly<Record<Rule['do'], number>> = {
  status: 500,
  hang: 200,
  slow: 200,
  reset: 200,
  redirect: 307,
  flood: 200,
}

function ruleOf(given: Readonly<Record<string, unknown>>): Rule {
  const { path, location } = given
  if (typeof path !== 'string' || !path.startsWith('/')) throw new Error("a rule needs a 'path'")
  const deed = deeds.find((each) => each === given['do'])
  if (deed === undefined) throw new Error(`'do' of a rule must be one of: ${deeds.join(', ')}`)
  return {
    path,
    do: deed,
    times: numberOr(given['times'], 1),
    status: numberOr(given['status'], usualStatus[deed]),
    location: typeof location === 'string' ? location : 'https://127.0.0.1:1/',
    delayMs: numberOr(given['delayMs'], 1000),
  }
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isInteger(value) ? value : otherwise
}
