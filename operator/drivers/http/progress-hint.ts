import { isObject, parseJson } from '../../domain/base/json.ts'

/** The progress that a busy driver reports. */
export interface Hint {
  readonly doing: string
  /** Seconds until it expects to be ready by its own clock, from 1 to 60. */
  readonly seconds: number | undefined
  /** Whether its own deadline has passed. */
  readonly isOver: boolean
}

const words: Readonly<Record<string, string>> = {
  creating: 'creating the resource',
  updating: 'updating the resource',
  deleting: 'deleting the resource',
}

/** The hint in a response of any form; `now` in milliseconds since 1970. */
export function readHint(text: string, now: number): Hint {
  const fields = fieldsOf(text)
  const current = timeOf(fields.current_time) ?? now
  const ready = timeOf(fields.estimated_completion_time)
  const deadline = timeOf(fields.timeout) ?? timeOf(fields.timeout_deadline)
  const doing = typeof fields.status === 'string' ? words[fields.status.toLowerCase()] : undefined
  return {
    doing: doing ?? 'at work on the resource',
    seconds: ready === undefined ? undefined : clampSeconds((ready - current) / 1000, 60),
    isOver: deadline !== undefined && deadline < current,
  }
}

/** The seconds of a `Retry-After`, which may be a date; from 1 to 600. */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\s*\d+\s*$/.test(header)) return clampSeconds(Number(header), 600)
  // `-5` and `2.5` would be days of the year 2001.
  const date = /[a-z]/i.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(date) ? undefined : clampSeconds((date - now) / 1000, 600)
}

function clampSeconds(seconds: number, most: number): number {
  return Math.min(Math.max(Math.ceil(seconds), 1), most)
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text)
  return isObject(value) ? value : {}
}

/** A time in ISO 8601; Go's zero time is none. */
function timeOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}/.test(value) || value.startsWith('0001-'))
    return undefined
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : time
}
