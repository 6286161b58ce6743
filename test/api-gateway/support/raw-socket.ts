import { connect } from 'node:net'

/** The bytes received over a connection until it ended. */
export interface RawAnswer {
  readonly text: string
  readonly status: number
  /** Bytes that were handed over for sending. */
  readonly sent: number
}

/** Sends raw bytes, then more of them until an answer arrives; ends with the connection. */
export function raw(
  port: number,
  first: string | Uint8Array,
  more?: { readonly chunk: Uint8Array | string; readonly everyMs?: number; readonly most?: number },
): Promise<RawAnswer> {
  return new Promise((resolve) => {
    let text = ''
    let sent = 0
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(first)
      pour()
    })
    function pour(): void {
      if (!more || text !== '' || socket.destroyed || sent >= (more.most ?? Number.POSITIVE_INFINITY)) return
      sent += more.chunk.length
      const isTaken = socket.write(more.chunk)
      if (more.everyMs !== undefined) setTimeout(pour, more.everyMs)
      else if (isTaken) setImmediate(pour)
      else socket.once('drain', pour)
    }
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', () => {}) // bytes that were not sent
    socket.on('close', () =>
      resolve({
        text,
        status: Number(/^HTTP\/1\.1 (\d+) /.exec(text)?.[1] ?? 0),
        sent,
      }),
    )
  })
}

/** The JSON bodies of all answers in a text, in order. */
export function bodiesIn(text: string): unknown[] {
  return text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .map((answer) => answer.split('\r\n\r\n')[1] ?? '')
    .filter((body) => body !== '')
    .map((body) => JSON.parse(body))
}
