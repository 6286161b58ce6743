import type { PatchOperation } from '../../api/deployment-delta.ts'
import { Problem } from '../base/errors.ts'
import { isObject, ownValue } from '../base/json.ts'
import { problemOfDescriptor } from '../resource/descriptor.ts'
import type { DeltaContent } from './delta.ts'
import { type Layout, normalizeDependency, parseOperation } from './patch.ts'

/** Throws a Problem for changes that put an invalid value in the place of a dependency. */
export function refuseInvalidDependencies({ modules, shared }: DeltaContent): void {
  refuseInvalidOperations(shared, 'shared', 'shared')
  for (const [id, operations] of Object.entries(modules.update))
    refuseInvalidOperations(operations, 'module', `modules.${id}.externals`)
  for (const [id, module] of Object.entries(modules.add)) {
    const externals = (module && ownValue(module, 'externals')) ?? {}
    if (!isObject(externals))
      throw new Problem('Unprocessable', `'modules.${id}.externals' must be an object`)
    for (const [name, value] of Object.entries(externals))
      refuseInvalid(value, `modules.${id}.externals.${name}`)
  }
}

function refuseInvalidOperations(operations: readonly PatchOperation[], layout: Layout, place: string): void {
  for (const operation of operations) {
    const { op, tokens, value } = parseOperation(operation, layout, place)
    const inExternals = tokens[0] === 'externals' ? tokens.slice(1) : []
    const [name, ...rest] = layout === 'shared' ? tokens : inExternals
    if (op !== 'remove' && name !== undefined && rest.length === 0) refuseInvalid(value, `${place}.${name}`)
  }
}

/** Throws a Problem for an invalid dependency; `resourceId` applies unless the dependency has an id. */
function refuseInvalid(value: unknown, resourceId: string): void {
  const dependency = normalizeDependency(value)
  const { type, class: resourceClass, id } = isObject(dependency) ? dependency : {}
  if (typeof type !== 'string')
    throw new Problem('Unprocessable', `'${resourceId}' must be an object with a 'type'`)
  if (typeof resourceClass !== 'string' && resourceClass !== undefined && resourceClass !== null)
    throw new Problem('Unprocessable', `the 'class' of '${resourceId}' must be a string`)
  const problem = problemOfDescriptor({
    type,
    class: resourceClass ?? undefined,
    resourceId: id === undefined ? resourceId : undefined,
  })
  if (problem) throw new Problem('Invalid', `'${resourceId}': ${problem}`)
}
