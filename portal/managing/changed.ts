import { sameJson } from '../../operator/domain/base/json.ts'

/** The value if it differs from the one that a form began with; undefined keeps what is stored, also what another user changed. */
export function changed<T>(value: T, before: unknown): T | undefined {
  return sameJson(value, before) ? undefined : value
}
