import { ReconcileError, Waiting, withoutSideEffects } from '../../domain/base/errors.ts'
import type { Done, ZoneApi } from './api.ts'
import { type Change, type DesiredRecord, sizeOf } from './decide.ts'
import { ApiFault, rejected } from './fault.ts'
import type { ZoneMemory } from './memory.ts'
import { errorOf, unavailable, unknownOutcome, wrongZone } from './outcome.ts'

/** A change that somebody waits for. */
export interface Task {
  readonly wish: DesiredRecord
  readonly change: Change
}

interface WritingTools<T extends Task> {
  readonly zoneId: string
  readonly api: Pick<ZoneApi, 'change'>
  readonly memory: ZoneMemory
  readonly signal: AbortSignal
  /** How many operations a batch may have; less, once the provider said so. */
  readonly size: { batch: number }
  /** Whether somebody still waits. */
  isOpen(task: T): boolean
  /** It is done, or ends with the error. */
  settle(task: T, error?: Error): void
  /** The provider says that this and everything like it is not allowed. */
  onDenied(fault: ApiFault): void
}

const mostLosses = 2
const mostSplits = 64

/**
 * Writes changes in batches, each all or nothing; one that is refused is halved until the bad ones stand alone. Answers
 * those about which the list that they were decided on was wrong.
 */
export async function write<T extends Task>(tasks: readonly T[], tools: WritingTools<T>): Promise<T[]> {
  const { api, memory, size, settle } = tools
  const again: T[] = []
  const waiting = batches(tasks, size.batch)
  let losses = 0
  let splits = 0

  async function send(batch: readonly T[]): Promise<void> {
    try {
      const done = await api.change(
        batch.map(({ change }) => change),
        tools.signal,
      )
      await settleDone(batch, done, tools)
    } catch (error) {
      if (!(error instanceof ApiFault)) throw error
      handle(batch, error)
    }
  }

  function handle(batch: readonly T[], fault: ApiFault): void {
    const [first] = batch
    if (fault.kind === 'limited' || fault.kind === 'denied') {
      if (fault.kind === 'denied') tools.onDenied(fault)
      for (const task of [batch, ...waiting.splice(0)].flat())
        settle(task, withoutSideEffects(errorOf(fault)))
    } else if (fault.kind === 'lost') {
      losses += 1
      for (const task of batch) settle(task, lossOf(task.wish, fault, memory))
      if (losses < mostLosses) return
      const notSent = withoutSideEffects(
        unavailable(`not sent, since earlier calls failed: ${fault.message}`),
      )
      for (const task of waiting.splice(0).flat()) settle(task, notSent)
    } else if (batch.length > 1) split(batch, fault)
    else if (first && fault.kind === 'missing') {
      forget(first, memory)
      again.push(first)
    } else if (first && fault.kind === 'taken') again.push(first)
    else if (first) {
      const refusal = fault.kind === 'refused' ? fault : rejected(fault.message)
      settle(first, withoutSideEffects(errorOf(refusal)))
    }
  }

  /** The provider does not say which operation it refuses. */
  function split(batch: readonly T[], fault: ApiFault): void {
    const operations = batch.reduce((sum, { change }) => sum + sizeOf(change), 0)
    if (fault.kind === 'tooMany') {
      const isSmaller = fault.most !== undefined && fault.most < operations
      size.batch = isSmaller ? (fault.most ?? 1) : Math.max(1, Math.floor(operations / 2))
      waiting.unshift(...batches(batch, size.batch))
      return
    }
    splits += 1
    const half = Math.ceil(batch.length / 2)
    if (splits <= mostSplits) waiting.unshift(batch.slice(0, half), batch.slice(half))
    else for (const task of batch) settle(task, withoutSideEffects(tooManyRefusals))
  }

  for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
    const open = batch.filter(tools.isOpen)
    if (open.length > 0) await send(open)
  }
  return again
}

const tooManyRefusals = new Waiting(
  'BatchRefused',
  'the provider refuses so many records that this one has to wait for another batch',
  5,
)

function batches<T extends Task>(tasks: readonly T[], most: number): T[][] {
  const all: T[][] = []
  let size = 0
  for (const task of tasks) {
    const own = sizeOf(task.change)
    const last = all.at(-1)
    if (last && size + own <= most) last.push(task)
    else all.push([task])
    size = last && size + own <= most ? size + own : own
  }
  return all
}

/** What the answer of a batch says; a name that the provider completed lies outside of the zone, so it goes again. */
async function settleDone<T extends Task>(
  batch: readonly T[],
  done: readonly Done[],
  { api, memory, zoneId, settle }: WritingTools<T>,
): Promise<void> {
  const strays: { readonly task: T; readonly ids: readonly string[] }[] = []
  for (const [i, task] of batch.entries()) {
    const { wish, change } = task
    const written = done[i]?.written ?? []
    for (const id of change.deletes) memory.removed(wish.name, id)
    for (const record of written) memory.wrote(record)
    memory.settled(wish, wish.record === undefined)
    const ids = written.filter(({ name }) => name !== wish.name).map(({ id }) => id)
    if (ids.length > 0) strays.push({ task, ids })
    else settle(task)
  }
  if (strays.length === 0) return
  const deletes = strays.flatMap(({ ids }) => ids)
  const failure = await api.change([{ deletes, patches: [], posts: [] }]).then(
    () => undefined,
    (error: unknown) =>
      new ReconcileError('WrongZone', `a record outside of the zone stays: ${errorOf(error).message}`),
  )
  for (const { task } of strays) settle(task, failure ?? wrongZone(task.wish.name, zoneId))
}

/** One lost answer is waited for; many in a row are a failure of the provider. */
function lossOf(wish: DesiredRecord, { message }: ApiFault, memory: ZoneMemory): Error {
  const count = memory.lost(wish)
  if (count > mostLosses) return unavailable(message)
  return unknownOutcome(wish.name, memory.unsettledSeconds(wish) ?? 1)
}

/** Somebody else took away what the change is about. */
function forget({ wish, change }: Task, memory: ZoneMemory): void {
  const ids = [...change.deletes, ...change.patches.map(({ id }) => id)]
  const [only] = ids
  if (only !== undefined && ids.length === 1) memory.removed(wish.name, only)
}
