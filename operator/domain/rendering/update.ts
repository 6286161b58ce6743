import type { PatchOperation } from '../../api/deployment-delta.ts'
import type { FreeForm } from '../../api/schema.ts'
import { Problem } from '../base/errors.ts'
import { escapeToken, isIndexed, isObject, pointerSteps } from '../base/json.ts'
import { Patcher, parseOperation } from '../delta/patch.ts'

const operations = ['add', 'replace', 'remove']
const where = "the output 'update'"

/**
 * The module after the JSON Patch that the definition of its workload gives as the output `update`. An `add` makes the
 * objects on its path that do not exist, and the list that it appends to. Throws Problem for a patch that does not apply.
 */
export function withUpdate(module: FreeForm, update: readonly unknown[]): FreeForm {
  const patcher = new Patcher('module', where)
  let result: unknown = module
  for (const each of update.map(operationOf)) {
    for (const parent of each.op === 'add' ? missingParents(result, each.path) : [])
      result = patcher.apply(result, parseOperation(parent, 'module', where))
    result = patcher.apply(result, parseOperation(each, 'module', where))
  }
  return result as FreeForm // an operation replaces the whole document by an object alone
}

function operationOf(value: unknown): PatchOperation {
  const { op, path, value: given } = isObject(value) ? value : {}
  if (typeof op !== 'string' || !operations.includes(op) || typeof path !== 'string')
    throw new Problem(
      'Invalid',
      `${where} must list operations with 'op' (${operations.join(', ')}) and 'path'`,
    )
  return { op, path, ...(given === undefined ? {} : { value: given }) } as PatchOperation // checked above
}

function missingParents(module: unknown, path: string): PatchOperation[] {
  const missing: PatchOperation[] = []
  let holder: unknown = module
  let at = ''
  const steps = pointerSteps(path)
  for (const [i, step] of steps.slice(0, -1).entries()) {
    at += `/${escapeToken(step)}`
    const next = isIndexed(holder) ? holder[step] : undefined
    if (next === undefined && !Array.isArray(holder))
      missing.push({ op: 'add', path: at, value: steps[i + 1] === '-' ? [] : {} })
    holder = next
  }
  return missing
}
