import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { isObject } from '../domain/base/json.ts'
import { TemplatesFailed } from './errors.ts'
import type { WorkerRequest, WorkerResponse } from './messages.ts'

/** Limits of one call. */
export interface ThreadLimits {
  /** Milliseconds of work. */
  readonly timeoutMs: number
  /** MiB of memory for all values. */
  readonly memoryMb: number
}

/** A thread that cannot do its work within this time is on an overloaded machine. */
const patienceMs = 20_000

/** Starts a thread that waits for requests; calls `onEnd` when it exits. */
export async function startThread({ memoryMb }: ThreadLimits, onEnd: () => void): Promise<Worker> {
  const bundled = new URL('template-worker.mjs', import.meta.url)
  const file = existsSync(bundled) ? bundled : new URL('worker.ts', import.meta.url)
  const worker = new Worker(file, {
    // The thread inherits no environment and no options.
    env: {},
    execArgv: [],
    // Its output must not mix with log lines.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 8, stackSizeMb: 4 },
  })
  worker.stdout.resume()
  worker.stderr.resume()
  worker.on('error', () => undefined) // the waiting call receives it
  worker.once('exit', onEnd)
  try {
    await within([late], eventOf(worker))
    return worker
  } catch (error) {
    await worker.terminate()
    throw error
  }
}

/** Sends a request and returns the response; throws TemplatesFailed at a limit, after which the thread is unusable. */
export async function answerOf(
  worker: Worker,
  request: WorkerRequest,
  { timeoutMs, memoryMb }: ThreadLimits,
): Promise<WorkerResponse> {
  const names = request.steps.map(({ name }) => `'${name}'`).join(', ')
  const answer = eventOf(worker)
  worker.postMessage(request)
  try {
    return await within([late, exhausted(worker, timeoutMs)], answer)
  } catch (error) {
    if (error === tooMuchWork)
      throw new TemplatesFailed('TooSlow', `templates ${names} take more than ${timeoutMs} ms of work`)
    if (isObject(error) && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
      throw new TemplatesFailed('TooLarge', `templates ${names} take more than ${memoryMb} MiB of memory`)
    throw error
  }
}

const tooMuchWork = new Error('the thread of the templates worked for too long')

/** Begins to watch for a limit, and calls `reach` with the error; the returned function ends it. */
type Limit = (reach: (error: Error) => void) => () => void

/** Returns what comes, unless a limit is reached before. */
async function within<T>(limits: readonly Limit[], coming: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const ends = limits.map((begin) => begin(reject))
  try {
    return await Promise.race([coming, promise])
  } finally {
    for (const end of ends) end()
  }
}

const late: Limit = (reach) => {
  const message = `the machine is too busy for templates: none were rendered in ${patienceMs} ms`
  const timer = setTimeout(() => reach(new TemplatesFailed('Busy', message)), patienceMs)
  return () => clearTimeout(timer)
}

/** Measures CPU time, not wall-clock time, so that a busy machine does not fail templates. */
function exhausted(worker: Worker, timeoutMs: number): Limit {
  return (reach) => {
    let start: number | undefined
    let isOver = false
    async function measure(): Promise<void> {
      const work = await workOf(worker)
      start ??= work
      const left = timeoutMs - (work - start)
      if (left <= 0) reach(tooMuchWork)
      else if (!isOver) timer = setTimeout(() => void measure(), Math.max(left, 10))
    }
    // Most calls end before the first measurement.
    let timer = setTimeout(() => void measure(), timeoutMs / 10)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }
}

/** Milliseconds of work of the thread; never resolves after its exit, which is reported separately. */
async function workOf(worker: Worker): Promise<number> {
  const { user, system } = await worker.cpuUsage().catch(() => new Promise<never>(() => undefined))
  return (user + system) / 1000
}

/** The next message of the thread; throws when the thread exits before. */
function eventOf(worker: Worker): Promise<WorkerResponse> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      worker.off('message', take).off('error', fail).off('exit', exit)
      act()
    }
    const take = (message: WorkerResponse) => settle(() => resolve(message))
    const fail = (error: unknown) => settle(() => reject(error))
    const exit = () => settle(() => reject(new Error('the thread of the templates ended')))
    worker.on('message', take).on('error', fail).on('exit', exit)
  })
}
