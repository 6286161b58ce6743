import { once } from 'node:events'
import type { Request, Response } from 'express'
import type { EventsResponse } from '../endpoint.ts'

/** Sends events until the stream ends or the client disconnects. A client that does not read holds the stream back. */
export async function sendEvents(
  request: Request,
  response: Response,
  { events, controller }: EventsResponse,
): Promise<void> {
  response.once('close', () => controller.abort())
  if (response.destroyed) controller.abort()
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    // Proxies would collect the events.
    'x-accel-buffering': 'no',
  })
  if (request.method === 'HEAD') {
    response.end()
    return
  }
  try {
    for await (const text of events) {
      if (response.destroyed) return
      if (!response.write(text)) await once(response, 'drain', { signal: controller.signal }).catch(() => {})
    }
  } finally {
    controller.abort()
    response.end()
  }
}
