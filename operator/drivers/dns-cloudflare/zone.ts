import { Stalled, Waiting, withoutSideEffects } from '../../domain/base/errors.ts'
import type { ZoneApi } from './api.ts'
import { createBatcher, type Pending as PendingOf } from './batcher.ts'
import type { Budget } from './budget.ts'
import { type Change, type DesiredRecord, decide, isPureCreation } from './decide.ts'
import { ApiFault, limited } from './fault.ts'
import type { ZoneMemory } from './memory.ts'
import { isInZone } from './name.ts'
import { errorOf, unknownOutcome, wrongZone } from './outcome.ts'
import type { HeldRecord } from './record.ts'
import { write } from './writing.ts'

/** One zone as one token sees it. */
export interface Zone {
  /** Resolves when the wish is fulfilled. */
  ask(wish: DesiredRecord, signal: AbortSignal): Promise<void>
  readonly isIdle: boolean
  close(): void
}

interface ZoneTools {
  readonly zoneId: string
  readonly api: ZoneApi
  readonly memory: ZoneMemory
  readonly budget: Budget
  /** What the budget knows the token by. */
  readonly tokenKey: string
  /** Milliseconds that only grow. */
  readonly clock: () => number
  /** How long nobody may come before a cycle begins. */
  readonly collectMs: number
}

type Pending = PendingOf<DesiredRecord>

interface Listing {
  readonly begunAt: number
  readonly byName: ReadonlyMap<string, readonly HeldRecord[]>
}

interface Refusal {
  readonly error: Error
  readonly until: number
}

const operationsOfBatch = 200
/** So many need not wait for others: a list for each few batches is nothing. */
const enoughForCycle = operationsOfBatch * 5
/** How long a list is good enough to create records by. */
const reuseMs = 10_000
/** How long what is not allowed is not tried again with the same token. */
const refusalMs = 5 * 60_000
const takenRetrySeconds = 5

/**
 * Gathers wishes and fulfils those that came together in one cycle: one list of the records, one decision for each
 * wish, and batches of changes. There is one cycle at a time; who comes meanwhile joins the next.
 */
