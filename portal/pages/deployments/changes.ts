/** One change between two deployment sets, in words. */
export interface SetChange {
  readonly sign: '+' | '−' | '~'
  readonly what: string
  /** The value afterwards; undefined for a removal. */
  readonly value: unknown
}

type Json = Readonly<Record<string, unknown>>

/** The content of a deployment set. */
export interface SetContent {
  readonly modules: Json
  readonly shared: Json
}

/** The deployment that another one builds on, as far as the environment has it. */
export function baseOf<T extends { readonly id: string; readonly set_id: string }>(
  deployments: readonly T[],
  from: string,
): T | undefined {
  return deployments.find(({ id, set_id }) => id === from && set_id !== '')
}

export const emptySet: SetContent = { modules: {}, shared: {} }

/** What is different: whole workloads and dependencies that are new or gone, and single values that changed. */
export function changesOf(before: SetContent, after: SetContent): SetChange[] {
  return [
    ...differences(before.modules, after.modules, ['workload']),
    ...differences(before.shared, after.shared, ['shared']),
  ]
}

function differences(before: Json, after: Json, path: readonly string[]): SetChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return names.flatMap((name): SetChange[] => {
    const [old, now] = [before[name], after[name]]
    const here = [...path, name]
    if (JSON.stringify(old) === JSON.stringify(now)) return []
    if (isObject(old) && isObject(now)) return differences(old, now, here)
    const sign = old === undefined ? '+' : now === undefined ? '−' : '~'
    return [{ sign, what: nameOf(here), value: now }]
  })
}

function nameOf([kind = '', name = '', ...rest]: readonly string[]): string {
  return rest.length === 0 ? `${kind} ${name}` : `${kind} ${name}: ${rest.join(' › ')}`
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
