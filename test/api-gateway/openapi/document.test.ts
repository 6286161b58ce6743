import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import { parameterNames } from '../../../api-gateway/openapi/document.ts'
import { parameters } from '../../../api-gateway/request/parameters.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { addEnvironment } from '../support/objects.ts'

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway()
  addEnvironment(gateway)
})
afterAll(() => gateway.close())

interface Operation {
  readonly operationId: string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
  readonly responses: Readonly<Record<string, unknown>>
  readonly security?: readonly unknown[]
  readonly requestBody?: unknown
}

async function operations(): Promise<Map<string, Operation>> {
  const { body } = await gateway.send('GET /openapi.json', { as: null })
  const paths = Object.entries(body.paths as Record<string, Record<string, Operation>>) // the document
  return new Map(
    paths.flatMap(([path, item]) =>
      Object.entries(item).map(([method, each]) => [`${method} ${path}`, each]),
    ),
  )
}

describe('the OpenAPI document', () => {
  test('has every operation once, under a unique id', async () => {
    const described = await operations()
    expect([...described.keys()].sort()).toEqual(
      endpoints.map(({ method, path }) => `${method} ${path}`).sort(),
    )
    expect(new Set([...described.values()].map(({ operationId }) => operationId)).size).toBe(endpoints.length)
  })

  test('has every parameter of every path, with its pattern', async () => {
    for (const [name, operation] of await operations()) {
      const names = operation.parameters.filter((each) => each.in === 'path').map((each) => each.name)
      expect(names).toEqual(parameterNames(name))
      for (const each of names) expect(parameters[each]).toHaveProperty('pattern')
    }
  })

  test('has the refusals of the specification at every protected operation', async () => {
    for (const operation of (await operations()).values()) {
      if (operation.security) continue
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['401', '403', '429', '500']))
      if (operation.requestBody)
        expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['400', '422']))
    }
  })

  test('holds nothing of Kubernetes and no dangling reference', async () => {
    const { body } = await gateway.send('GET /openapi.json', { as: null })
    const text = JSON.stringify(body)
    expect(text).not.toContain('x-kubernetes')
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      expect(body.components.schemas).toHaveProperty(name)
    }
  })
})

describe('every request and answer', () => {
  const writes = endpoints.filter(({ body }) => body)
  const concrete = (path: string) =>
    path
      .replace('{org_id}', 'acme')
      .replace('{app_id}', 'shop')
      .replace('{env_id}', 'development')
      .replaceAll(/\{\w+\}/g, 'some-id')

  test.each(writes.map((each) => [each.method.toUpperCase(), concrete(each.path)] as const))(
    '%s %s answers a client error or success, in JSON',
    async (method, path) => {
      await fc.assert(
        fc.asyncProperty(fc.json({ maxDepth: 4 }), async (text) => {
          const { status } = await gateway.send(`${method} ${path}`, { text })
          expect([200, 201, 204, 400, 404, 409, 422]).toContain(status)
        }),
        { numRuns: casesOf(30) },
      )
    },
  )

  test('any path answers in JSON', async () => {
    const segment = fc.oneof(
      fc.constantFrom(
        'orgs',
        'acme',
        'apps',
        'shop',
        'envs',
        'resources',
        'defs',
        '..',
        '.',
        '%2e%2e',
        '%2F',
        '%00',
        '%zz',
        ';',
        '*',
      ),
      fc.string({ maxLength: 20 }).map(encodeURIComponent),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { maxLength: 8 }), async (segments) => {
        const response = await gateway.send(`GET /${segments.join('/')}`)
        expect([200, 400, 403, 404, 405]).toContain(response.status)
        expect(response.headers.get('content-type')).toBe('application/json')
      }),
      { numRuns: casesOf(300) },
    )
  })
})
