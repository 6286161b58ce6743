import type { Worker } from 'node:worker_threads'
import { createFairQueue } from '../domain/base/fair-queue.ts'
import { TemplatesFailed } from './errors.ts'
import type { Results, Step, WorkerRequest } from './messages.ts'
import { answerOf, startThread, type ThreadLimits } from './thread.ts'

export { TemplatesFailed } from './errors.ts'
export type { Results, Step } from './messages.ts'

/** Limits of rendering. */
export interface TemplateLimits extends ThreadLimits {
  /** Maximum waiting calls of one organization. */
  readonly waiting: number
  /** Milliseconds without a call after which the thread is stopped. */
  readonly idleMs: number
}

/** Renders untrusted Go templates in a separate thread, within limits, one call at a time. */
export interface Templates {
  /**
   * Renders the steps in order, each with the results of the earlier ones; throws TemplatesFailed. Organizations take
   * turns, so that none waits for all calls of another.
   */
  render(
    organizationId: string,
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

/** Starts the thread on first use, and again after a call that exceeds a limit. */
export function createTemplates(limits: Partial<TemplateLimits> = {}): Templates {
  return new TemplateQueue({ ...defaults, ...limits })
}

class TemplateQueue implements Templates {
  readonly #limits: TemplateLimits
  readonly #waiting = createFairQueue<Job>()
  #worker: Promise<Worker> | undefined
  #isRunning = false
  #idle: NodeJS.Timeout | undefined
  #count = 0

  constructor(limits: TemplateLimits) {
    this.#limits = limits
  }

  render(
    organizationId: string,
    steps: readonly Step[],
    data: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<Results> {
    return new Promise((resolve, reject) => {
      const others = this.#waiting.countOf(organizationId)
      if (others >= this.#limits.waiting) {
        const message = `${others} others of '${organizationId}' are waiting for their templates to be rendered`
        reject(new TemplatesFailed('Busy', message))
        return
      }
      this.#waiting.add(organizationId, { steps, data, signal, resolve, reject })
      if (!this.#isRunning) void this.#run()
    })
  }

  async close(): Promise<void> {
    for (let job = this.#waiting.take(); job; job = this.#waiting.take())
      job.reject(new TemplatesFailed('Busy', 'the process is ending'))
    await this.#stop()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    clearTimeout(this.#idle)
    for (let job = this.#waiting.take(); job; job = this.#waiting.take()) {
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
      const response = await answerOf(worker, { id, steps, data }, this.#limits)
      if ('results' in response) return response.results
      if ('failure' in response) throw new TemplatesFailed(response.failure.reason, response.failure.message)
      throw new Error('the thread of the templates answered something else')
    } catch (error) {
      const isOfUse = error instanceof TemplatesFailed && ['NotYet', 'Invalid'].includes(error.reason)
      // A thread whose templates gave too much restarts too, which frees its memory.
      if (!isOfUse) await this.#stop()
      throw error
    } finally {
      worker.unref()
    }
  }

  #ready(): Promise<Worker> {
    if (this.#worker) return this.#worker
    const starting: Promise<Worker> = startThread(this.#limits, () => {
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
