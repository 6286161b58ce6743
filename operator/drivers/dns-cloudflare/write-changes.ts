import { ReconcileError, Waiting, withoutSideEffects } from '../../domain/base/errors.ts'
import type { ChangeResult, ZoneApi } from './api.ts'
import { CloudflareError, rejected } from './api-error.ts'
import { type Change, type DesiredRecord, sizeOf } from './decide.ts'
import { toDriverError, unavailable, unknownOutcome, wrongZone } from './errors.ts'
import type { ZoneMemory } from './memory.ts'

/** A change to write for a desired record. */
export interface Task {
  readonly desired: DesiredRecord
  readonly change: Change
}

interface WriteOptions<T extends Task> {
  readonly zoneId: string
  readonly api: Pick<ZoneApi, 'change'>
  readonly memory: ZoneMemory
  readonly signal: AbortSignal
  /** Maximum operations in a batch, lowered when the provider asks for it. */
  readonly size: { batch: number }
  /** Whether a caller still waits. */
  isOpen(task: T): boolean
  /** Ends the task, with the error if there is one. */
  settle(task: T, error?: Error): void
  /** Called when the provider denies this and all similar changes. */
  onDenied(error: CloudflareError): void
}

const maxLosses = 2
const maxSplits = 64

/**
 * Writes changes in atomic batches; a rejected batch is halved until each bad change is alone. Returns the tasks whose
 * list was outdated.
 */
export async function writeChanges<T extends Task>(
  tasks: readonly T[],
  options: WriteOptions<T>,
): Promise<T[]> {
  const { api, memory, size, settle } = options
  const again: T[] = []
  const waiting = batches(tasks, size.batch)
  let losses = 0
  let splits = 0

  async function send(batch: readonly T[]): Promise<void> {
    try {
      const done = await api.change(
        batch.map(({ change }) => change),
        options.signal,
      )
      await settleDone(batch, done, options)
    } catch (error) {
      if (!(error instanceof CloudflareError)) throw error
      handle(batch, error)
    }
  }

  function handle(batch: readonly T[], error: CloudflareError): void {
    const [first] = batch
    if (error.kind === 'rateLimited' || error.kind === 'denied') {
      if (error.kind === 'denied') options.onDenied(error)
      for (const task of [batch, ...waiting.splice(0)].flat())
        settle(task, withoutSideEffects(toDriverError(error)))
    } else if (error.kind === 'unknown') {
      losses += 1
      for (const task of batch) settle(task, lossOf(task.desired, error, memory))
      if (losses < maxLosses) return
      const notSent = withoutSideEffects(
        unavailable(`not sent, since earlier calls failed: ${error.message}`),
      )
      for (const task of waiting.splice(0).flat()) settle(task, notSent)
    } else if (batch.length > 1) split(batch, error)
    else if (first && error.kind === 'notFound') {
      forget(first, memory)
      again.push(first)
    } else if (first && error.kind === 'exists') again.push(first)
    else if (first) {
      const rejection = error.kind === 'rejected' ? error : rejected(error.message)
      settle(first, withoutSideEffects(toDriverError(rejection)))
    }
  }

  /** The provider does not say which operation it rejects. */
  function split(batch: readonly T[], { kind, maxOperations }: CloudflareError): void {
    const operations = batch.reduce((sum, { change }) => sum + sizeOf(change), 0)
    if (kind === 'batchTooLarge') {
      const isSmaller = maxOperations !== undefined && maxOperations < operations
      size.batch = isSmaller ? maxOperations : Math.max(1, Math.floor(operations / 2))
      waiting.unshift(...batches(batch, size.batch))
      return
    }
    splits += 1
    const half = Math.ceil(batch.length / 2)
    if (splits <= maxSplits) waiting.unshift(batch.slice(0, half), batch.slice(half))
    else for (const task of batch) settle(task, withoutSideEffects(tooManyRejections))
  }

  for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
    const open = batch.filter(options.isOpen)
    if (open.length > 0) await send(open)
  }
  return again
}

const tooManyRejections = new Waiting(
  'BatchRefused',
  'the provider rejects so many records that this one waits for another batch',
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

/** Settles a written batch; a name outside of the zone, which the provider completes to another one, is deleted again. */
async function settleDone<T extends Task>(
  batch: readonly T[],
  done: readonly ChangeResult[],
  { api, memory, zoneId, settle }: WriteOptions<T>,
): Promise<void> {
  const strays: { readonly task: T; readonly ids: readonly string[] }[] = []
  for (const [i, task] of batch.entries()) {
    const { desired, change } = task
    const written = done[i]?.written ?? []
    for (const id of change.deletes) memory.removed(desired.name, id)
    for (const record of written) memory.wrote(record)
    memory.settled(desired, desired.record === undefined)
    const ids = written.filter(({ name }) => name !== desired.name).map(({ id }) => id)
    if (ids.length > 0) strays.push({ task, ids })
    else settle(task)
  }
  if (strays.length === 0) return
  const deletes = strays.flatMap(({ ids }) => ids)
  const failure = await api.change([{ deletes, patches: [], posts: [] }]).then(
    () => undefined,
    (error: unknown) =>
      new ReconcileError(
        'WrongZone',
        `a record outside of the zone is left: ${toDriverError(error).message}`,
      ),
  )
  for (const { task } of strays) settle(task, failure ?? wrongZone(task.desired.name, zoneId))
}

/** Waits for the result of a single lost response; several in a row are a failure of the provider. */
function lossOf(desired: DesiredRecord, { message }: CloudflareError, memory: ZoneMemory): Error {
  const count = memory.lost(desired)
  if (count > maxLosses) return unavailable(message)
  return unknownOutcome(desired.name, memory.unsettledSeconds(desired) ?? 1)
}

/** Notes that another client deleted the record. */
function forget({ desired, change }: Task, memory: ZoneMemory): void {
  const ids = [...change.deletes, ...change.patches.map(({ id }) => id)]
  const [only] = ids
  if (only !== undefined && ids.length === 1) memory.removed(desired.name, only)
}
