import type { FreeForm } from '../../api/schema.ts'
import { isObject, ownValue } from '../base/json.ts'

/**
 * The schemas of `values` and `secrets` in a schema of outputs or driver inputs, with or without the outer `properties`.
 * Each can be used alone.
 */
export function partsOf(schema: FreeForm): {
  readonly values: FreeForm | undefined
  readonly secrets: FreeForm | undefined
} {
  const known = partsCache.get(schema)
  if (known) return known
  const properties = ownValue(schema, 'properties')
  const holder = isObject(properties) ? properties : schema
  const parts = {
    values: partOf(schema, ownValue(holder, 'values')),
    secrets: partOf(schema, ownValue(holder, 'secrets')),
  }
  partsCache.set(schema, parts)
  return parts
}

const partsCache = new WeakMap<FreeForm, ReturnType<typeof partsOf>>()

/** The schema of a part with the definitions of the root, because references such as `#/$defs/port` start at the root. */
function partOf(root: FreeForm, part: unknown): FreeForm | undefined {
  if (part === false) return { not: {} }
  if (!isObject(part)) return undefined
  const definitions = ['$defs', 'definitions'].flatMap((key) => {
    const [ofPart, ofRoot] = [ownValue(part, key), ownValue(root, key)]
    return isObject(ofRoot) ? [[key, { ...(isObject(ofPart) ? ofPart : {}), ...ofRoot }] as const] : []
  })
  const dialect = ownValue(root, '$schema')
  return {
    ...(dialect === undefined ? {} : { $schema: dialect }),
    ...part,
    ...Object.fromEntries(definitions),
  }
}
