import { expect, test } from '@jest/globals'
import type { OpenApiDocument } from '../../../api-gateway/openapi/document.ts'
import { portalTypes } from '../../../dev/generate/portal-types.ts'

test('an operation has an entry per media type of its answer, the first one without its name', () => {
  const content = {
    'application/json': { schema: { type: 'string' } },
    'application/v2+json': { schema: { type: 'integer' } },
  }
  const operation = { operationId: '', summary: '', description: '', tags: [], parameters: [] }
  const responses = { 200: { description: '', headers: {}, content } }
  const document: OpenApiDocument = {
    openapi: '',
    info: { title: '', version: '', description: '' },
    tags: [],
    paths: { '/pods': { get: { ...operation, responses }, delete: { ...operation, responses: {} } } },
    components: { schemas: {}, responses: {}, headers: {}, securitySchemes: {} },
  }
  const entries = portalTypes(document).matchAll(/^ {2}'(.+)': \{[^}]*\{\}[^}]*\{\}[^}]*answer: (.+)$/gm)
  expect([...entries].map(([, name, answer]) => [name, answer])).toEqual([
    ['GET /pods', 'string'],
    ['GET /pods application/v2+json', 'number'],
    ['DELETE /pods', 'undefined'],
  ])
})
