import { setTimeout } from 'node:timers/promises'
import type { Kind, ObjectOf } from '../../../operator/api/kind.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import type { Objects } from '../../../operator/kube/objects/objects.ts'
import type { FakeCluster } from '../../api-gateway/support/fake-cluster.ts'

/** When a process dies: at its request of this number, before or after the server handles it. */
export interface Death {
  readonly at: number
  readonly moment: 'before' | 'after'
}

/** A process that sends requests until it dies. A dead process gets no answer, and sends nothing. */
export interface Process {
  isAlive: boolean
  /** Resolves when the process dies by itself. */
  readonly died: Promise<void>
  send<T>(name: string, request: () => Promise<T>): Promise<T>
}

/** `latencyMs` gives the milliseconds until the server handles the next request. */
export function startProcess(log: string[], death?: Death, latencyMs?: () => number): Process {
  const { promise: died, resolve } = Promise.withResolvers<void>()
  const never = new Promise<never>(() => {})
  let sent = 0
  const process: Process = {
    isAlive: true,
    died,
    async send(name, request) {
      if (!process.isAlive) return never
      sent += 1
      const isLast = sent === death?.at
      if (isLast) {
        process.isAlive = false
        resolve()
      }
      if (isLast && death?.moment === 'before') return never
      if (latencyMs) await setTimeout(latencyMs())
      log.push(name)
      const answer = await request()
      return isLast ? never : answer
    },
  }
  return process
}

/** The cluster as a process sees it: each request can be its last one. */
export function clusterOf({ send }: Process, fake: FakeCluster): Cluster {
  const nameOf = (verb: string, kind: Kind, { metadata }: { metadata: { name: string } }) =>
    `${verb} ${kind.kind} ${metadata.name}`
  function found<K extends Kind>(kind: K, { metadata }: { metadata: { namespace?: string; name: string } }) {
    const object = fake.store.get(kind, metadata.namespace ?? '', metadata.name)
    if (!object) throw new ApiError(404, 'NotFound', 'not found')
    return object
  }
  return {
    ...fake,
    create: (kind, object) => send(nameOf('create', kind, object), () => fake.create(kind, object)),
    patch: (kind, object, body) =>
      send(nameOf('patch', kind, object), async () => {
        const { resourceVersion } = (body as { metadata?: { resourceVersion?: string } }).metadata ?? {} // a merge patch
        if (resourceVersion && found(kind, object).metadata.resourceVersion !== resourceVersion)
          throw new ApiError(409, 'Conflict', 'modified')
        return fake.patch(kind, object, body)
      }),
    replace: (kind, object) => send(nameOf('replace', kind, object), () => fake.replace(kind, object)),
    replaceSpec: (kind, object, spec) =>
      send(nameOf('spec', kind, object), async () => {
        const before = found(kind, object)
        const { generation = 0 } = before.metadata
        const metadata = { ...before.metadata, generation: generation + 1 }
        return fake.put(kind, { ...before, metadata, spec } as ObjectOf<typeof kind>) // of this kind
      }),
    replaceStatus: (kind, object, status) =>
      send(nameOf('status', kind, object), async () => {
        const { namespace, name } = found(kind, object).metadata
        fake.setStatus(kind, namespace, name, JSON.parse(JSON.stringify(status)) as object)
        return found(kind, object)
      }),
    remove: (kind, object) => send(nameOf('delete', kind, object), () => fake.remove(kind, object)),
    removeCollection: (kind, namespace, fields, before) =>
      send(`collection ${kind.kind}`, () => fake.removeCollection(kind, namespace, fields, before)),
    readNames: (kind, namespace, fields) =>
      send(`list ${kind.kind}`, () => fake.readNames(kind, namespace, fields)),
    readAll: (kind, namespace) => send(`list ${kind.kind}`, () => fake.readAll(kind, namespace)),
  }
}

/** Objects as a process sees them: each request can be its last one. */
export function objectsOf({ send }: Process, door: Objects): Objects {
  return {
    ...door,
    apply: (object) => send(`apply ${object.kind} ${object.metadata.name}`, () => door.apply(object)),
    create: (object) => send(`create ${object.kind} ${object.metadata.name}`, () => door.create(object)),
    merge: (object) => send(`patch ${object.kind} ${object.metadata.name}`, () => door.merge(object)),
    read: (reference) => send(`read ${reference.kind} ${reference.name}`, () => door.read(reference)),
    readApplied: (reference) =>
      send(`read ${reference.kind} ${reference.name}`, () => door.readApplied(reference)),
    readForeign: (kind, namespace) => send(`foreign ${kind.kind}`, () => door.readForeign(kind, namespace)),
    removeCollection: (kind, namespace, before) =>
      send(`collection ${kind.kind}`, () => door.removeCollection(kind, namespace, before)),
    remove: (reference, uid) =>
      send(`delete ${reference.kind} ${reference.name}`, () => door.remove(reference, uid)),
  }
}
