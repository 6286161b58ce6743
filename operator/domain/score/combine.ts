import type { FreeForm } from '../../api/schema.ts'
import { Problem } from '../base/errors.ts'
import { escapeToken } from '../base/json.ts'
import type { DeltaContent, SetContent } from '../delta/delta.ts'
import { type ConvertedScore, mergeShared } from './convert-score.ts'

/** The modules and shared dependencies of several documents. Throws a Problem for two that contradict each other. */
export function combineScores(converted: readonly ConvertedScore[]): SetContent {
  const modules = new Map<string, FreeForm>()
  const shared = new Map<string, FreeForm>()
  for (const { id, module, shared: needed } of converted) {
    if (modules.has(id)) throw new Problem('Invalid', `two Score documents describe the workload '${id}'`)
    modules.set(id, module)
    for (const [key, entry] of Object.entries(needed)) {
      const merged = mergeShared(shared.get(key), entry)
      if (!merged)
        throw new Problem(
          'Invalid',
          `two Score documents need the shared resource '${key}' with another type, class or params`,
        )
      shared.set(key, merged)
    }
  }
  return { modules: Object.fromEntries(modules), shared: Object.fromEntries(shared) }
}

/** The delta that adds modules and shared dependencies. */
export function deltaOfScores({ modules, shared }: SetContent): DeltaContent {
  return {
    modules: { add: modules, remove: [], update: {} },
    shared: Object.entries(shared).map(([key, value]) => ({
      op: 'add',
      path: `/${escapeToken(key)}`,
      value,
    })),
  }
}
