import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { openStream } from './client.ts'
import { createEventParser, type ServerEvent } from './event-parser.ts'
import { addressOf } from './operations.ts'
import { asProblem } from './problem.ts'
import { invalidate, readAgain } from './read-store.ts'

/** Whether changes arrive as they happen. */
export const isLive = signal(false)

/** The environment whose changes are followed. */
export interface EnvironmentKey {
  readonly org: string
  readonly app: string
  readonly env: string
}

const pauses = [500, 1000, 2000, 5000, 10_000]
/** Each refusal is an audit record. */
const refusedPauseMs = 60_000
const leastPauseMs = 300
/** Reading long lists again takes at most this part of the time. */
const readingShare = 4

/**
 * Follows the changes of an environment while the page is visible, and reads again what they change. `isRefused` says whether the
 * environment cannot be read by the user.
 */
export function useLiveEnvironment({ org, app, env }: EnvironmentKey, isRefused: boolean): void {
  const current = useRef<Follower | undefined>(undefined)
  useEffect(() => {
    const follower = new Follower({ org, app, env })
    current.current = follower
    follower.start()
    return () => follower.stop()
  }, [org, app, env])
  useEffect(() => {
    if (!isRefused) current.current?.hasten()
  }, [isRefused])
}

class Follower {
  readonly #address: string
  readonly #stream: string
  readonly #runtimeState: string
  #connection: AbortController | undefined
  #pause: AbortController | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #isFlushing = false
  readonly #stale = new Set<string>()

  constructor({ org, app, env }: EnvironmentKey) {
    const path = { org_id: org, app_id: app, env_id: env }
    this.#address = addressOf('GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}', { path }).address
    const query = { id: env }
    this.#runtimeState = addressOf('GET /orgs/{org_id}/apps/{app_id}/runtime', { path, query }).address
    this.#stream = addressOf('GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/changes', { path }).address
  }

  start(): void {
    document.addEventListener('visibilitychange', this.#onVisibility)
    this.#onVisibility()
  }

  stop(): void {
    document.removeEventListener('visibilitychange', this.#onVisibility)
    this.#disconnect()
    clearTimeout(this.#timer)
  }

  /** Ends a pause between two attempts. */
  hasten(): void {
    this.#pause?.abort()
  }

  // A browser allows few connections to one host, so hidden pages have none.
  readonly #onVisibility = () => {
    if (document.visibilityState === 'hidden') this.#disconnect()
    else if (!this.#connection) {
      this.#connection = new AbortController()
      void this.#follow(this.#connection.signal)
    }
  }

  #disconnect(): void {
    this.#connection?.abort()
    this.#connection = undefined
    isLive.value = false
  }

  async #follow(stopped: AbortSignal): Promise<void> {
    for (let attempt = 0; !stopped.aborted; attempt += 1) {
      let isRefused = false
      try {
        for await (const event of eventsOf(this.#stream, stopped)) {
          attempt = 0
          this.#handle(event)
        }
      } catch (error) {
        // The next attempt follows; what the page shows stays.
        isRefused = [403, 404].includes(asProblem(error).status)
      }
      if (stopped.aborted) return
      isLive.value = false
      const usual = pauses[Math.min(attempt, pauses.length - 1)] ?? 0
      this.#pause = new AbortController()
      await pause(isRefused ? refusedPauseMs : usual, AbortSignal.any([stopped, this.#pause.signal]))
    }
  }

  #handle({ name, data }: ServerEvent): void {
    if (name === 'reload') {
      isLive.value = true
      this.#stale.add('')
    }
    if (name === 'change') {
      const { kind } = data as { kind?: unknown } // sent by the gateway
      this.#stale.add(kind === 'deployment' ? '/deploys' : kind === 'resource' ? '/resources' : '')
    }
    this.#schedule(leastPauseMs)
  }

  #schedule(ms: number): void {
    if (this.#timer !== undefined || this.#isFlushing) return
    this.#timer = setTimeout(() => void this.#flush(), ms)
  }

  async #flush(): Promise<void> {
    this.#timer = undefined
    this.#isFlushing = true
    const started = performance.now()
    const parts = [...this.#stale, '/runtime']
    this.#stale.clear()
    // The environment itself names its last deployment.
    if (parts.includes('')) await Promise.all([this.#address, this.#runtimeState].map(invalidate))
    else
      await Promise.all([readAgain(this.#address), ...parts.map((part) => invalidate(this.#address + part))])
    this.#isFlushing = false
    const took = performance.now() - started
    if (this.#stale.size > 0) this.#schedule(Math.max(leastPauseMs, took * readingShare))
  }
}

async function* eventsOf(address: string, stopped: AbortSignal): AsyncGenerator<ServerEvent> {
  const stream = await openStream(address, stopped)
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader()
  const parse = createEventParser()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield* parse(value)
  }
}

function pause(ms: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    stopped.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
