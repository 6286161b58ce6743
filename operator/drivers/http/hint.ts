import { isObject, parseJson } from '../../domain/base/json.ts'

/** What a driver that is still at work says of its progress. */
export interface Hint {
  readonly doing: string
  /** Seconds until it expects to be ready, by its own clock; at least 1, at most 60. */
  readonly seconds: number | undefined
  /** Whether it has run out of the time that it gave itself. */
  readonly isOver: boolean
}

const words: Readonly<Record<string, string>> = {
  creating: 'creating the resource',
  updating: 'updating the resource',
  deleting: 'deleting the resource',
}

/** The hint in an answer, which may be anything else instead; `now` in milliseconds since 1970. */
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

/** How long a `Retry-After` asks to wait, in seconds or until a date; at least 1, at most 600. */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\s*\d+\s*$/.test(header)) return clampSeconds(Number(header), 600)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : clampSeconds((date - now) / 1000, 600)
}

function clampSeconds(seconds: number, most: number): number {
  return Math.min(Math.max(Math.ceil(seconds), 1), most)
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text)
  return isObject(value) ? value : {}
}

/** A point in time, ISO 8601; a Go driver's zero time means none. */
function timeOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}/.test(value) || value.startsWith('0001-'))
    return undefined
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : time
}