export function createZone(tools: ZoneTools): Zone {
  const { api, memory, clock, zoneId, budget, tokenKey } = tools
  const size = { batch: operationsOfBatch }
  let listing: Listing | undefined
  let zoneName: { readonly name: string | undefined; readonly until: number } | undefined
  let refused: Refusal | undefined
  let refusedWrites: Refusal | undefined

  const gathering = createBatcher<DesiredRecord>({
    clock,
    collectMs: tools.collectMs,
    enough: enoughForCycle,
    keyOf: ({ name }) => name,
    run: runCycle,
  })

  async function runCycle(members: readonly Pending[], signal: AbortSignal): Promise<void> {
    try {
      await fulfil(members, signal)
    } catch (error) {
      const told = errorOf(error)
      if (!(error instanceof ApiFault)) throw told
      if (told instanceof Stalled) refused = refusal(told)
      // What is written is settled where it is written: for those who still wait, only lists were asked for.
      throw withoutSideEffects(told)
    } finally {
      memory.prune()
    }
  }

  async function fulfil(members: readonly Pending[], signal: AbortSignal): Promise<void> {
    const reusable = listing && clock() - listing.begunAt <= reuseMs ? listing : undefined
    let left: readonly Pending[] = members
    if (reusable) left = await fulfilBy(reusable, left, signal)
    // What somebody else changed meanwhile shows in a second list.
    for (let round = 0; round < 2 && left.length > 0; round += 1) {
      listing = await list(signal)
      left = await fulfilBy(listing, left, signal)
    }
    for (const { wish, settle } of left) {
      const message = `the provider has another record of the name '${wish.name}' that it does not list yet`
      settle(withoutSideEffects(new Waiting('RecordExists', message, takenRetrySeconds)))
    }
  }

  async function list(signal: AbortSignal): Promise<Listing> {
    const begunAt = clock()
    const records = await api.list(signal)
    const byName = new Map<string, HeldRecord[]>()
    for (const record of records) {
      const ofName = byName.get(record.name)
      if (ofName) ofName.push(record)
      else byName.set(record.name, [record])
    }
    return { begunAt, byName }
  }

  /** Fulfils what this list is good enough for; answers the rest. */
  async function fulfilBy(
    by: Listing,
    members: readonly Pending[],
    signal: AbortSignal,
  ): Promise<readonly Pending[]> {
    const again: Pending[] = []
    const tasks: {
      readonly pending: Pending
      readonly wish: DesiredRecord
      readonly change: Change
      /** What the wish ends with all the same. */
      readonly error?: Error
    }[] = []
    for (const pending of members) {
      if (!pending.isOpen) continue
      const { wish } = pending
      const unsettled = memory.unsettledSeconds(wish)
      if (unsettled !== undefined) {
        pending.settle(withoutSideEffects(unknownOutcome(wish.name, unsettled)))
        continue
      }
      const decision = decide(wish, memory.corrected(wish.name, by.byName.get(wish.name) ?? []))
      const isCreation = decision.kind === 'change' && isPureCreation(decision.change)
      const isFresh = by.begunAt >= pending.cameAt
      if (!isFresh && (!isCreation || memory.isUnsure(wish))) again.push(pending)
      else if (decision.kind === 'change') tasks.push({ pending, wish, change: decision.change })
      else if (decision.kind === 'conflict') {
        const error = new Stalled('Conflict', decision.message)
        if (decision.change) tasks.push({ pending, wish, change: decision.change, error })
        else pending.settle(withoutSideEffects(error))
      } else settleUnchanged(pending, by, decision.kind === 'absent')
    }
    const allowed = await allowedOf(tasks, signal)
    const failed = await write(allowed, {
      zoneId,
      api,
      memory,
      signal,
      size,
      isOpen: ({ pending }) => pending.isOpen,
      settle: (task, error) => task.pending.settle(error ?? task.error),
      onDenied: (fault) => {
        refusedWrites = refusal(errorOf(fault))
      },
    })
    return [...again, ...failed.map(({ pending }) => pending)]
  }

  /** A list may be late: what it does not show is gone when that was long enough so. */
  function settleUnchanged(pending: Pending, by: Listing, isAbsent: boolean): void {
    const { wish } = pending
    const seconds = isAbsent ? memory.doubtSeconds(wish, by.begunAt) : 0
    if (seconds > 0) {
      const message = `looking again for a record of the name '${wish.name}', since lists of the provider may be late`
      return pending.settle(new Waiting('ConfirmingAbsence', message, seconds))
    }
    memory.settled(wish, isAbsent)
    pending.settle()
  }

  /** Those that may be written, as far as that is known before. */
  async function allowedOf<T extends { readonly pending: Pending; readonly change: Change }>(
    tasks: readonly T[],
    signal: AbortSignal,
  ): Promise<readonly T[]> {
    const error = current(refusedWrites)
    if (error) {
      for (const { pending } of tasks) pending.settle(withoutSideEffects(error))
      return []
    }
    if (tasks.every(({ change }) => change.posts.length === 0)) return tasks
    const name = await knownZoneName(signal)
    if (name === undefined) return tasks
    return tasks.filter(({ pending, change }) => {
      const isInside = change.posts.every((post) => isInZone(post.name, name))
      if (!isInside) pending.settle(withoutSideEffects(wrongZone(pending.wish.name, zoneId, name)))
      return isInside
    })
  }

  /** Asked once; not knowing it is no reason to do nothing. */
  async function knownZoneName(signal: AbortSignal): Promise<string | undefined> {
    if (zoneName && clock() < zoneName.until) return zoneName.name
    try {
      const name = await api.zoneName(signal)
      zoneName = { name, until: name === undefined ? clock() + refusalMs : Number.POSITIVE_INFINITY }
      return name
    } catch (error) {
      if (error instanceof ApiFault && error.kind === 'lost') return undefined
      throw error
    }
  }

  function refusal(error: Error): Refusal {
    return { error, until: clock() + refusalMs }
  }

  function current(found: Refusal | undefined): Error | undefined {
    return found && clock() < found.until ? found.error : undefined
  }

  /** Why there is no use in asking now. */
  function refusalOf(wish: DesiredRecord): Error | undefined {
    const unsettled = memory.unsettledSeconds(wish)
    if (unsettled !== undefined) return unknownOutcome(wish.name, unsettled)
    const seconds = budget.restSeconds(tokenKey)
    if (seconds !== undefined) return errorOf(limited(seconds))
    return current(refused)
  }

  return {
    async ask(wish, signal) {
      const error = refusalOf(wish)
      if (error) throw withoutSideEffects(error)
      await gathering.join(wish, signal)
    },
    get isIdle() {
      return gathering.isIdle
    },
    close: gathering.close,
  }
}
