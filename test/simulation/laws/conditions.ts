import {
  beforeAnyTransition,
  type CommonStatus,
  type Condition,
  type StoredObject,
} from '../../../operator/api/kind.ts'
import type { WriteLaw } from './law.ts'

const conditionsIn = (object: StoredObject | undefined): readonly Condition[] =>
  (object?.status as CommonStatus | undefined)?.conditions ?? [] // of a kind of ours, or without the field

function isTrue(object: StoredObject, type: string): boolean {
  return conditionsIn(object).some((each) => each.type === type && each.status === 'True')
}

/** Types of which at most one is true. */
const exclusive = ['Ready', 'Reconciling', 'Stalled']

/** Laws of the conditions that the operator writes. */
export const conditionLaws: readonly WriteLaw[] = [
  {
    law: 'The time of a condition changes with its status alone, and is never an earlier one.',
    problem({ served, type, before, object }, { features, server }) {
      if (!served.ours || type === 'DELETED' || !server.storage.writer) return undefined
      for (const { type: name, status, lastTransitionTime: is } of conditionsIn(object)) {
        const was = conditionsIn(before).find((each) => each.type === name)
        if (!was || was.lastTransitionTime === beforeAnyTransition) continue
        const text = `${name} was ${was.status} since ${was.lastTransitionTime}, is ${status} since ${is}`
        const isKept = was.status === status
        const isEarlier = Date.parse(is) < Date.parse(was.lastTransitionTime) && !features.clocks
        if (isKept ? is !== was.lastTransitionTime : isEarlier) return text
      }
      return undefined
    },
  },
  {
    law: 'A status has each condition once, of the same generation, and at most one that excludes others is true.',
    problem({ served, type, object }, { server }) {
      if (!served.ours || type === 'DELETED' || !server.storage.writer) return undefined
      const { observedGeneration } = (object.status ?? {}) as CommonStatus
      const conditions = conditionsIn(object)
      if (new Set(conditions.map((each) => each.type)).size < conditions.length) return 'one is there twice'
      const other = conditions.find(
        ({ observedGeneration: own, lastTransitionTime }) =>
          own !== observedGeneration && lastTransitionTime !== beforeAnyTransition,
      )
      if (other && observedGeneration !== undefined)
        return `${other.type} is of ${other.observedGeneration}, the status of ${observedGeneration}`
      const all = exclusive.filter((each) => isTrue(object, each))
      return all.length > 1 ? `${all.join(' and ')} are true` : undefined
    },
  },
]
