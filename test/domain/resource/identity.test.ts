import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { canonicalJson } from '../../../operator/domain/base/json.ts'
import {
  formatDescriptor,
  formatReference,
  inherit,
  parseDescriptor,
  parseReference,
  splitTypeAndClass,
} from '../../../operator/domain/resource/descriptor.ts'
import {
  deploymentObjectName,
  environmentNamespace,
  environmentObjectName,
  guResId,
  isNamespaceOfOthers,
  parseEnvironmentObjectName,
  privateResourceId,
  setObjectName,
  sharedResourceId,
  workloadOf,
  workloadResourceId,
} from '../../../operator/domain/resource/identity.ts'
import { context } from '../../support/builders.ts'
import { fc } from '../../support/properties.ts'

describe('descriptors', () => {
  test.each([
    ['s3.default#shared.main', { type: 's3', class: 'default', resourceId: 'shared.main' }],
    [
      'acme/s3.admin#modules.w.externals.db',
      { type: 'acme/s3', class: 'admin', resourceId: 'modules.w.externals.db' },
    ],
  ])('%s', (text, parts) => {
    expect(parseDescriptor(text)).toEqual(parts)
    expect(formatDescriptor(parts)).toBe(text)
  })

  test.each([
    '',
    's3',
    's3#x',
    's3.x',
    '.x#y',
    's3.#y',
    's3.x#',
    's3.a b#y',
    'a/b/c.x#y',
    's3.x#a#b',
    's3.x#a>b',
  ])("'%s' is refused", (text) => {
    expect(() => parseDescriptor(text)).toThrow(Problem)
  })

  const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/)
  const parts = fc.record({
    type: fc.oneof(
      name,
      fc.tuple(name, name).map(([org, type]) => `${org}/${type}`),
    ),
    class: name,
    resourceId: fc.array(name, { minLength: 1, maxLength: 4 }).map((steps) => steps.join('.')),
  })
  test('parsing a formatted descriptor returns the same', () => {
    fc.assert(
      fc.property(parts, (descriptor) => {
        expect(parseDescriptor(formatDescriptor(descriptor))).toEqual(descriptor)
        expect(parseReference(formatReference(descriptor))).toEqual(descriptor)
      }),
    )
  })

  const from = { type: 'dns', class: 'fast', resourceId: 'modules.w.externals.d' }
  test.each([
    ['s3', 's3.fast#modules.w.externals.d'],
    ['s3.slow', 's3.slow#modules.w.externals.d'],
    ['s3#other', 's3.fast#other'],
    ['acme/s3.slow#other', 'acme/s3.slow#other'],
  ])('the reference %s inherits omitted parts: %s', (reference, expected) => {
    expect(formatReference(parseReference(reference))).toBe(reference)
    expect(formatDescriptor(inherit(parseReference(reference), from))).toBe(expected)
  })

  test('the class follows the first dot of the type', () => {
    expect(splitTypeAndClass('s3.admin')).toEqual({ type: 's3', class: 'admin' })
    expect(splitTypeAndClass('s3')).toEqual({ type: 's3' })
  })
})

describe('identity', () => {
  test('Resource IDs have the shapes of the specification', () => {
    expect(workloadResourceId('w')).toBe('modules.w')
    expect(privateResourceId('w', 'db')).toBe('modules.w.externals.db')
    expect(sharedResourceId('main')).toBe('shared.main')
  })

  test.each([
    ['modules.w', 'w'],
    ['modules.w.externals.db', 'w'],
    ['shared.main', undefined],
    ['k8s-cluster', undefined],
    ['modules.', undefined],
    ['modules.w.externals', undefined],
    ['modules.w.other.db', undefined],
  ])('%s belongs to the workload %s', (id, workload) => {
    expect(workloadOf(id)).toBe(workload)
  })

  test('the GUResID is the SHA-1 of organization, application, environment, type, class and id', () => {
    const expected = createHash('sha1').update('acme\0shop\0dev\0s3\0default\0shared.main').digest('hex')
    const descriptor = { type: 's3', class: 'default', resourceId: 'shared.main' }
    expect(guResId(context(), descriptor)).toBe(expected)
    expect(guResId(context({ environmentType: 'production' }), descriptor)).toBe(expected)
  })

  test('objects have names after their content', () => {
    expect(environmentObjectName('shop', 'dev')).toBe('shop.dev')
    expect(parseEnvironmentObjectName('shop.dev')).toEqual({ applicationId: 'shop', environmentId: 'dev' })
    expect(deploymentObjectName('shop.dev', 7)).toBe('shop.dev.7')
    expect(setObjectName('shop', 'abc')).toBe('shop.abc')
    for (const bad of ['shop', 'shop.', '.dev', 'a.b.c'])
      expect(() => parseEnvironmentObjectName(bad)).toThrow(Problem)
  })

  test('the namespace of an environment is its path, shortened with a hash past 63 characters', () => {
    expect(environmentNamespace(context())).toBe('acme--shop--dev')
    const long = environmentNamespace(
      context({ applicationId: 'a'.repeat(50), environmentId: 'b'.repeat(50) }),
    )
    expect(long).toMatch(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])$/)
    expect(long.length).toBeLessThanOrEqual(63)
    expect(long).toContain('---')
    expect(long).not.toBe(
      environmentNamespace(context({ applicationId: 'a'.repeat(50), environmentId: 'b'.repeat(49) })),
    )
  })

  const id = fc
    .array(fc.stringMatching(/^[a-z0-9]{1,12}$/), { minLength: 1, maxLength: 6 })
    .map((words) => words.join('-').slice(0, 63).replace(/-$/, ''))
  const anywhere = fc
    .tuple(id, id, id)
    .map(([organizationId, applicationId, environmentId]) =>
      context({ organizationId, applicationId, environmentId }),
    )
  test('no environment may make the namespace of another, short or long, but its own', () => {
    fc.assert(
      fc.property(anywhere, anywhere, (one, other) => {
        const own = environmentNamespace(one)
        expect(isNamespaceOfOthers(own, one)).toBe(false)
        expect(isNamespaceOfOthers(own, other)).toBe(own !== environmentNamespace(other))
      }),
    )
  })

  test.each([
    ['acme--shop--dev', false],
    ['acme--shared', false],
    ['shared', false],
    ['globex', false],
    ['acme--shop--production', true],
    ['acme--shop--dev--more', true],
    ['globex--shop--dev', true],
    ['globex--shared', true],
    ['acme---0123456789abcdef', true],
    ['acme--shop---0123456789abcdef', true],
    ['--shop', true],
  ])("the namespace '%s' is one of others for the environment acme/shop.dev: %s", (name, expected) => {
    expect(isNamespaceOfOthers(name, context())).toBe(expected)
  })

  test('canonical JSON sorts keys and leaves undefined out', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: undefined, A: true })).toBe(
      '{"A":true,"b":[1,{"c":"x","d":null}]}',
    )
  })
})
