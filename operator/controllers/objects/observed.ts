type LoopField = 'conditions' | 'observedGeneration' | 'attempts' | 'nextAttemptTime'

/** Returns the fields of a status without those that the reconcile loop writes. */
export function observedOf<S extends object>({ status }: { readonly status?: S }): Omit<S, LoopField> {
  const {
    conditions: _,
    observedGeneration: __,
    attempts: ___,
    nextAttemptTime: ____,
    ...observed
  } = (status ?? {}) as S & Partial<Record<LoopField, unknown>> // a status may lack all of its fields
  return observed
}
