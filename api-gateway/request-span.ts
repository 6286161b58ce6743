import type { Request, Response } from 'express'
import { noTracing, type OpenSpan } from '../operator/tracing/tracing.ts'
import type { Endpoint, Gateway } from './endpoint.ts'
import { statusOf } from './response/send.ts'

/** Starts the span of a request, which ends with the response; probes have none. */
export function startRequestSpan(
  request: Request,
  response: Response,
  { tracing }: Pick<Gateway, 'tracing'>,
  endpoint: Endpoint,
): OpenSpan {
  const { method, path, isUnlimited } = endpoint
  if (isUnlimited) return noTracing.start({ name: '' })
  const span = tracing.start({
    name: `${method.toUpperCase()} ${path}`,
    isServer: true,
    parent: request.get('traceparent'),
    attributes: {
      'http.request.method': request.method,
      'http.route': path,
      'quartermaster.request_id': String(response.locals['requestId']),
    },
  })
  response.once('close', () => {
    const status = statusOf(response)
    span.end(status !== undefined && status >= 500, { 'http.response.status_code': status })
  })
  return span
}
