import type { CommonStatus, StoredObject } from '../../../operator/api/kind.ts'
import { conditionOf } from '../../../operator/kube/loop/outcome.ts'
import { servedAs } from '../server/resources.ts'
import type { Storage } from '../server/storage.ts'
import type { WriteLaw } from './law.ts'

/** An Event of Kubernetes. */
interface Recorded extends StoredObject {
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly involvedObject: { readonly kind: string; readonly uid: string }
}

/** Events that are about more than a condition. */
const ofDeletions = new Set(['Detached', 'ForeignObjectsDeleted'])

/** The states `Ready` that an object has had, one after the other. */
function statesOf(storage: Storage, { kind, uid }: Recorded['involvedObject']) {
  return storage
    .changesOf(servedAs(kind))
    .filter(({ object }) => object.metadata.uid === uid)
    .map(({ object }) => conditionOf(object as { status?: CommonStatus }, 'Ready')) // of a kind of ours
    .filter((each, index, all) => {
      const before = all[index - 1]
      return each && (each.status !== before?.status || each.reason !== before.reason)
    })
    .filter((each) => each !== undefined)
}

/** Laws of the Events that the operator records, with the memory that they need. */
export function recordLaws(): readonly WriteLaw[] {
  /** How often each Event was recorded, by object, type and reason. */
  const counts = new Map<string, number>()
  /** The processes that recorded Events: a new one can repeat what the former one did last. */
  const writers = new Set<number>()
  const isRecord = (kind: string, type: string) => kind === 'Event' && type === 'ADDED'
  return [
    {
      law: 'An Event says what the condition of its object says, or said.',
      problem({ served, type, object }, { server: { storage } }) {
        if (!isRecord(served.kind, type)) return undefined
        const { type: severity, reason, message, involvedObject } = object as unknown as Recorded // as its kind says
        if (ofDeletions.has(reason)) return undefined
        const states = statesOf(storage, involvedObject)
        const wanted = severity === 'Warning' ? 'False' : 'True'
        const said = states.some((each) => each.status === wanted && each.reason === reason)
        if (!said) return `${severity} ${reason}: ${message}`
        const [, cause] = /^ready again after (\w+)$/.exec(message) ?? []
        if (severity === 'Warning' || states.some((each) => each.reason === cause)) return undefined
        return `${message}, which it never had`
      },
    },
    {
      law: 'An Event is recorded once for each change of a condition.',
      problem({ served, type, object }, { server: { storage } }) {
        if (!isRecord(served.kind, type)) return undefined
        if (storage.writer) writers.add(storage.writer.id)
        const { type: severity, reason, involvedObject } = object as unknown as Recorded // as its kind says
        if (ofDeletions.has(reason)) return undefined
        const key = `${involvedObject.uid} ${severity} ${reason}`
        const count = (counts.get(key) ?? 0) + 1
        counts.set(key, count)
        const wanted = severity === 'Warning' ? 'False' : 'True'
        const changes = statesOf(storage, involvedObject).filter(
          (each) => each.status === wanted && each.reason === reason,
        ).length
        const most = changes + writers.size - 1
        return count > most
          ? `${severity} ${reason} is recorded ${count} times, for ${changes} changes`
          : undefined
      },
    },
  ]
}
