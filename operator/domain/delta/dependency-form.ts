import type { PatchOperation } from '../../api/deployment-delta.ts'
import { Problem } from '../base/errors.ts'
import { isObject, ownValue } from '../base/json.ts'
import { problemOfDescriptor } from '../resource/descriptor.ts'
import type { DeltaContent } from './delta.ts'
import { type Layout, normalizeDependency, parseOperation } from './patch.ts'

/** Refuses changes that put where a dependency belongs what can never be one. */
export function refuseUnfitDependencies({ modules, shared }: DeltaContent): void {
  refuseUnfitOperations(shared, 'shared', 'shared')
  for (const [id, operations] of Object.entries(modules.update))
    refuseUnfitOperations(operations, 'module', `modules.${id}.externals`)
  for (const [id, module] of Object.entries(modules.add)) {
    const externals = module && ownValue(module, 'externals')
    for (const [name, value] of Object.entries(isObject(externals) ? externals : {}))
      refuseUnfit(value, `modules.${id}.externals.${name}`)
  }
}

function refuseUnfitOperations(operations: readonly PatchOperation[], layout: Layout, place: string): void {
  for (const operation of operations) {
    const { op, tokens, value } = parseOperation(operation, layout, place)
    const inExternals = tokens[0] === 'externals' ? tokens.slice(1) : []
    const [name, ...rest] = layout === 'shared' ? tokens : inExternals
    if (op !== 'remove' && name !== undefined && rest.length === 0) refuseUnfit(value, `${place}.${name}`)
  }
}

/** Refuses what is no dependency; `resourceId` is the one that it has unless it gives an id of its own. */
function refuseUnfit(value: unknown, resourceId: string): void {
  const dependency = normalizeDependency(value)
  const { type, class: resourceClass, id } = isObject(dependency) ? dependency : {}
  if (typeof type !== 'string')
    throw new Problem('Unprocessable', `'${resourceId}' must be an object with a 'type'`)
  if (typeof resourceClass !== 'string' && resourceClass !== undefined && resourceClass !== null)
    throw new Problem('Unprocessable', `the 'class' of '${resourceId}' must be a string`)
  const problem = problemOfDescriptor({
    type,
    ...(typeof resourceClass === 'string' ? { class: resourceClass } : {}),
    ...(id === undefined ? { resourceId } : {}),
  })
  if (problem) throw new Problem('Invalid', `'${resourceId}': ${problem}`)
}
