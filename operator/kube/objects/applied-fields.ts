import type { KubeObject, StoredObject } from '../../api/kind.ts'
import type { FreeForm } from '../../api/schema.ts'
import { isObject, sameJson } from '../../domain/base/json.ts'

/**
 * The fields that a field manager applied last, with their current values, as it can apply them again. Undefined when it
 * applied none. Takes an object with `managedFields`; source: FieldsV1 of Kubernetes, "Server-Side Apply".
 */
export function appliedFields(object: StoredObject, manager: string): KubeObject | undefined {
  const { apiVersion, kind, metadata } = object
  const entry = metadata.managedFields?.find(
    (each) => each.manager === manager && each.operation === 'Apply' && !each.subresource,
  )
  if (!entry) return undefined
  const { name, namespace, uid } = metadata
  const fields = fieldsOf(object, entry.fieldsV1 ?? {}) as Partial<KubeObject> // a part of the object
  return { ...fields, apiVersion, kind, metadata: { ...fields.metadata, name, namespace, uid } }
}

/** The part of a value that a set of fields names. A set without members is that of a value that is owned as a whole. */
function fieldsOf(value: unknown, { '.': self, ...members }: FreeForm): unknown {
  const keys = Object.keys(members)
  if (keys.length === 0 && self === undefined) return value
  if (Array.isArray(value)) return value.flatMap((item, index) => itemOf(item, index, members))
  if (!isObject(value)) return value
  return Object.fromEntries(
    keys.flatMap((key) => {
      const name = key.slice('f:'.length)
      return Object.hasOwn(value, name) ? [[name, fieldsOf(value[name], setOf(members[key]))]] : []
    }),
  )
}

/** The part of a list item that a set names: by its keys, its value or its index. */
function itemOf(item: unknown, index: number, members: FreeForm): unknown[] {
  for (const [key, set] of Object.entries(members)) {
    const [how, text] = [key.slice(0, 2), key.slice(2)]
    if (how === 'i:' ? Number(text) === index : how === 'v:' && sameJson(JSON.parse(text), item))
      return [item]
    if (how !== 'k:' || !isObject(item)) continue
    const keys = JSON.parse(text) as FreeForm // the form of `k:`
    if (Object.entries(keys).every(([name, value]) => sameJson(item[name], value)))
      return [{ ...keys, ...(fieldsOf(item, setOf(set)) as FreeForm) }] // a part of the item
  }
  return []
}

function setOf(value: unknown): FreeForm {
  return isObject(value) ? value : {}
}
