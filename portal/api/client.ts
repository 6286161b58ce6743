import { signal } from '@preact/signals'
import { baseAddress } from './base-address.ts'
import { type Answer, addressOf, type OperationName, type RequestInput } from './operations.ts'
import { ApiProblem, problemOf } from './problem.ts'

/** Whether a request waits because the session has ended. */
export const needsSignIn = signal(false)

/** Counts the requests that the roles of the user did not allow. */
export const refusals = signal(0)

let waiting: (() => void)[] = []

/** Repeats the requests that wait for a session. */
export function continueRequests(): void {
  const ready = waiting
  waiting = []
  needsSignIn.value = false
  for (const proceed of ready) proceed()
}

/** What `fetch` needs beyond the operation. */
interface Options {
  readonly signal?: AbortSignal
}

interface SendOptions extends Options {
  /** Media type of the answer, if it is not the first one of the operation. */
  readonly accept?: string
}

/** Sends a request. If the session has ended, it waits until the user has signed in again, and sends it once more. */
export async function call<K extends OperationName>(
  operation: K,
  input: RequestInput<K> = {},
  options: Options = {},
): Promise<Answer<K>> {
  const { method, address, accept } = addressOf(operation, input)
  const response = await send(method, address, input.body, { ...options, accept })
  return (await bodyOf(response)) as Answer<K> // the type is generated from the document that declares the operation
}

/** One page of a list, and the address of the next one; undefined on the last page. */
export interface ListPage<T> {
  readonly items: T
  readonly next: string | undefined
}

/** Reads one page of a list: the first one, or that of an address which the page before named. */
export async function callPage<K extends OperationName>(
  operation: K,
  input: RequestInput<K> = {},
  { address = addressOf(operation, input).address, ...options }: Options & { readonly address?: string } = {},
): Promise<ListPage<Answer<K>>> {
  const { accept } = addressOf(operation, input)
  const response = await send('GET', address, undefined, { ...options, accept })
  const items = (await bodyOf(response)) as Answer<K> // the type is generated from the document that declares the operation
  const next = /^<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
  return { items, next: next === undefined ? undefined : address.replace(/\?.*/, '') + next }
}

/** Reads a list to its end, page by page. */
export async function callAll<K extends OperationName>(
  operation: K,
  input: RequestInput<K> = {},
  options: Options = {},
): Promise<Answer<K>> {
  const items: unknown[] = []
  let { address }: { address: string | undefined } = addressOf(operation, {
    ...input,
    query: { ...input.query, limit: '1000' },
  })
  while (address !== undefined) {
    const page: ListPage<Answer<K>> = await callPage(operation, input, { ...options, address })
    items.push(...(page.items as unknown[])) // lists only
    address = page.next
  }
  return items as Answer<K> // the pages of one list
}

/** Opens a stream of events. */
export async function openStream(
  address: string,
  stopped: AbortSignal,
): Promise<ReadableStream<BufferSource>> {
  const response = await send('GET', address, undefined, { signal: stopped })
  if (!response.ok || !response.body) throw problemOf(response.status, undefined)
  return response.body as ReadableStream<BufferSource> // bytes
}

async function send(method: string, address: string, body: unknown, options: SendOptions): Promise<Response> {
  const response = await fetch(baseAddress + address.slice(1), {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(options.accept === undefined ? {} : { accept: options.accept }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: options.signal,
    cache: 'no-store',
  }).catch((error: unknown) => {
    if (options.signal?.aborted) throw error
    throw new ApiProblem(0, 'Unreachable', 'the gateway cannot be reached')
  })
  if (response.status === 403) refusals.value += 1
  if (response.status !== 401) return response
  await new Promise<void>((resolve) => {
    waiting.push(resolve)
    needsSignIn.value = true
  })
  return send(method, address, body, options)
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text().catch(() => '')
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  const body: unknown = isJson && text !== '' ? parse(text) : undefined
  if (!response.ok) throw problemOf(response.status, body)
  return body
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiProblem(0, 'Unreachable', 'the answer of the gateway is incomplete')
  }
}
