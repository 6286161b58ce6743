import { describe, expect, test } from '@jest/globals'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { deltaContent } from '../../../operator/domain/delta/delta.ts'
import { refuseInvalidDependencies } from '../../../operator/domain/delta/dependency-form.ts'

/** Every way in which changes put a dependency `x` somewhere. */
const ways = (value: unknown) => [
  deltaContent({ shared: [{ op: 'add', path: '', value: { x: value } }] }),
  deltaContent({ modules: { update: { web: [{ op: 'add', path: '/externals', value: { x: value } }] } } }),
  deltaContent({
    modules: { update: { web: [{ op: 'add', path: '', value: { externals: { x: value } } }] } },
  }),
  deltaContent({ shared: [{ op: 'add', path: '/spec/shared/x', value }] }),
  deltaContent({ shared: [{ op: 'replace', path: '/x', value }] }),
  deltaContent({ modules: { update: { web: [{ op: 'add', path: '/externals/x', value }] } } }),
  deltaContent({ modules: { add: { web: { externals: { x: value } } } } }),
]

function reasonOf(content: ReturnType<typeof deltaContent>): string | undefined {
  try {
    refuseInvalidDependencies(content)
    return undefined
  } catch (error) {
    return error instanceof Problem ? error.reason : String(error)
  }
}

describe('values in place of a dependency', () => {
  test.each<[string, unknown, string | undefined]>([
    ['a type', { type: 's3' }, undefined],
    ['a type with a class', { type: 'acme/s3.large', params: { a: 1 } }, undefined],
    ['an explicit class', { type: 's3', class: 'large', id: 'shared.x' }, undefined],
    ['a class that is null', { type: 's3', class: null }, undefined],
    ['nothing', undefined, 'Unprocessable'],
    ['a text', 's3', 'Unprocessable'],
    ['a list', [{ type: 's3' }], 'Unprocessable'],
    ['no type', { class: 'large' }, 'Unprocessable'],
    ['a type that is no text', { type: 7 }, 'Unprocessable'],
    ['a class that is no text', { type: 's3', class: 7 }, 'Unprocessable'],
    ['an id that is no text', { type: 's3', id: 7 }, 'Unprocessable'],
    ['params that are null', { type: 's3', params: null }, undefined],
    ['params that are no object', { type: 's3', params: [] }, 'Unprocessable'],
    ['misspelt params', { type: 's3', parms: { a: 1 } }, 'Unprocessable'],
    ['a misspelt class', { type: 's3', calss: 'large' }, 'Unprocessable'],
    ['a field of another orchestrator', { type: 's3', origin: 'x' }, undefined],
    ['an id that cannot be', { type: 's3', id: 'a b' }, 'Invalid'],
    ['a type that cannot be', { type: 's3 bucket' }, 'Invalid'],
    ['a class that cannot be', { type: 's3.a.b' }, 'Invalid'],
    ['two classes', { type: 's3.large', class: 'small' }, 'Invalid'],
  ])('%s', (_, value, expected) => {
    expect(new Set(ways(value).map(reasonOf))).toEqual(new Set([expected]))
  })

  test.each([
    ['x', undefined],
    ['a.b', undefined],
    ['a b', 'Invalid'],
    ['', 'Invalid'],
    ['a.', 'Invalid'],
    ['ä', 'Invalid'],
    ['x'.repeat(300), 'Invalid'],
  ])('under the id %j', (id, expected) => {
    const shared = [{ op: 'add' as const, path: `/spec/shared/${id}`, value: { type: 's3' } }]
    expect(reasonOf(deltaContent({ shared }))).toBe(expected)
  })

  test.each<[string, unknown, string | undefined]>([
    ['null', null, undefined],
    ['a list', [], 'Unprocessable'],
    ['a text', 'x', 'Unprocessable'],
  ])('%s in place of all dependencies of an added module', (_, externals, expected) => {
    expect(reasonOf(deltaContent({ modules: { add: { web: { externals } } } }))).toBe(expected)
  })

  test.each<[string, unknown, string | undefined]>([
    ['type', 's3.large', undefined],
    ['type', 's3.a.b', 'Invalid'],
    ['type', '', 'Unprocessable'],
    ['type', 7, 'Unprocessable'],
    ['class', 'large', undefined],
    ['class', null, undefined],
    ['class', 'a.b', 'Invalid'],
    ['class', 7, 'Unprocessable'],
    ['id', 'shared.y', undefined],
    ['id', 'a b', 'Invalid'],
    ['id', 7, 'Unprocessable'],
    ['params', {}, undefined],
    ['params', 7, 'Unprocessable'],
    ['other', 7, undefined],
  ])('the %s %j of a dependency alone', (part, value, expected) => {
    const update = { web: [{ op: 'add' as const, path: `/externals/x/${part}`, value }] }
    expect(reasonOf(deltaContent({ modules: { update } }))).toBe(expected)
    const shared = [{ op: 'add' as const, path: `/spec/shared/x/${part}`, value }]
    expect(reasonOf(deltaContent({ shared }))).toBe(expected)
  })

  test('a malformed path is named with its module', () => {
    const update = { web: [{ op: 'add' as const, path: 'spec/a', value: 7 }] }
    expect(() => refuseInvalidDependencies(deltaContent({ modules: { update } }))).toThrow(
      "module 'web': path 'spec/a' must begin with '/'",
    )
  })

  test('other places are not checked', () => {
    const update = {
      web: [
        { op: 'add' as const, path: '/spec/x', value: 7 },
        { op: 'remove' as const, path: '/externals/x' },
        { op: 'replace' as const, path: '/externals/x/params', value: {} },
      ],
    }
    expect(reasonOf(deltaContent({ modules: { add: { web: {} }, update } }))).toBeUndefined()
  })
})
