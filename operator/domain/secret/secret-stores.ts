import type { FreeForm } from '../../api/schema.ts'
import { isObject } from '../base/json.ts'
import type { ObjectProblem } from '../base/object-problem.ts'

/** Whether a leaf of secret references names a secret store instead of a Secret of the organization. */
export function isStoreReference(
  value: unknown,
): value is { readonly store?: unknown; readonly ref: string } {
  return isObject(value) && typeof value['secret'] !== 'string' && typeof value['ref'] === 'string'
}

/** The problem of a reference into a secret store. Secret stores are not supported yet. */
export function problemOfStore({ store }: { readonly store?: unknown }, where: string): ObjectProblem {
  const name = typeof store === 'string' ? store : ''
  return {
    reason: 'StoreNotFound',
    message: `${where} refers to the secret store '${name}', which is not known`,
  }
}

/** The problems of all references into secret stores in `refs`, which is at `path` of `owner`. */
export function problemsOfStores(refs: FreeForm, path: string, owner: string): ObjectProblem[] {
  const visit = (value: unknown, at: string): ObjectProblem[] => {
    if (isStoreReference(value)) return [problemOfStore(value, `${owner}'${at}'`)]
    if (Array.isArray(value)) return value.flatMap((item, index) => visit(item, `${at}.${index}`))
    if (!isObject(value) || typeof value['secret'] === 'string') return []
    return Object.entries(value).flatMap(([key, item]) => visit(item, `${at}.${key}`))
  }
  return Object.entries(refs).flatMap(([key, item]) => visit(item, `${path}.${key}`))
}
