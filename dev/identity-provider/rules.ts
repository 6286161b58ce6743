/** What can become of a call as a whole; `partial` answers the issuer and nothing else. */
export const callDeeds = [
  'status',
  'garbage',
  'empty',
  'partial',
  'hang',
  'reset',
  'redirect',
  'flood',
] as const

/** What can be wrong with the statement that a code is given for. */
export const tokenDeeds = [
  'nonce',
  'no-nonce',
  'audience',
  'issuer',
  'expired',
  'signature',
  'none',
  'hs256',
] as const

export type CallDeed = (typeof callDeeds)[number]
export type TokenDeed = (typeof tokenDeeds)[number]

/** How calls to a path are treated; what is wrong with a statement can be for the path `/token` alone. */
export interface Rule {
  readonly path: string
  readonly do: CallDeed | TokenDeed
  /** Calls that it is for, -1 for all. */
  readonly times: number
}

/** A rule, for one call by default. */
export type RuleGiven = Omit<Rule, 'times'> & Partial<Rule>

export type Rules = ReturnType<typeof createRules>

/** The rules in force; the first that fits a call and is not used up is used. */
export function createRules() {
  let rules: { readonly rule: Rule; used: number }[] = []
  return {
    /** Throws when the rule is wrong. */
    add(given: Readonly<Record<string, unknown>>): void {
      rules.push({ rule: ruleOf(given), used: 0 })
    },
    /** What is to become of a call, which counts as used then. */
    next<T extends Rule['do']>(path: string, deeds: readonly T[]): T | undefined {
      for (const each of rules) {
        const { rule } = each
        const deed = deeds.find((one) => one === rule.do)
        if (deed === undefined || rule.path !== path || each.used === rule.times) continue
        each.used += 1
        return deed
      }
      return undefined
    },
    show: () => rules.map(({ rule, used }) => ({ ...rule, used })),
    clear(): void {
      rules = []
    },
  }
}

function ruleOf({ path, do: given, times = 1 }: Readonly<Record<string, unknown>>): Rule {
  if (typeof path !== 'string' || !path.startsWith('/')) throw new Error("a rule needs a 'path'")
  if (typeof times !== 'number') throw new Error("'times' of a rule must be a number")
  const deeds = [...callDeeds, ...tokenDeeds]
  const deed = deeds.find((each) => each === given)
  if (deed === undefined) throw new Error(`'do' of a rule must be one of: ${deeds.join(', ')}`)
  return { path, do: deed, times }
}
