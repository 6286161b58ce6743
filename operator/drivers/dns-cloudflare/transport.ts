import type { FreeForm } from '../../api/schema.ts'
import { isObject, parseJson } from '../../domain/base/json.ts'
import { TransportError } from './api-error.ts'

/** The maximum size of a response; a page of 5,000 records has about 3 MB. */
const maxBytes = 32 * 1024 * 1024

/** Headers of the library to send; it adds others from the environment. */
const sentHeaders = ['accept', 'authorization', 'content-type', 'user-agent']

interface TransportSettings {
  readonly token: string
  /** Receives the headers of each response. */
  readonly onResponse: (headers: Headers) => void
}

/**
 * A `fetch` for the library that bounds the size of a response, follows no redirect, and turns a failure with status 200
 * into status 400.
 */
export function createTransport({ token, onResponse }: TransportSettings): typeof fetch {
  return async (input, init) => {
    const given = new Headers(init?.headers)
    const headers = new Headers({ authorization: `Bearer ${token}` })
    for (const name of sentHeaders) {
      const value = given.get(name)
      if (value !== null && name !== 'authorization') headers.set(name, value)
    }
    const response = await reached(() => fetch(input, { ...init, headers, redirect: 'manual' }))
    onResponse(response.headers)
    const text = await boundedText(response)
    const status = response.ok ? statusWithin(text) : response.status
    return new Response(text, {
      status,
      headers: { 'content-type': 'application/json', ...retryAfterOf(response.headers) },
    })
  }
}

async function reached<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw new TransportError(`the provider cannot be reached${codeText(error)}`) // without the address
  }
}

function codeText(error: unknown): string {
  const { cause, name }: FreeForm = isObject(error) ? error : {}
  if (name === 'AbortError') return ' in time'
  const code = isObject(cause) ? cause.code : undefined
  return typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) ? `: ${code}` : ''
}

/** The body; its size counts after decompression. */
async function boundedText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  await reached(async () => {
    for await (const chunk of body ?? []) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) return
      chunks.push(chunk)
    }
  })
  if (bytes > maxBytes) throw new TransportError(`the provider's answer is longer than ${maxBytes} bytes`)
  return Buffer.concat(chunks).toString('utf8')
}

/** The status for a response with status 2xx. Without a result, the library would read an empty list. */
function statusWithin(text: string): number {
  const answer = parseJson(text)
  if (isObject(answer) && answer.success === false) return 400
  if (isObject(answer) && answer.success === true && typeof answer.result === 'object' && answer.result)
    return 200
  throw new TransportError('the provider gave an answer that cannot be read')
}

function retryAfterOf(headers: Headers): Record<string, string> {
  const value = headers.get('retry-after')
  return value === null ? {} : { 'retry-after': value }
}
