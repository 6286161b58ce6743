import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
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
    await before(eventOf(worker), late)
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
    return await before(answer, (signal) =>
      Promise.race([late(signal), exhausted(worker, timeoutMs, signal)]),
    )
  } catch (error) {
    if (error === tooMuchWork)
      throw new TemplatesFailed('TooSlow', `templates ${names} take more than ${timeoutMs} ms of work`)
    if (isObject(error) && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
      throw new TemplatesFailed('TooLarge', `templates ${names} take more than ${memoryMb} MiB of memory`)
    throw error
  }
}

const tooMuchWork = new Error('the thread of the templates worked for too long')

/** Returns the first promise's value, unless the second one rejects before. */
async function before<T>(coming: Promise<T>, limit: (signal: AbortSignal) => Promise<never>): Promise<T> {
  const over = new AbortController()
  try {
    return await Promise.race([coming, limit(over.signal)])
  } finally {
    over.abort()
  }
}

async function late(signal: AbortSignal): Promise<never> {
  await sleep(patienceMs, undefined, { signal })
  throw new TemplatesFailed(
    'Busy',
    `the machine is too busy for templates: none were rendered in ${patienceMs} ms`,
  )
}

/** Measures CPU time, not wall-clock time, so that a busy machine does not fail templates. */
async function exhausted(worker: Worker, timeoutMs: number, signal: AbortSignal): Promise<never> {
  // Most calls end before the first measurement.
  await sleep(timeoutMs / 10, undefined, { signal })
  const start = await workOf(worker)
  let worked = 0
  while (worked < timeoutMs) {
    await sleep(Math.max(timeoutMs - worked, 10), undefined, { signal })
    worked = (await workOf(worker)) - start
  }
  throw tooMuchWork
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
