/** How calls are treated badly: with a status, or by closing the connection. */
export interface Rule {
  /** Beginning of the path. */
  readonly path: string
  readonly do: 'status' | 'reset'
  /** 503 when absent. */
  readonly status?: number
  /** How often; always when absent. */
  readonly times?: number
}

export type Rules = ReturnType<typeof createRules>

/** The rules in force; the first that fits a call and is not used up is used. */
export function createRules() {
  let rules: { readonly rule: Rule; used: number }[] = []
  return {
    add(rule: Rule): void {
      rules.push({ rule, used: 0 })
    },
    /** The rule for a call, which counts as used then. */
    next(path: string): Rule | undefined {
      const found = rules.find(
        ({ rule, used }) => path.startsWith(rule.path) && used < (rule.times ?? Infinity),
      )
      if (found) found.used += 1
      return found?.rule
    },
    clear(): void {
      rules = []
    },
  }
}
