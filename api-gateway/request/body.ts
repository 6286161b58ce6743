import { randomUUID } from 'node:crypto'
import { MIMEType } from 'node:util'
import type { Request } from 'express'
import { Problem } from '../../operator/domain/base/errors.ts'
import { isObject } from '../../operator/domain/base/json.ts'

const maxDepth = 64
const maxKeysOfObject = 10_000
const maxKeys = 100_000
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])
/** Without so many digits in a row, all integers are kept as they are. */
const manyDigits = /\d{16}/
/** In valid JSON: what is passed over, and what may be a long integer. */
const textOrLongNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|[-+.\deE]{16,}/g

/** How much of a body is taken in. */
export interface BodyLimits {
  readonly maxBytes: number
  /** Counts what is held until all of it is there; may refuse it. */
  take(bytes: number): void
  give(bytes: number): void
}

/** The JSON value in the body of a request; refuses what is not JSON (422) and what is too large or deep (400). */
export async function readJson(request: Request, { maxBytes, take, give }: BodyLimits): Promise<unknown> {
  const { 'content-type': contentType = '', 'content-encoding': encoding = 'identity' } = request.headers
  if (!isJsonType(contentType)) {
    throw new Problem('Unprocessable', "the body must be JSON: content type 'application/json'")
  }
  if (encoding !== 'identity') throw new Problem('Unprocessable', 'the body must not be compressed')
  const text = decode(await readBytes(request, { maxBytes, take, give }))
  if (text.trim() === '') throw new Problem('Unprocessable', 'the body is empty')
  const value = parse(text)
  refuseUnusable(value)
  if (manyDigits.test(text)) refuseChangedIntegers(text)
  return value
}

/** Whether that is JSON in UTF-8; other parameters say nothing to us. */
function isJsonType(contentType: string): boolean {
  try {
    const { essence, params } = new MIMEType(contentType)
    return essence === 'application/json' && (params.get('charset') ?? 'utf-8').toLowerCase() === 'utf-8'
  } catch {
    return false
  }
}

async function readBytes(request: Request, { maxBytes, take, give }: BodyLimits): Promise<Buffer> {
  const tooLarge = new Problem('Invalid', `the body is larger than ${maxBytes} bytes`)
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge
  const chunks: Buffer[] = []
  let size = 0
  try {
    // The request outlives a body that is not read to its end: it is still answered.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (size + chunk.length > maxBytes) throw tooLarge
      take(chunk.length)
      size += chunk.length
      chunks.push(chunk)
    }
  } catch (error) {
    // The client is gone or does not speak HTTP: nothing that could be mended here.
    throw error instanceof Problem ? error : new Problem('Invalid', 'the body is incomplete')
  } finally {
    give(size)
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
  try {
    return JSON.parse(text)
  } catch {
    // What the parser says quotes the body, which may hold secrets.
    throw new Problem('Unprocessable', 'the body is not valid JSON')
  }
}

/** Refuses integers that a double cannot hold: they would be answered as others. */
function refuseChangedIntegers(text: string): void {
  for (const { 0: token, index } of text.matchAll(textOrLongNumber)) {
    if (!isChangedInteger(token)) continue
    // Not through a reviver, which takes many times as long for a long list.
    const mark = randomUUID()
    const path = pathTo(
      mark,
      JSON.parse(text.slice(0, index) + JSON.stringify(mark) + text.slice(index + token.length)),
    )
    const where = path?.length ? `'${path.join('.')}'` : 'the body'
    throw new Problem('Invalid', `the integer in ${where} has too many digits: send it as a string`)
  }
}

function isChangedInteger(token: string): boolean {
  if (!/^-?\d+$/.test(token)) return false
  const value = Number(token)
  return !Number.isFinite(value) || BigInt(token) !== BigInt(value)
}

function pathTo(wanted: string, value: unknown): string[] | undefined {
  if (value === wanted) return []
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, item] of Object.entries(value)) {
    const path = pathTo(wanted, item)
    if (path) return [key, ...path]
  }
  return undefined
}

function refuseUnusable(value: unknown): void {
  let keys = 0
  const visit = (item: unknown, depth: number): void => {
    if (typeof item === 'number' && !Number.isFinite(item))
      throw new Problem('Invalid', 'a number in the body is too large')
    if (typeof item !== 'object' || item === null) return
    if (depth > maxDepth) throw new Problem('Invalid', `the body is nested deeper than ${maxDepth} levels`)
    const names = isObject(item) ? Object.keys(item) : []
    keys += names.length
    if (names.length > maxKeysOfObject || keys > maxKeys)
      throw new Problem('Invalid', 'the body has too many keys')
    const forbidden = names.find((name) => forbiddenKeys.has(name))
    if (forbidden) throw new Problem('Invalid', `the body has the key '${forbidden}', which is not allowed`)
    for (const child of Object.values(item)) visit(child, depth + 1)
  }
  visit(value, 1)
}
