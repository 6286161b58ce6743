import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import type { StoredObject } from '../../../operator/api/kind.ts'
import { type Cache, createCache } from '../../../operator/kube/cache/cache.ts'
import { startReflector } from '../../../operator/kube/cache/reflector.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import type { KubeClient } from '../../../operator/kube/client/client.ts'
import { silentLog } from '../../../operator/log.ts'
import { storedMeta } from '../../support/builders.ts'
import { casesOf, fc } from '../../support/properties.ts'

const things = { apiVersion: 'v1', kind: 'Thing', plural: 'things', namespaced: true }

interface Event {
  readonly type: string
  readonly object: StoredObject
}

/** A write of this process, whose answer comes some steps later, or one of another process. */
interface Write {
  readonly name: string
  readonly isDeletion: boolean
  /** Undefined for another process. */
  readonly answerAfter: number | undefined
}

/** Two versions for each write: those of the history after a restore are odd, so that both histories differ. */
const step = 2

/** An API server of one kind, between whose lines a generated write takes place. */
class Server {
  lists = 0
  isExpired = false
  readonly cache: Cache = createCache({}, () => {})
  readonly #hasLateEnds: boolean
  readonly #writes: Write[] = []
  #objects = new Map<string, StoredObject>()
  #events: Event[] = []
  #answers: { left: number; deliver(): void }[] = []
  #version = 10

  readonly client: KubeClient = {
    request: async () => undefined,
    watch: (_, { query, signal }) => this.#watch(query?.resourceVersion as string | undefined, signal), // as the reflector gives it
    close: async () => {},
  }

  /** Whether a list ends with what happened while it was read. */
  constructor(hasLateEnds: boolean) {
    this.#hasLateEnds = hasLateEnds
  }

  get snapshot() {
    return { objects: new Map(this.#objects), version: this.#version }
  }

  get isQuiet(): boolean {
    return this.#writes.length === 0 && this.#answers.length === 0
  }

  get content(): string[] {
    return contentOf(this.#objects.values())
  }

  plan(writes: readonly Write[]): void {
    this.#writes.push(...writes)
  }

  /** Restores a snapshot, with this many writes of other kinds since. */
  restore({ objects, version }: Server['snapshot'], others: number): void {
    this.#objects = objects
    this.#events = []
    this.#version = version + step * others + (version % step === 0 ? 1 : 0)
    this.isExpired = true
  }

  async *#watch(from: string | undefined, signal?: AbortSignal): AsyncGenerator<string> {
    let position = Number(from)
    if (from === undefined) {
      this.lists += 1
      this.isExpired = false
      // An answer is never so late.
      this.#deliver(Number.POSITIVE_INFINITY)
      position = this.#version
      for (const object of this.snapshot.objects.values()) {
        yield lineOf({ type: 'ADDED', object })
        this.#advance()
      }
      this.#advance()
      if (this.#hasLateEnds) position = yield* this.#eventsSince(position)
      const { metadata } = thing('', position)
      yield lineOf({
        type: 'BOOKMARK',
        object: {
          ...thing('', 0),
          metadata: { ...metadata, annotations: { 'k8s.io/initial-events-end': 'true' } },
        },
      })
    }
    for (;;) {
      if (signal?.aborted) return
      if (this.isExpired) throw new ApiError(410, 'Expired', 'too old')
      this.#advance()
      position = yield* this.#eventsSince(position)
      await nextTurn()
    }
  }

  *#eventsSince(position: number): Generator<string, number> {
    const events = this.#events.filter(({ object }) => Number(object.metadata.resourceVersion) > position)
    const version = this.#version
    yield* events.map(lineOf)
    return version
  }

  /** Performs the next write, and delivers the answers that are due. */
  #advance(): void {
    this.#deliver(1)
    const write = this.#writes.shift()
    if (write) this.#perform(write)
  }

  #deliver(steps: number): void {
    for (const each of this.#answers) each.left -= steps
    for (const { deliver } of this.#answers.filter(({ left }) => left <= 0)) deliver()
    this.#answers = this.#answers.filter(({ left }) => left > 0)
  }

  #perform({ name, isDeletion, answerAfter }: Write): void {
    const before = this.#objects.get(name)
    if (isDeletion && !before) return
    this.#version += step
    const object = thing(name, this.#version, before?.metadata.uid)
    if (isDeletion) this.#objects.delete(name)
    else this.#objects.set(name, object)
    this.#events.push({ type: isDeletion ? 'DELETED' : before ? 'MODIFIED' : 'ADDED', object })
    if (answerAfter === undefined) return
    // The answer to a deletion does not say its version.
    const deliver = () => (isDeletion && before ? this.cache.remove(before) : this.cache.set(object))
    if (answerAfter === 0) deliver()
    else this.#answers.push({ left: answerAfter, deliver })
  }
}

function thing(name: string, version: number, uid = `${name} ${version}`): StoredObject {
  const metadata = storedMeta({ namespace: 'acme', name, uid, resourceVersion: String(version) })
  return { apiVersion: 'v1', kind: 'Thing', metadata }
}

const lineOf = (event: Event) => JSON.stringify(event)
const contentOf = (objects: Iterable<StoredObject>) =>
  [...objects].map(({ metadata }) => `${metadata.uid} at ${metadata.resourceVersion}`).sort()

const write = fc.record({
  name: fc.constantFrom('a', 'b', 'c'),
  isDeletion: fc.boolean(),
  answerAfter: fc.option(fc.nat(3), { nil: undefined }),
})
const writes = fc.array(write, { maxLength: 12 })

/** Runs the work with a server and its reflector. */
async function reflected(
  hasLateEnds: boolean,
  work: (server: Server, settle: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const server = new Server(hasLateEnds)
  const pausesMs = { first: 0, most: 0 }
  const reflector = startReflector(server.client, things, server.cache, silentLog, { pausesMs })
  const settle = async () => {
    for (let turn = 0; turn < 3 || !server.isQuiet || reflector.position === undefined; turn += 1) {
      if (turn > 10_000) throw new Error('the lists do not end')
      await nextTurn()
    }
  }
  try {
    await work(server, settle)
  } finally {
    reflector.stop()
  }
}

test('no order of writes, answers and events makes a list contradict the cache, which is soon what the server has', async () => {
  const law = fc.asyncProperty(fc.boolean(), fc.array(writes, { maxLength: 4 }), (hasLateEnds, phases) =>
    reflected(hasLateEnds, async (server, settle) => {
      for (const [index, each] of phases.entries()) {
        server.plan(each)
        if (index > 0) server.isExpired = true
        await settle()
        expect(contentOf(server.cache.all())).toEqual(server.content)
        expect(server.lists).toBe(index + 1)
      }
    }),
  )
  await fc.assert(law, { numRuns: casesOf(2000) })
})

test('after a restore of etcd to any state, two lists at most make the cache what the server has', async () => {
  const others = fc.oneof(fc.nat(30), fc.constant(1_000_000_000))
  const law = fc.asyncProperty(
    fc.boolean(),
    writes,
    writes,
    others,
    writes,
    (hasLateEnds, kept, lost, since, next) =>
      reflected(hasLateEnds, async (server, settle) => {
        server.plan(kept)
        await settle()
        const { snapshot } = server
        server.plan(lost)
        await settle()
        server.restore(snapshot, since)
        server.plan(next)
        await settle()
        expect(contentOf(server.cache.all())).toEqual(server.content)
        expect(server.lists).toBeLessThanOrEqual(3)
      }),
  )
  await fc.assert(law, { numRuns: casesOf(2000) })
})
