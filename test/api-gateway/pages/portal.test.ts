import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { ensurePortal } from '../../../dev/portal.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'

let gateway: TestGateway
let page = ''

beforeAll(async () => {
  gateway = await startGateway({ portalDirectory: pathToFileURL(`${await ensurePortal()}/`) })
  page = await (await open('/')).text()
})
afterAll(() => gateway.close())

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const open = (path: string, headers: Record<string, string> = html, method = 'GET') =>
  fetch(gateway.url + path, { method, headers, redirect: 'manual' })

/** Addresses of the files that a page names, as the browser resolves them. */
const filesIn = (text: string, address: string) =>
  [...text.matchAll(/(?:src|href)="([^"]*assets[^"]*)"/g)].map(([, name = '']) => new URL(name, address))

/** An answer without the decompression of `fetch`. */
const raw = (address: URL, encoding: string) =>
  new Promise<{ headers: Record<string, unknown>; content: Buffer }>((resolve, reject) => {
    get(address, { headers: { 'accept-encoding': encoding } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ headers: response.headers, content: Buffer.concat(chunks) }))
    }).on('error', reject)
  })

describe('the portal', () => {
  test.each([
    ['/', 'GET'],
    ['/', 'HEAD'],
    ['/o/acme', 'GET'],
    ['/o/acme/apps/shop/envs/dev/graph', 'GET'],
    ['/o/acme/types/acme%2Fs3', 'GET'],
  ])('answers a browser at %s with its page: %s', async (path, method) => {
    const { status, headers } = await open(path, html, method)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('cache-control')).toBe('no-cache')
  })

  test('has a policy that allows its own files only, and cannot be framed', async () => {
    const { headers } = await open('/')
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(page).not.toMatch(/<style|<script>| style=| on\w+=|https?:\/\//)
  })

  test('names its files relative to the page, so that a proxy may add a prefix', async () => {
    const text = await (await open('/o/acme/apps/shop')).text()
    const addresses = filesIn(text, 'https://example.test/prefix/o/acme/apps/shop').map(
      ({ pathname }) => pathname,
    )
    expect(addresses).not.toEqual([])
    for (const address of addresses) expect(address).toMatch(/^\/prefix\/assets\/[\w.-]+$/)
  })

  test.each(['*/*', 'text/*', 'application/json;q=0.5, text/html'])(
    'is found by a client that accepts %s',
    async (accept) => {
      expect(await (await open('/', { accept })).text()).toBe(page)
    },
  )

  test.each([
    ['a client that accepts JSON', '/', 'GET', { accept: 'application/json' }],
    ['another method', '/', 'POST', html],
    ['another client at a page', '/o/acme', 'GET', { accept: 'application/json' }],
    ['a path of no page', '/other', 'GET', html],
  ])('is not found by %s', async (_, path, method, headers) => {
    const response = await open(path, headers, method)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: 'NotFound' })
  })
})

test('a page that could not be read once is read again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portal-'))
  mkdirSync(join(folder, 'assets'))
  const index = join(folder, 'index.html')
  writeFileSync(index, 'first')
  const other = await startGateway({ portalDirectory: pathToFileURL(`${folder}/`) })
  const status = async () => (await fetch(`${other.url}/`, { headers: html })).status
  rmSync(index)
  expect(await status()).toBe(500)
  writeFileSync(index, 'again')
  expect(await status()).toBe(200)
  await other.close()
  rmSync(folder, { recursive: true })
})

describe('a file of the portal', () => {
  test('is kept by browsers for ever, because its name changes with its content', async () => {
    for (const address of filesIn(page, `${gateway.url}/`)) {
      const response = await fetch(address)
      expect([response.status, response.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ])
      expect(response.headers.get('content-type')).toMatch(/^text\/(?:javascript|css); charset=utf-8$/)
      expect(address.pathname).toMatch(/-[\w-]{8}\.(?:js|css)$/)
    }
  })

  test.each([
    ['br, gzip', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ['gzip ; q=0.5, br; q=0', 'gzip', gunzipSync],
    ['identity', undefined, (content: Buffer) => content],
  ])('is compressed as the browser accepts: %s', async (accepted, encoding, decode) => {
    const [address] = filesIn(page, `${gateway.url}/`)
    if (!address) throw new Error('the page has no files')
    const plain = await (await fetch(address)).text()
    const { headers, content } = await raw(address, accepted)
    expect([headers['content-encoding'], headers['vary']]).toEqual([encoding, 'Accept-Encoding'])
    expect(decode(content).toString()).toBe(plain)
  })

  test.each(['index.html', '..%2Findex.html', 'constructor', 'x.js', 'x.js.br'])(
    'that is not there is not found: %s',
    async (name) => {
      const response = await open(`/assets/${name}`)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ error: 'NotFound' })
    },
  )

  test('counts: the first page needs at most 80 KB of compressed script', async () => {
    const sizes = await Promise.all(
      filesIn(page, `${gateway.url}/`)
        .filter(({ pathname }) => pathname.endsWith('.js'))
        .map(async (address) => (await raw(address, 'gzip')).content.length),
    )
    expect(sizes).not.toEqual([])
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(80 * 1024)
  })
})
