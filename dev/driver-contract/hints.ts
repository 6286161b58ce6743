import { parseJson } from '../../operator/domain/base/json.ts'
import type { Answer } from './client.ts'
import { isJson } from './inputs.ts'

const firstPauseMs = 100
const shortestPauseMs = 20
const longestPauseMs = 10_000
const times = ['estimated_completion_time', 'timeout', 'timeout_deadline', 'current_time'] as const

/** Milliseconds until the next call: what the driver hints at, else growing ones. */
export function pauseAfter(answer: Answer, polls: number): number {
  const hinted = hintedPause(answer) ?? firstPauseMs * 1.5 ** polls
  return Math.min(longestPauseMs, Math.max(shortestPauseMs, hinted))
}

/** What is wrong with the hint of a 202 or 409. */
export function hintFault({ text }: Answer): string | undefined {
  const hint = hintOf(text)
  for (const name of times) {
    const value = hint[name]
    if (value !== undefined && Number.isNaN(timeOf(value))) return `'${name}' is no ISO 8601 time`
  }
  const { status } = hint
  if (status === undefined || status === 'creating' || status === 'updating' || status === 'deleting')
    return undefined
  return `'status' must be creating, updating or deleting`
}

function hintedPause({ headers, text }: Answer): number | undefined {
  const seconds = Number(headers['retry-after'] ?? Number.NaN)
  if (seconds >= 0) return seconds * 1000
  const hint = hintOf(text)
  const now = hint.current_time === undefined ? Date.now() : timeOf(hint.current_time)
  const pause = timeOf(hint.estimated_completion_time) - now
  return Number.isNaN(pause) ? undefined : pause
}

/** A 202 may carry outputs instead of a hint, or nothing. */
function hintOf(text: string): Record<string, unknown> {
  const body = parseJson(text)
  return isJson(body) && body.resource === undefined ? body : {}
}

function timeOf(value: unknown): number {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN
}
