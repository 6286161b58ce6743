import { ReconcileError, Stalled, Waiting, withoutSideEffects } from '../../domain/base/errors.ts'
import type { AnswerHold } from '../../outbound/answer-hold.ts'
import { InvalidHeader, OutboundError, TargetRefused } from '../../outbound/errors.ts'
import type { Outbound, OutboundResponse } from '../../outbound/outbound.ts'
import type { Cookie } from '../driver.ts'
import { hasManyValues, mostValues } from './answer-size.ts'
import { errorTextOf } from './error-text.ts'
import { readHint, retryAfter } from './progress-hint.ts'

/** One request to a driver, repeated while the driver is busy. */
export interface DriverRequest {
  /** The name of the driver in messages. */
  readonly name: string
  readonly method: 'PUT' | 'DELETE'
  readonly url: string
  readonly body?: string
  /** Statuses of success. */
  readonly done: readonly number[]
  readonly cookie: Cookie | undefined
  readonly signal: AbortSignal
  /** The organization of the resource. */
  readonly owner: string
  /** For a caller that keeps the answer. */
  readonly hold?: AnswerHold
  /** Data that no message may contain. */
  readonly secrets: unknown
}

/** Milliseconds between requests to a busy driver within one call. */
export interface Poll {
  readonly firstMs: number
  /** The pause doubles up to this. */
  readonly mostMs: number
  /** Maximum of all pauses together; after it, the queue retries. */
  readonly withinMs: number
}

const totalMs = 30_000
const maxBytes = 5 * 1024 * 1024
const maxCookieBytes = 10 * 1024
const busySeconds = 10

/** Repeats the request until the driver is done. Throws Waiting while it is busy, Stalled when it rejects the request. */
export async function exchange(
  request: DriverRequest,
  outbound: Outbound,
  poll: Poll,
): Promise<OutboundResponse> {
  let known = await request.cookie?.read()
  // A driver that set a cookie or was busy may have made something.
  let mayHaveBegun = known !== undefined
  let left = poll.withinMs
  for (let pause = poll.firstMs; ; pause = Math.min(pause * 2, poll.mostMs)) {
    const cookie = known
    const keep = async (next: string | undefined) => {
      // Stored first: without the cookie the driver may not find the resource.
      if (next !== known) await request.cookie?.write(next)
      known = next
    }
    const response = await send(request, outbound, cookie, keep).catch((error: unknown) => {
      if (!(error instanceof TargetRefused)) throw explained(error, request.name)
      const stalled = targetRefused(error, request.name)
      throw mayHaveBegun ? stalled : withoutSideEffects(stalled)
    })
    if (request.done.includes(response.status)) return response
    request.hold?.end()
    if (response.status !== 202) {
      const failure = failureOf(response, request, [cookie, known])
      throw mayHaveBegun || known !== undefined ? failure : nothingMadeBy(response, failure)
    }
    mayHaveBegun = true
    const hint = readHint(response.text, Date.now())
    if (hint.isOver)
      throw new ReconcileError(
        'DriverTimeout',
        `${request.name} did not finish before the 'timeout' that it reported`,
      )
    const pauseMs = Math.max(pause, (hint.seconds ?? 0) * 1000)
    if (pauseMs > left)
      throw new Waiting('DriverBusy', `${request.name} is ${hint.doing}`, hint.seconds ?? busySeconds)
    left -= pauseMs
    await sleep(pauseMs, request.signal)
  }
}

/** Sends the request once; `keep` receives the new cookie before the body is read. */
async function send(
  { name, method, url, body, done, signal, owner, hold }: DriverRequest,
  outbound: Outbound,
  cookie: string | undefined,
  keep: (next: string | undefined) => Promise<void>,
): Promise<OutboundResponse> {
  const response = await outbound.request({
    method,
    url,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(cookie === undefined ? {} : { 'humanitec-driver-cookie': cookie }),
    },
    body,
    signal,
    owner,
    hold,
    protocols: ['http:', 'https:'],
    totalMs,
    maxBytes,
    async onHeaders(_, headers) {
      const next = headers['set-humanitec-driver-cookie']
      if (next === undefined) return
      if (next.length > maxCookieBytes)
        throw new Stalled('InvalidAnswer', `${name} set a cookie of more than ${maxCookieBytes} bytes`)
      await keep(next === '' ? undefined : next)
    },
  })
  // A deletion that is done needs no values.
  const isRead = method === 'PUT' || !done.includes(response.status)
  if (isRead && hasManyValues(response.text))
    throw new Stalled('InvalidAnswer', `${name} answered with more than ${mostValues} values`)
  return response
}

/** The error for a missing response, in words for the author of the driver. */
function explained(error: unknown, name: string): unknown {
  if (error instanceof InvalidHeader)
    return new Stalled('InvalidAnswer', `${name} set a cookie that cannot be sent back: ${error.message}`)
  if (!(error instanceof OutboundError)) return error
  if (error.code === 'TooLarge' || error.code === 'Compressed')
    return new Stalled('InvalidAnswer', `${name}: ${error.message}`)
  return new ReconcileError('DriverUnreachable', `${name}: ${error.message}`)
}

function targetRefused({ isAllowable, message }: TargetRefused, name: string): Stalled {
  const remedy = isAllowable ? `; the setting 'QUARTERMASTER_OUTBOUND_ALLOWED' can allow it` : ''
  return new Stalled('TargetRefused', `${name} is not called: ${message}${remedy}`)
}

/** The protocol guarantees for statuses 401 and 403 alone that nothing was made. */
function nothingMadeBy({ status }: OutboundResponse, failure: Error): Error {
  return status === 401 || status === 403 ? withoutSideEffects(failure) : failure
}

/** The error for a response that is neither success nor 202. */
function failureOf(response: OutboundResponse, { name, secrets }: DriverRequest, cookies: unknown): Error {
  const { status, headers } = response
  const text = errorTextOf(response, [secrets, cookies])
  const said = text === '' ? `status ${status}` : `${text} (status ${status})`
  if (status === 409) {
    const { seconds } = readHint(response.text, Date.now())
    return new Waiting('DriverBusy', `${name} is busy with an earlier request`, seconds ?? busySeconds)
  }
  if (status === 429)
    return new Waiting(
      'DriverBusy',
      `${name} takes no more requests at the moment`,
      retryAfter(headers['retry-after'], Date.now()) ?? busySeconds,
    )
  if (status === 401 || status === 403) return new Stalled('NotAllowed', `${name} denies access: ${said}`)
  if (status < 400)
    return new Stalled(
      'InvalidAnswer',
      `${name} answered with status ${status}, which the driver protocol does not define`,
    )
  if (status >= 500 || status === 408 || status === 425)
    return new ReconcileError('DriverFailed', `${name} failed: ${said}`)
  return new Stalled('DriverRefused', `${name} refuses: ${said}`)
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(new Error('the call was given up'))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end)
      resolve()
    }, ms)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}
