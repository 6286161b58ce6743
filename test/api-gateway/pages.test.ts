import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { endpoints } from '../../api-gateway/endpoints/index.ts'
import { openApiDocument } from '../../api-gateway/openapi.ts'
import { escapeHtml, proseHtml } from '../../api-gateway/pages/html.ts'
import { referencePage } from '../../api-gateway/pages/reference.ts'
import { DeploymentDelta } from '../../operator/api/deployment-delta.ts'
import { newObject } from '../../operator/api/kind.ts'
import { ResourceDefinition } from '../../operator/api/resource-definition.ts'
import { startGateway, type TestGateway } from './support/gateway.ts'
import { addEnvironment, finish } from './support/objects.ts'

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway()
})
beforeEach(() => {
  gateway.reset()
  addEnvironment(gateway, 'staging', 'development')
})
afterAll(() => gateway.close())

const pageOf = async (path: string) => {
  const { status, headers, body } = await gateway.send(`GET ${path}`, { as: null })
  return { status, headers, html: String(body) }
}
const inside = (html: string, tag: string) =>
  [...html.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))].map(([, text = '']) => text)
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

describe.each(['/docs', '/auth/sign-in'])('%s', (path) => {
  test('is HTML, for anybody', async () => {
    const { status, headers } = await pageOf(path)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
  })

  test('may do nothing but what it needs: its own style and script, by their hashes', async () => {
    const { headers, html } = await pageOf(path)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^default-src 'none'; /)
    expect(policy).not.toMatch(/unsafe|http|\*/)
    expect(policy).toContain("frame-ancestors 'none'")
    for (const style of inside(html, 'style')) expect(policy).toContain(`style-src ${hashOf(style)};`)
    for (const script of inside(html, 'script')) expect(policy).toContain(`script-src ${hashOf(script)};`)
    expect(html).not.toMatch(/ style=| on\w+=/)
  })

  test('fetches nothing from anywhere', async () => {
    const { html } = await pageOf(path)
    expect(html).not.toMatch(/\bsrc=|<link|@import|url\(|https?:\/\//)
  })

  test('has a title, a language, a heading, and ids of their own', async () => {
    const { html } = await pageOf(path)
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(html.match(/<h1>/g)).toHaveLength(1)
    expect(inside(html, 'title')[0]).toContain('Quartermaster')
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  })
})

describe('the reference', () => {
  test('has every operation, with its path, what it is for and who may call it', async () => {
    const { html } = await pageOf('/docs')
    const { paths } = openApiDocument(endpoints, 'test')
    for (const [path, item] of Object.entries(paths)) {
      for (const [method, { operationId, summary, description }] of Object.entries(item)) {
        expect(html).toContain(
          `<summary><b>${method.toUpperCase()}</b> <code>${path}</code> ${proseHtml(summary)}</summary>`,
        )
        expect(html).toContain(`<div id="${operationId}"><p>${proseHtml(description)}</p>`)
      }
    }
  })

  test('leads nowhere that is not there', async () => {
    const { html } = await pageOf('/docs')
    const ids = new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id))
    const targets = [...html.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id)
    expect(targets.length).toBeGreaterThan(100)
    expect(targets.filter((id) => !ids.has(id))).toEqual([])
    const others = [...html.matchAll(/href="([^#"]+)"/g)].map(([, target]) => target)
    for (const target of others) expect((await pageOf(`/${target}`)).status).toBe(200)
  })

  test('has a command line for a request, and no token in it where none is needed', async () => {
    const { html } = await pageOf('/docs')
    const lines = inside(html, 'pre')
    const find = (start: string) => lines.find((line) => line.startsWith(escapeHtml(start)))
    expect(find('curl -X POST "$GATEWAY_URL/orgs/acme/apps"')).toContain('Authorization: Bearer $TOKEN')
    expect(find('curl -X POST "$GATEWAY_URL/orgs/acme/apps"')).toContain(escapeHtml('-d \'{"id":"my-id"'))
    expect(find('curl "$GATEWAY_URL/orgs/acme/resources/types/acme%2Ftopic"')).toBeDefined()
    expect(find('curl "$GATEWAY_URL/livez"')).toBe(escapeHtml('curl "$GATEWAY_URL/livez"'))
  })

  const setId = '78ca0149b7cd436ed7a30633f9516b5a8a7712c984f92a40de0489bf21dfc19a' // of the empty set
  const bodies = Object.entries(openApiDocument(endpoints, 'test').paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { parameters, requestBody }]) => {
      const examples = new Map(parameters.map(({ name, example = setId }) => [name, example]))
      const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(examples.get(name) ?? ''),
      )
      const body = requestBody?.content['application/json']?.example
      return requestBody ? [[`${method.toUpperCase()} ${target}`, body] as const] : []
    }),
  )

  test.each(bodies)('has a body for %s that is well formed', async (operation, body) => {
    const { cluster, send } = gateway
    const [delta, definition] = [
      { namespace: 'acme', name: 'first-release' },
      { namespace: 'acme', name: 'redis' },
    ]
    cluster.put(DeploymentDelta, newObject(DeploymentDelta, delta, { applicationName: 'shop' }))
    const spec = { type: 'redis', driverType: 'quartermaster/echo', criteria: [{}] }
    cluster.put(ResourceDefinition, newObject(ResourceDefinition, definition, spec))
    await send('POST /orgs/acme/apps/shop/envs/staging/deploys', { body: { delta_id: 'first-release' } })
    finish(gateway, 'shop.staging.1')
    const { status } = await send(operation, { body })
    expect([200, 201, 202, 204, 403, 404, 409]).toContain(status)
  })

  test('shows markup in texts as text', () => {
    const evil = '<img src=x> & "quotes" `<code>`'
    const html = referencePage({
      openapi: '3.1.0',
      info: { title: evil, version: '1', description: evil },
      tags: [{ name: evil, description: evil }],
      paths: {
        '/<path>': {
          get: {
            operationId: 'get_path',
            summary: evil,
            description: evil,
            tags: [evil],
            parameters: [
              { name: evil, in: 'query', required: false, schema: { enum: [evil], description: evil } },
            ],
            responses: {
              200: { description: evil, content: { 'text/plain': { schema: { pattern: evil } } } },
            },
          },
        },
      },
      components: { securitySchemes: {}, schemas: { Any: { type: 'object', properties: { '<i>': {} } } } },
    })
    expect(html).not.toMatch(/<img|<path>|<code><code>|<code><i>/)
    expect(html).toContain('<code>&lt;code&gt;</code>')
  })
})
