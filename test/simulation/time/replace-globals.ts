import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers'
import timersWithPromises from 'node:timers/promises'
import type { Random } from '../../support/random.ts'
import { type Clock, TimerHandle } from './clock.ts'

type Work = (...parameters: unknown[]) => void
type Waiting = { readonly signal?: AbortSignal }

const RealDate = Date
let current: Clock | undefined
/** The date at which each run begins. */
const epoch = RealDate.UTC(2026, 0, 1)

/**
 * Replaces the timers, the dates and the chance of this process by those of a run. Modules that already imported them see
 * the replacements too. What works outside the event loop, such as threads, sockets and files, keeps its real time: the
 * simulation uses none of it.
 */
export function replaceGlobals(clock: Clock, random: Random): void {
  current = clock
  const after = (work: Work, milliseconds = 0, ...parameters: unknown[]) =>
    clock.after(Math.max(1, milliseconds), () => work(...parameters))
  const each = (work: Work, milliseconds = 0, ...parameters: unknown[]) => {
    const handle: TimerHandle = after(() => {
      handle.refresh()
      work(...parameters)
    }, milliseconds)
    return handle
  }
  const soon = (work: Work, ...parameters: unknown[]) => clock.after(0, () => work(...parameters))
  const clear = (handle: unknown) => {
    if (handle instanceof TimerHandle) handle.close()
  }
  const functions = {
    setTimeout: after,
    setInterval: each,
    setImmediate: soon,
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  }
  Object.assign(globalThis, functions)
  Object.assign(timers, functions)
  Object.assign(timersWithPromises, {
    setTimeout: (milliseconds: number, value?: unknown, options?: Waiting) =>
      waiting(clock, Math.max(1, milliseconds), value, options),
    setImmediate: (value?: unknown, options?: Waiting) => waiting(clock, 0, value, options),
  })
  const randomUUID = () => uuidOf(bytes(16, random).toString('hex'))
  Object.assign(crypto, { randomBytes: (size: number) => bytes(size, random), randomUUID })
  syncBuiltinESMExports()
  Object.assign(globalThis, { Date: dateOf(clock) })
  Math.random = () => random.below(2 ** 32) / 2 ** 32
  performance.now = () => clock.now
  AbortSignal.timeout = (milliseconds) => {
    const controller = new AbortController()
    clock.after(milliseconds, () => controller.abort(new DOMException('timeout', 'TimeoutError')))
    return controller.signal
  }
}

/** The date of the API server, in milliseconds. */
export function serverNow(): number {
  return epoch + Math.floor(current?.now ?? 0)
}

function waiting(clock: Clock, milliseconds: number, value: unknown, { signal }: Waiting = {}) {
  return new Promise((resolve, reject) => {
    const refuse = () => reject(new DOMException('aborted', 'AbortError'))
    if (signal?.aborted) {
      refuse()
      return
    }
    const handle = clock.after(milliseconds, () => {
      signal?.removeEventListener('abort', cancel)
      resolve(value)
    })
    const cancel = () => {
      handle.close()
      refuse()
    }
    signal?.addEventListener('abort', cancel, { once: true })
  })
}

function bytes(size: number, random: Random): Buffer {
  return Buffer.from(Array.from({ length: size }, () => random.below(256)))
}

const uuidOf = (hex: string) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

function dateOf(clock: Clock): typeof Date {
  const now = () => epoch + Math.floor(clock.now + clock.offset)
  return class VirtualDate extends RealDate {
    constructor(date: number | string | Date = now()) {
      super(date)
    }

    static override now(): number {
      return now()
    }
  } as typeof Date // nothing here calls it as a function, or with parts of a date
}
