import type { FreeForm } from '../../api/schema.ts'
import { Problem } from '../base/errors.ts'
import { isObject, ownValue } from '../base/json.ts'
import { firstMisspelt } from '../base/nearest.ts'
import { truncate } from '../base/size-limits.ts'
import { problemOfDescriptor } from '../resource/descriptor.ts'
import type { DeltaContent } from './delta.ts'
import { normalizeDependency, parseOperation } from './patch.ts'

/** Throws a Problem for changes that put an invalid value in the place of a dependency, of its parts, or of all. */
export function refuseInvalidDependencies({ modules, shared }: DeltaContent): void {
  for (const operation of shared) {
    const { op, tokens, value } = parseOperation(operation, 'shared', 'shared')
    if (op !== 'remove') refuseInvalidPart(value, tokens, 'shared')
  }
  for (const [id, operations] of Object.entries(modules.update)) {
    for (const operation of operations) {
      const { op, tokens, value } = parseOperation(operation, 'module', `module '${id}'`)
      const [first, ...rest] = tokens
      if (op === 'remove') continue
      if (first === undefined) refuseInvalidModule(id, value)
      else if (first === 'externals') refuseInvalidPart(value, rest, `modules.${id}.externals`)
    }
  }
  for (const [id, module] of Object.entries(modules.add)) refuseInvalidModule(id, module)
}

function refuseInvalidModule(id: string, module: unknown): void {
  if (isObject(module)) refuseInvalidPart(ownValue(module, 'externals'), [], `modules.${id}.externals`)
}

/** Throws a Problem for an invalid value under a map of dependencies: for all, for one, or for a part of one. */
function refuseInvalidPart(value: unknown, [name, part, ...rest]: readonly string[], place: string): void {
  if (name === undefined) {
    const all = value ?? {}
    if (!isObject(all)) throw new Problem('Unprocessable', `'${place}' must be an object`)
    for (const [key, each] of Object.entries(all)) refuseInvalid(each, `${place}.${key}`)
  } else if (part === undefined) refuseInvalid(value, `${place}.${name}`)
  else if (rest.length === 0)
    // The other parts of the dependency are not known here.
    refuseInvalid({ type: 'any', id: 'any', [part]: value }, `${place}.${name}`)
}

/** Throws a Problem for an invalid dependency; `resourceId` applies unless the dependency has an id. */
function refuseInvalid(value: unknown, resourceId: string): void {
  const dependency = normalizeDependency(value)
  const flaw = flawOf(dependency)
  if (flaw) throw new Problem('Unprocessable', `'${resourceId}' has ${flaw}`)
  const { type, class: resourceClass, id } = dependency as Dependency // as its form says
  const problem = problemOfDescriptor({
    type,
    class: resourceClass ?? undefined,
    resourceId: id || resourceId,
  })
  if (problem) throw new Problem('Invalid', `'${resourceId}': ${problem}`)
}

/** A part that is null is absent. */
interface Dependency {
  readonly type: string
  readonly class?: string | null
  readonly id?: string | null
}

/** What is wrong with the form of a dependency, for a message that says that it has this. */
export function flawOf(dependency: unknown): string | undefined {
  const { type, class: resourceClass, id, params } = isObject(dependency) ? dependency : {}
  if (typeof type !== 'string' || type === '') return 'no type'
  if (typeof (resourceClass ?? '') !== 'string') return 'a class that is not a text'
  if (typeof (id ?? '') !== 'string') return 'an id that is not a text'
  if (!isObject(params ?? {})) return 'params that are not an object'
  return isObject(dependency) ? misspeltFieldOf(dependency, dependencyFields) : undefined
}

const dependencyFields = ['type', 'class', 'id', 'params']

/** Names the first field that misspells an absent one. Others are ignored: sets from elsewhere may have some. */
export function misspeltFieldOf(value: FreeForm, fields: readonly string[]): string | undefined {
  const absent = fields.filter((name) => isBlank(value[name]))
  const unknown = Object.keys(value).filter((name) => !fields.includes(name) && !isBlank(value[name]))
  const found = firstMisspelt(unknown, absent)
  return found && `the unknown field '${truncate(found.wrong, 63)}'; did you mean '${found.meant}'?`
}

/** Whether a field says nothing: a module without dependencies has an empty map of them. */
export function isBlank(value: unknown): boolean {
  return (value ?? undefined) === undefined || (isObject(value) && Object.keys(value).length === 0)
}
