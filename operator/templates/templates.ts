import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Failure, Results, Step, WorkerRequest, WorkerResponse } from './messages.ts'

export type { Results, Step } from './messages.ts'

/** How much templates may take. */
export interface TemplateLimits {
  /** Milliseconds for one call of `render`. */
  readonly timeoutMs: number
  /** MiB of memory for all values of one call. */
  readonly memoryMb: number
  /** Calls that may wait for their turn. */
  readonly waiting: number
  /** Milliseconds without a call after which nothing is kept ready. */
  readonly idleMs: number
}

/** Why templates gave nothing; the message names the template and the place in it, never the data. */
export class TemplatesFailed extends Error {
  /**
   * `NotYet`: a template waits for an object; `Invalid`: it will never work with these data; `TooLarge`: it takes more
   * memory than there is; `TooSlow`: it did not end in time; `Busy`: others are waiting already.
   */
  readonly reason: Failure['reason'] | 'TooLarge' | 'TooSlow' | 'Busy'
  constructor(reason: TemplatesFailed['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/** Renders Go templates of people whom nobody needs to trust: apart from the process, within limits, one call at a time. */
export interface Templates {
  /** Renders the steps in their order, each seeing the results of those before it; throws TemplatesFailed. */
  render(
    steps: readonly Step[],
    data: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<Results>
  close(): Promise<void>
}

interface Job extends Omit<WorkerRequest, 'id'> {
  readonly signal: AbortSignal | undefined
  resolve(results: Results): void
  reject(error: unknown): void
}

const defaults: TemplateLimits = { timeoutMs: 2_000, memoryMb: 64, waiting: 100, idleMs: 60_000 }
const startMs = 20_000

/** The templates' own thread is started when it is first needed, and anew when one call went beyond its limits. */
export function createTemplates(limits: Partial<TemplateLimits> = {}): Templates {
  return new TemplateQueue({ ...defaults, ...limits })
}

class TemplateQueue implements Templates {
  readonly #limits: TemplateLimits
  readonly #waiting: Job[] = []
  #worker: Promise<Worker> | undefined
  #isRunning = false
  #idle: NodeJS.Timeout | undefined
  #count = 0

  constructor(limits: TemplateLimits) {
    this.#limits = limits
  }

  render(
    steps: readonly Step[],
    data: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<Results> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= this.#limits.waiting) {
        const message = `${this.#waiting.length} others are waiting for their templates to be rendered`
        reject(new TemplatesFailed('Busy', message))
        return
      }
      this.#waiting.push({ steps, data, signal, resolve, reject })
      if (!this.#isRunning) void this.#run()
    })
  }

  async close(): Promise<void> {
    for (const job of this.#waiting.splice(0))
      job.reject(new TemplatesFailed('Busy', 'the process is ending'))
    await this.#stop()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    clearTimeout(this.#idle)
    for (let job = this.#waiting.shift(); job; job = this.#waiting.shift()) {
      try {
        job.signal?.throwIfAborted()
        job.resolve(await this.#render(job))
      } catch (error) {
        job.reject(error)
      }
    }
    this.#isRunning = false
    this.#idle = setTimeout(() => void this.#stop(), this.#limits.idleMs).unref()
  }

  async #render({ steps, data }: Job): Promise<Results> {
    const worker = await this.#ready()
    const id = ++this.#count
    worker.ref()
    try {
      const response = await answerOf(worker, { id, steps, data }, this.#limits.timeoutMs)
      if ('results' in response) return response.results
      if ('failure' in response) throw new TemplatesFailed(response.failure.reason, response.failure.message)
      throw new Error('the thread of the templates answered something else')
    } catch (error) {
      if (!(error instanceof TemplatesFailed) || error.reason === 'TooSlow' || error.reason === 'TooLarge')
        await this.#stop()
      throw error
    } finally {
      worker.unref()
    }
  }

  #ready(): Promise<Worker> {
    if (this.#worker) return this.#worker
    const starting: Promise<Worker> = startWorker(this.#limits.memoryMb, () => {
      if (this.#worker === starting) this.#worker = undefined
    })
    this.#worker = starting
    return starting
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#idle)
    const worker = this.#worker
    this.#worker = undefined
    const started = await worker?.catch(() => undefined)
    await started?.terminate()
  }
}

function answerOf(worker: Worker, request: WorkerRequest, timeoutMs: number): Promise<WorkerResponse> {
  const names = request.steps.map(({ name }) => `'${name}'`).join(', ')
  return eventOf(worker, timeoutMs, names, () => worker.postMessage(request))
}

async function startWorker(memoryMb: number, onEnd: () => void): Promise<Worker> {
  const bundled = join(import.meta.dirname, 'template-worker.mjs')
  const file = existsSync(bundled) ? bundled : join(import.meta.dirname, 'worker.ts')
  const worker = new Worker(file, {
    // Nothing of the process goes along: neither its environment nor its options.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 8, stackSizeMb: 4 },
  })
  worker.on('error', () => undefined) // whoever waits for an answer is told
  worker.once('exit', onEnd)
  try {
    await eventOf(worker, startMs, 'none', () => undefined)
    return worker
  } catch (error) {
    await worker.terminate()
    throw error
  }
}

/** The next message of the worker; an error when it ends or says nothing in time. */
function eventOf(
  worker: Worker,
  timeoutMs: number,
  names: string,
  begin: () => void,
): Promise<WorkerResponse> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      clearTimeout(timer)
      worker.off('message', take).off('error', fail).off('exit', exit)
      act()
    }
    const take = (message: WorkerResponse) => settle(() => resolve(message))
    const fail = (error: Error & { readonly code?: string }) => {
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      const tooLarge = new TemplatesFailed('TooLarge', `templates ${names} take more memory than they may`)
      settle(() => reject(isMemory ? tooLarge : error))
    }
    const exit = () => settle(() => reject(new Error('the thread of the templates ended')))
    const timer = setTimeout(() => {
      settle(() =>
        reject(new TemplatesFailed('TooSlow', `templates ${names} took more than ${timeoutMs} ms`)),
      )
    }, timeoutMs)
    worker.on('message', take).on('error', fail).on('exit', exit)
    begin()
  })
}
