import { expect, test } from '@jest/globals'
import { isImageReference } from '../../../operator/domain/module/image-reference.ts'

const digest = `sha256:${'0'.repeat(64)}`

test.each([
  'api',
  'api:1.0',
  'acme/api',
  'ghcr.io/acme/api:v1',
  'localhost/api',
  'REGISTRY/api',
  'localhost:5000/acme/api:1',
  'registry.example.com:443/a/b/c',
  '[::1]:5000/api',
  `api@${digest}`,
  `ghcr.io/acme/api:1@${digest}`,
  'a__b/c--d',
])("'%s' is an image", (text) => {
  expect(isImageReference(text)).toBe(true)
})

test.each([
  '',
  'API',
  'api 1',
  'api:',
  'api:1:2',
  '/api',
  'api/',
  'a//b',
  '-api',
  'api@sha256:12',
  `api@${digest} `,
  'https://ghcr.io/api',
  'ghcr.io/API',
  'ghcr.io/acme/API',
  'a..b/c',
  'a-.b/c',
  'a.-b/c',
  'api:ü',
  'a'.repeat(256),
])("'%s' is no image", (text) => {
  expect(isImageReference(text)).toBe(false)
})
