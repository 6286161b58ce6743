import cors from 'cors'
import type { RequestHandler } from 'express'

/** Headers of every answer: what it says is data, for nobody to keep, guess at, frame or embed. A page has its own policy. */
export const commonHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
}

/** Lets pages of these origins call us with a token of their own; cookies are never part of it. */
export function allowOrigins(origins: readonly string[]): RequestHandler {
  return cors({
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'Humanitec-User-Agent',
      'Idempotency-Key',
      'If-None-Match',
      'X-Request-Id',
    ],
    exposedHeaders: ['ETag', 'Link', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
    maxAge: 600,
  })
}
