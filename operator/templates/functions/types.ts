import { FunctionFault } from '../limits.ts'
import { type Functions, isDict, typeName } from '../values.ts'

/** Functions of types, with Go's names, and the choice by a boolean. */
export const typeFunctions: Functions = {
  kindOf,
  kindIs: (kind, value) => kindOf(value) === kind,
  typeOf: typeName,
  typeIs: (type, value) => typeName(value) === type,
  typeIsLike: (type, value) => typeName(value) === type || typeName(value) === `*${String(type)}`,
  ternary: (yes, no, test) => {
    if (typeof test !== 'boolean') throw new FunctionFault(`takes true or false last, not ${typeName(test)}`)
    return test ? yes : no
  },
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'invalid'
  if (Array.isArray(value)) return 'slice'
  if (value instanceof Date) return 'struct'
  return isDict(value) ? 'map' : typeName(value)
}
