import type { FreeForm } from '../../api/schema.ts'
import { Problem } from '../base/errors.ts'
import { escapeToken, ownValue } from '../base/json.ts'
import type { DeltaContent, SetContent } from '../delta/delta.ts'
import { type ConvertedScore, mergeShared } from './convert-score.ts'
import { usersOfShared } from './shared-users.ts'

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

/**
 * The delta that adds modules and shared dependencies to a set. A shared dependency that other modules of the set use gets
 * only params, and only if it has none; throws a Problem when the documents need another one under its key. `expandType`
 * applies overrides: a document always uses the simple name of a type.
 */
export function deltaOfScores(
  base: SetContent,
  { modules, shared }: SetContent,
  expandType: (type: string) => string,
): DeltaContent {
  const users = usersOfShared(base, (id) => !Object.hasOwn(modules, id))
  return {
    modules: { add: modules, remove: [], update: {} },
    shared: Object.entries(shared).map(([key, entry]) => {
      const user = users.get(key)
      const value = user === undefined ? entry : mergeShared(ownValue(base.shared, key), entry, expandType)
      if (value) return { op: 'add', path: `/${escapeToken(key)}`, value }
      const message = `the workload '${user}' uses the shared resource '${key}' with another type, class or params`
      throw new Problem('Conflict', message, { workload_id: user })
    }),
  }
}
