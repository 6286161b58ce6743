import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { escapeHtml } from '../../../api-gateway/pages/html.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.close())

const pageOf = async (path: string) => {
  const { status, headers, body } = await gateway.send(`GET ${path}`, { as: null })
  return { status, headers, html: String(body), policy: headers.get('content-security-policy') ?? '' }
}
const inside = (html: string, tag: string) =>
  [...html.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))].map(([, text = '']) => text)
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

describe.each(['/docs', '/auth/sign-in'])('%s', (path) => {
  test('is public HTML', async () => {
    const { status, headers } = await pageOf(path)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
  })

  test('has a policy of minimal rights, and cannot be framed', async () => {
    const { policy } = await pageOf(path)
    expect(policy).toMatch(/^default-src 'none'; /)
    expect(policy).not.toMatch(/unsafe|http|\*/)
    for (const rule of ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"])
      expect(policy).toContain(rule)
  })

  test('has a title, a language, and unique ids', async () => {
    const { html } = await pageOf(path)
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(inside(html, 'title')[0]).toContain('Quartermaster')
    expect(html).not.toMatch(/ style=| on\w+=/)
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  })
})

describe('/auth/sign-in', () => {
  test('runs its own style and script alone, by their hashes', async () => {
    const { html, policy } = await pageOf('/auth/sign-in')
    expect(inside(html, 'style').map(hashOf)).toEqual([expect.anything()])
    for (const style of inside(html, 'style')) expect(policy).toContain(`style-src ${hashOf(style)};`)
    for (const script of inside(html, 'script')) expect(policy).toContain(`script-src ${hashOf(script)};`)
    expect(html).not.toMatch(/\bsrc=|<link|@import|url\(/)
  })

  test('shows markup in texts as text', () => {
    expect(escapeHtml(`<img src="x"> & 'quotes'`)).toBe(
      '&lt;img src=&quot;x&quot;&gt; &amp; &#39;quotes&#39;',
    )
  })
})

describe('/docs', () => {
  test('has no inline script or style, and names no other host', async () => {
    const { html, policy } = await pageOf('/docs')
    expect(html).not.toMatch(/<style|<script>|https?:\/\//)
    for (const kind of ['script', 'style', 'connect']) expect(policy).toContain(`${kind}-src 'self';`)
  })

  test.each([
    ['swagger-ui-bundle.js', 'text/javascript'],
    ['swagger-ui-bundle.js.LICENSE.txt', 'text/plain'],
    ['swagger-ui.css', 'text/css'],
    ['start.js', 'text/javascript'],
  ])('consists of %s as %s, which browsers keep by its tag', async (name, type) => {
    const path = `/docs/${name}`
    const first = await gateway.send(`GET ${path}`, { as: null })
    expect(first.status).toBe(200)
    expect(first.headers.get('content-type')).toBe(`${type}; charset=utf-8`)
    expect(first.headers.get('cache-control')).toBe('no-cache')
    expect(first.body.length).toBeGreaterThan(100)

    const tag = first.headers.get('etag') ?? ''
    const ask = (given: string) =>
      gateway.send(`GET ${path}`, { as: null, headers: { 'if-none-match': given } })
    expect(await ask(tag)).toMatchObject({ status: 304, body: undefined })
    expect(await ask(`"other", W/${tag}`)).toMatchObject({ status: 304 })
    expect(await ask('"other"')).toMatchObject({ status: 200, body: first.body })

    const head = await gateway.send(`HEAD ${path}`, { as: null })
    expect(head).toMatchObject({ status: 200, body: undefined })
    expect(head.headers.get('etag')).toBe(tag)
  })

  test.each([
    'index.html',
    'package.json',
    'swagger-ui.js',
    'swagger-ui-bundle.js.map',
    '..%2Fpackage.json',
    '%2e%2e',
    'constructor',
  ])('has no file %s', async (name) => {
    const { status, body } = await gateway.send(`GET /docs/${name}`, { as: null })
    expect(status).toBe(404)
    expect(body).toMatchObject({ error: 'NotFound' })
  })
})
