import { describe, expect, test } from '@jest/globals'
import {
  dockerConfigKey,
  formatImage,
  isInRegistry,
  loginAddress,
  parseImage,
  repositoryOf,
} from '../../../operator/domain/image/image-reference.ts'
import { casesOf, fc } from '../../support/properties.ts'

const digest = `sha256:${'0f'.repeat(32)}`

test.each<[rule: string, text: string, parts: object]>([
  ['a name alone', 'web', { name: 'web' }],
  ['a tag', 'acme/web:1.2', { name: 'acme/web', tag: '1.2' }],
  ['the port of a host is no tag', 'localhost:5000/web', { name: 'localhost:5000/web' }],
  ['a port and a tag', 'localhost:5000/web:1', { name: 'localhost:5000/web', tag: '1' }],
  ['a digest', `acme/web@${digest}`, { name: 'acme/web', digest }],
  ['a tag and a digest', `acme/web:1@${digest}`, { name: 'acme/web', tag: '1', digest }],
])('an image reference has %s', (_, text, parts) => {
  expect(parseImage(text)).toEqual(parts)
  expect(formatImage(parseImage(text))).toBe(text)
})

test('the parts of any reference give the same reference', () => {
  const word = fc.stringMatching(/^[a-z0-9]{1,8}$/)
  const host = fc
    .tuple(word, fc.option(fc.integer({ min: 1, max: 65_535 })))
    .map(([name, port]) => (port === null ? `${name}.test` : `${name}.test:${port}`))
  const name = fc
    .tuple(host, fc.array(word, { minLength: 1, maxLength: 3 }))
    .map((parts) => parts.flat().join('/'))
  const parts = fc.record({ name, tag: word, digest: fc.constant(digest) }, { requiredKeys: ['name'] })
  fc.assert(
    fc.property(parts, (given) => {
      expect(parseImage(formatImage(given))).toEqual(given)
    }),
    { numRuns: casesOf(500) },
  )
})

test.each<[rule: string, left: string, right: string, isSame: boolean]>([
  ['an official image has two names', 'nginx', 'docker.io/library/nginx', true],
  ['the host of Docker Hub has two names', 'index.docker.io/acme/web', 'acme/web', true],
  ['a protocol and a slash at the end do not count', 'https://r.test/web/', 'r.test/web', true],
  ['hosts differ', 'a.test/web', 'b.test/web', false],
  ['a host without a dot is a namespace of Docker Hub', 'acme/web', 'acme.test/web', false],
])('%s', (_, left, right, isSame) => {
  expect(repositoryOf(left) === repositoryOf(right)).toBe(isSame)
})

describe('an image is in a registry', () => {
  test.each<[rule: string, image: string, registry: string, isIn: boolean]>([
    ['of its host', 'r.test/shop/web:1', 'r.test', true],
    ['of its host and project', 'r.test/shop/web:1', 'https://r.test/shop/', true],
    ['but not in another project', 'r.test/shop/web', 'r.test/other', false],
    ['but not in a project with the same beginning', 'r.test/shopping/web', 'r.test/shop', false],
    ['but not in a host with the same beginning', 'r.test.evil/web', 'r.test', false],
    ['of Docker Hub', 'acme/web', 'https://index.docker.io/v1/', true],
    ['but not of Docker Hub with a host in upper case', 'REGISTRY/web', 'docker.io', false],
  ])('%s', (_, image, registry, isIn) => {
    expect(isInRegistry(image, registry)).toBe(isIn)
  })
})

test.each([
  ['docker.io', 'https://index.docker.io/v1/'],
  ['https://r.test/v2/', 'r.test'],
  ['r.test/shop', 'r.test/shop'],
])('the credentials of the registry %s have the key %s', (registry, key) => {
  expect(dockerConfigKey(registry)).toBe(key)
})

test('many slashes take no time', () => {
  const image = `r.test${'/'.repeat(100_000)}web`
  const begin = performance.now()
  expect(repositoryOf(image)).toBe(image)
  expect(isInRegistry(image, 'r.test')).toBe(true)
  expect(loginAddress(image)).toBe(image)
  // The time grew with the square of their number: these took many seconds.
  expect(performance.now() - begin).toBeLessThan(2000)
})
