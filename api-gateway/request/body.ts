import { MIMEType } from 'node:util'
import type { Request } from 'express'
import { Problem } from '../../operator/domain/base/errors.ts'
import { isObject, parseJson, pathOfChangedInteger } from '../../operator/domain/base/json.ts'

const maxDepth = 64
const maxKeysOfObject = 10_000
const maxKeys = 100_000
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])

/** Limits for a request body. */
export interface BodyLimits {
  readonly maxBytes: number
  /** Counts bytes that are in memory; may throw. */
  reserve(bytes: number): void
  release(bytes: number): void
}

/** Receives a JSON body, whose bytes the caller releases; throws Unprocessable if it is not JSON and Invalid if it is too large. */
export async function receiveBody(request: Request, limits: BodyLimits): Promise<Buffer> {
  const { 'content-type': contentType = '', 'content-encoding': encoding = 'identity' } = request.headers
  if (!isJsonType(contentType)) {
    throw new Problem('Unprocessable', "the body must be JSON: content type 'application/json'")
  }
  if (encoding !== 'identity') throw new Problem('Unprocessable', 'the body must not be compressed')
  return readBytes(request, limits)
}

/** Parses a body; throws Unprocessable if it is not JSON and Invalid if it is too deep. */
export function parseBody(bytes: Buffer): unknown {
  const text = decode(bytes)
  if (text.trim() === '') throw new Problem('Unprocessable', 'the body is empty')
  const value = parse(text)
  refuseUnusable(value)
  refuseChangedIntegers(text)
  return value
}

/** Accepts JSON in UTF-8; other parameters are ignored. */
function isJsonType(contentType: string): boolean {
  try {
    const { essence, params } = new MIMEType(contentType)
    return essence === 'application/json' && (params.get('charset') ?? 'utf-8').toLowerCase() === 'utf-8'
  } catch {
    return false
  }
}

async function readBytes(request: Request, { maxBytes, reserve, release }: BodyLimits): Promise<Buffer> {
  const tooLarge = new Problem('Invalid', `the body is larger than ${maxBytes} bytes`)
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge
  const chunks: Buffer[] = []
  let size = 0
  try {
    // The request is kept open for the response, even if its body is not read completely.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (size + chunk.length > maxBytes) throw tooLarge
      reserve(chunk.length)
      size += chunk.length
      chunks.push(chunk)
    }
  } catch (error) {
    release(size)
    // The client disconnected or sent invalid HTTP.
    throw error instanceof Problem ? error : new Problem('Invalid', 'the body is incomplete')
  }
  return Buffer.concat(chunks)
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Problem('Unprocessable', 'the body is not valid UTF-8')
  }
}

function parse(text: string): unknown {
  const value = parseJson(text)
  // The error of the parser is not shown: it quotes the body, which can contain secrets.
  if (value === undefined) throw new Problem('Unprocessable', 'the body is not valid JSON')
  return value
}

/** Throws Invalid for an integer that would be answered with other digits. */
function refuseChangedIntegers(text: string): void {
  const path = pathOfChangedInteger(text)
  if (path === undefined) return
  const where = path.length > 0 ? `'${path.join('.')}'` : 'the body'
  throw new Problem('Invalid', `the integer in ${where} has too many digits: up to 15 are always exact`)
}

/** The API server stores another character for half of a surrogate pair, and two keys may become one. */
function refuseHalves(text: string): void {
  if (!text.isWellFormed())
    throw new Problem('Invalid', 'a text in the body has half of a surrogate pair, such as \\ud800')
}

/**
 * Throws Invalid for a value that is too deep, has too many keys or a forbidden one, a number that is too large, or a text
 * that is not Unicode.
 */
export function refuseUnusable(value: unknown): void {
  let keys = 0
  const visit = (item: unknown, depth: number): void => {
    if (typeof item === 'number' && !Number.isFinite(item))
      throw new Problem('Invalid', 'a number in the body is too large')
    if (typeof item === 'string') refuseHalves(item)
    if (typeof item !== 'object' || item === null) return
    if (depth > maxDepth) throw new Problem('Invalid', `the body is nested deeper than ${maxDepth} levels`)
    const names = isObject(item) ? Object.keys(item) : []
    keys += names.length
    if (names.length > maxKeysOfObject || keys > maxKeys)
      throw new Problem('Invalid', 'the body has too many keys')
    for (const name of names) refuseHalves(name)
    const forbidden = names.find((name) => forbiddenKeys.has(name))
    if (forbidden) throw new Problem('Invalid', `the body has the key '${forbidden}', which is not allowed`)
    for (const child of Object.values(item)) visit(child, depth + 1)
  }
  visit(value, 1)
}
