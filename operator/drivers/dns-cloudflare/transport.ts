import { isObject, parseJson } from '../../domain/base/json.ts'
import { TransportError } from './fault.ts'

/** The most that is read of an answer; a page of 5,000 records has about 3 MB. */
const mostBytes = 32 * 1024 * 1024

/** Headers of the library that the provider needs; it would also take some from the environment. */
const sentHeaders = ['accept', 'authorization', 'content-type', 'user-agent']

interface TransportSettings {
  readonly token: string
  /** Told of the headers of each answer. */
  readonly onAnswer: (headers: Headers) => void
}

/**
 * A `fetch` for the library that reads a whole answer within bounds of size and time (the time is its caller's), goes
 * nowhere else than asked, and makes an error of an answer that says so with status 200.
 */
export function createTransport({ token, onAnswer }: TransportSettings): typeof fetch {
  return async (input, init) => {
    const given = new Headers(init?.headers)
    const headers = new Headers({ authorization: `Bearer ${token}` })
    for (const name of sentHeaders) {
      const value = given.get(name)
      if (value !== null && name !== 'authorization') headers.set(name, value)
    }
    const response = await reached(() => fetch(input, { ...init, headers, redirect: 'manual' }))
    onAnswer(response.headers)
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
    throw new TransportError(`the provider cannot be reached${codeText(error)}`) // without the address, which is no news
  }
}

function codeText(error: unknown): string {
  const { cause, name } = error instanceof Object ? (error as Error) : new Error() // errors of another realm
  if (name === 'AbortError') return ' in time'
  const code = isObject(cause) ? cause.code : undefined
  return typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) ? `: ${code}` : ''
}

/** The body, whose bytes are counted after it is unpacked. */
async function boundedText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  await reached(async () => {
    for await (const chunk of body ?? []) {
      bytes += chunk.byteLength
      if (bytes > mostBytes) return
      chunks.push(chunk)
    }
  })
  if (bytes > mostBytes) throw new TransportError(`the provider's answer is longer than ${mostBytes} bytes`)
  return Buffer.concat(chunks).toString('utf8')
}

/** The status that an answer with a good status deserves. */
function statusWithin(text: string): number {
  const answer = parseJson(text)
  if (!isObject(answer) || typeof answer.success !== 'boolean')
    throw new TransportError('the provider gave an answer that cannot be read')
  return answer.success ? 200 : 400
}

function retryAfterOf(headers: Headers): Record<string, string> {
  const value = headers.get('retry-after')
  return value === null ? {} : { 'retry-after': value }
}
