import type { Readable } from 'node:stream'
import type { AnswerHold } from './answer-hold.ts'
import { OutboundError } from './errors.ts'
import { smallBytes } from './large-answers.ts'

type Headers = Readonly<Record<string, string>>

/** Headers of an answer as texts. */
export function plainHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = '']) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  )
}

/** The body as text; closes the connection at more than `maxBytes`. Waits for `enterLarge` before it keeps a large one. */
export async function readBody(
  body: Readable,
  headers: Headers,
  {
    maxBytes,
    enterLarge,
    hold,
  }: {
    readonly maxBytes: number
    readonly enterLarge: () => Promise<() => void>
    readonly hold: AnswerHold | undefined
  },
): Promise<string> {
  const encoding = headers['content-encoding'] ?? ''
  if (encoding !== '' && encoding.toLowerCase() !== 'identity') {
    body.destroy()
    throw new OutboundError('Compressed', 'the answer is compressed, which was not asked for')
  }
  const tooLarge = new OutboundError('TooLarge', `the answer is larger than ${maxBytes} bytes`)
  if (Number(headers['content-length'] ?? 0) > maxBytes) {
    body.destroy()
    throw tooLarge
  }
  const chunks: Buffer[] = []
  let bytes = 0
  let leave: (() => void) | undefined
  try {
    // An exit from the loop destroys the body.
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLarge
      if (bytes > smallBytes) leave ??= await enterLarge()
      chunks.push(chunk)
    }
    const text = new TextDecoder().decode(Buffer.concat(chunks))
    if (hold && leave) {
      hold.keep(leave)
      leave = undefined
    }
    return text
  } finally {
    leave?.()
  }
}
