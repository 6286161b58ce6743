import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'

const eventStream = 'text/event-stream'

/** The text of a response; of a stream of events, which has no end, the first part. */
export async function responseText(response: Response): Promise<string> {
  if (response.headers.get('content-type') !== eventStream) return response.text()
  const reader = response.body?.getReader()
  const { value } = (await reader?.read()) ?? {}
  await reader?.cancel()
  return new TextDecoder().decode(value)
}

/** The same for a response of `node:http`. */
export async function messageText(message: IncomingMessage): Promise<string> {
  if (message.headers['content-type'] !== eventStream) {
    const chunks: Buffer[] = []
    for await (const chunk of message) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  }
  const [chunk] = await Promise.race([once(message, 'data'), once(message, 'end').then(() => [''])])
  message.destroy()
  return String(chunk)
}
