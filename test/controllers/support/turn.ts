import type { Kind } from '../../../operator/api/kind.ts'
import type { Turn } from '../../../operator/kube/loop/controller.ts'

/** A turn of a loop in which nobody else waits and nothing is written. */
export function silentTurn<K extends Kind>(changes: Partial<Turn<K>> = {}): Turn<K> {
  return { isSweep: false, apart: (work) => work(), report: async () => {}, ...changes }
}
