import { isObject } from './validate.ts'

const deeds = ['status', 'reset', 'hang', 'slow', 'garbage', 'flood', 'redirect'] as const
const commits = ['before', 'after', 'never'] as const

/** How the server treats the calls that a rule fits. */
export interface Rule {
  readonly match: { readonly method?: string; readonly path?: string; readonly token?: string }
  /** Calls that it is for, -1 for all; one when not given. */
  readonly times: number
  /** Calls that fit and are let through first. */
  readonly after: number
  readonly do: (typeof deeds)[number]
  readonly status: number
  readonly errors: readonly { readonly code: number; readonly message: string }[]
  /** Seconds, for the header `retry-after`. */
  readonly retryAfter?: number
  /**
   * Before a slow answer, between the drops of a flood; otherwise how long after the bad answer the operation is done
   * that is committed after it.
   */
  readonly delayMs: number
  /** When the operation is done: before the bad answer, after it or never. */
  readonly commit: (typeof commits)[number]
  readonly location: string
}

export type Misbehaviour = ReturnType<typeof createMisbehaviour>

/** The rules in force; the first that fits a call is used. */
export function createMisbehaviour() {
  let rules: { rule: Rule; fitted: number; used: number }[] = []
  let listingDelayMs = 0

  return {
    listingDelayMs: () => listingDelayMs,

    /** Adds the rules of a request; throws when one is wrong. */
    add(request: unknown): void {
      if (!isObject(request)) throw new Error('the body must be an object')
      const given = Array.isArray(request.rules) ? request.rules : []
      rules.push(...given.map((each) => ({ rule: ruleOf(each), fitted: 0, used: 0 })))
      if (typeof request.listingDelayMs === 'number') listingDelayMs = request.listingDelayMs
    },

    /** The rule for a call, which counts as used then. */
    next(method: string, path: string, token: string | undefined): Rule | undefined {
      const fitting = rules.filter(({ rule }) => fits(rule, method, path, token))
      for (const state of fitting) {
        if (state.rule.times !== -1 && state.used >= state.rule.times) continue
        state.fitted += 1
        if (state.fitted <= state.rule.after) continue
        state.used += 1
        return state.rule
      }
      return undefined
    },

    show: () => ({ rules: rules.map(({ rule, used }) => ({ ...rule, used })), listingDelayMs }),

    clear(): void {
      rules = []
      listingDelayMs = 0
    },
  }
}

function fits({ match }: Rule, method: string, path: string, token: string | undefined): boolean {
  if (match.method !== undefined && match.method.toUpperCase() !== method) return false
  if (match.token !== undefined && match.token !== token) return false
  return match.path === undefined || path.includes(match.path) || new RegExp(match.path).test(path)
}

function ruleOf(input: unknown): Rule {
  if (!isObject(input)) throw new Error('a rule must be an object')
  const deed = oneOf(input.do, deeds, 'do')
  const match = isObject(input.match) ? input.match : {}
  if (match.path !== undefined) void new RegExp(String(match.path))
  const status = numberOr(input.status, deed === 'redirect' ? 307 : 500)
  return {
    match,
    times: numberOr(input.times, 1),
    after: numberOr(input.after, 0),
    do: deed,
    status,
    errors: Array.isArray(input.errors)
      ? input.errors
      : [{ code: 10000 + status, message: `Status ${status}` }],
    ...(input.retryAfter === undefined ? {} : { retryAfter: numberOr(input.retryAfter, 0) }),
    delayMs: numberOr(input.delayMs, 10),
    commit: oneOf(input.commit ?? (deed === 'slow' ? 'after' : 'never'), commits, 'commit'),
    location: typeof input.location === 'string' ? input.location : 'http://127.0.0.1:1/',
  }
}

function oneOf<T extends string>(value: unknown, allowed: readonly T[], field: string): T {
  const found = allowed.find((each) => each === value)
  if (found === undefined) throw new Error(`'${field}' of a rule must be one of: ${allowed.join(', ')}`)
  return found
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise
}
