import type { FreeForm } from '../../api/schema.ts'
import { isObject } from '../base/json.ts'

/** Distinct names of the Secrets that the leaves of `secretRefs` refer to. */
export function secretNamesIn(refs: FreeForm): string[] {
  const names = new Set<string>()
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit)
    if (!isObject(value)) return
    if (typeof value['secret'] === 'string') names.add(value['secret'])
    else Object.values(value).forEach(visit)
  }
  visit(refs)
  return [...names]
}
