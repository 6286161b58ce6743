import type { FreeForm } from '../../operator/api/schema.ts'
import { sameJson } from '../../operator/domain/base/json.ts'
import { ApiProblem } from '../api/problem.ts'

/** The value if it differs from the one that a form began with; undefined keeps what is stored, also what another user changed. */
export function changed<T>(value: T, before: unknown): T | undefined {
  return sameJson(value, before) ? undefined : value
}

/** The fields that the body of a PATCH replaces as a whole. */
export function replacedFields(body: object): readonly string[] {
  return Object.entries(body).flatMap(([field, value]) => (value === undefined ? [] : [field]))
}

/** Whether one of the fields differs between two states of an object. */
export function differsIn(fields: readonly string[], before: object, after: object): boolean {
  const [left, right]: FreeForm[] = [{ ...before }, { ...after }]
  return fields.some((field) => !sameJson(left?.[field], right?.[field]))
}

/** Someone else has changed the object of a form, so nothing was sent. */
export class ChangedMeanwhile extends ApiProblem {
  /** Begins the form again with the present object. */
  readonly load: () => void

  constructor(what: string, load: () => void) {
    super(412, 'ChangedMeanwhile', `someone else has changed ${what} since you opened it`)
    this.load = load
  }
}
