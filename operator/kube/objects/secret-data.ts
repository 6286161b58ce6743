import type { KubeObject } from '../../api/kind.ts'
import type { FreeForm } from '../../api/schema.ts'
import { isObject } from '../../domain/base/json.ts'

/**
 * A Secret whose `stringData` is part of its `data`: the API server does not know which keys of `data` come from an applied
 * `stringData`, so it would keep those that are no longer given. It refuses a malformed one itself.
 */
export function withOwnedData(object: KubeObject): KubeObject {
  const { stringData: texts, ...rest } = object as KubeObject & FreeForm // of a Secret, or absent
  if (object.apiVersion !== 'v1' || object.kind !== 'Secret' || !isObject(texts)) return object
  if (!Object.values(texts).every((text) => typeof text === 'string')) return object
  const { data = {} } = rest
  if (!isObject(data)) return object
  const encoded = Object.entries(texts).map(([key, text]) => [
    key,
    Buffer.from(String(text)).toString('base64'),
  ])
  return { ...rest, data: { ...data, ...Object.fromEntries(encoded) } }
}
