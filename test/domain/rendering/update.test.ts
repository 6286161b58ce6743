import { describe, expect, test } from '@jest/globals'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { SecretText } from '../../../operator/domain/module/secret-text.ts'
import { withUpdate } from '../../../operator/domain/rendering/update.ts'

const module = { id: 'api', spec: { containers: { main: { image: 'api:1', args: ['a'] } } } }

describe('the output update of a definition of workloads', () => {
  test.each<[rule: string, update: object[], expected: object]>([
    ['adds a field', [{ op: 'add', path: '/spec/labels', value: { a: 'b' } }], { labels: { a: 'b' } }],
    [
      'makes the objects above it',
      [{ op: 'add', path: '/spec/pod/nodeSelector', value: { a: 'b' } }],
      { pod: { nodeSelector: { a: 'b' } } },
    ],
    [
      'replaces a field',
      [{ op: 'replace', path: '/spec/containers/main/image', value: 'api:2' }],
      { containers: { main: { image: 'api:2' } } },
    ],
    [
      'appends to a list',
      [{ op: 'add', path: '/spec/containers/main/args/-', value: 'b' }],
      { containers: { main: { args: ['a', 'b'] } } },
    ],
    [
      'makes the list that it appends to',
      [
        { op: 'add', path: '/spec/tolerations/-', value: { key: 'spot' } },
        { op: 'add', path: '/spec/tolerations/-', value: { key: 'arm' } },
      ],
      { tolerations: [{ key: 'spot' }, { key: 'arm' }] },
    ],
    [
      'removes a field',
      [{ op: 'remove', path: '/spec/containers/main/args' }],
      { containers: { main: { image: 'api:1' } } },
    ],
  ])('%s', (_, update, expected) => {
    expect(withUpdate(module, update).spec).toMatchObject(expected)
  })

  test.each<[rule: string, update: unknown[]]>([
    ['an operation without a path', [{ op: 'add', value: 1 }]],
    ['an unknown operation', [{ op: 'move', path: '/spec/a', from: '/spec/b' }]],
    ['a test', [{ op: 'test', path: '/id', value: 'api' }]],
    ['an operation that is no text', [{ op: 1, path: '/id', value: 'api' }]],
    ['a replaced field that does not exist', [{ op: 'replace', path: '/spec/none', value: 1 }]],
    ['a replaced field of an object that does not exist', [{ op: 'replace', path: '/spec/a/b', value: 1 }]],
    [
      'an item of a list that has no such place',
      [{ op: 'add', path: '/spec/containers/main/args/1/a', value: 1 }],
    ],
    ['what leaves no object', [{ op: 'replace', path: '', value: ['api'] }]],
    ['something else', ['add']],
  ])('is refused with %s', (_, update) => {
    expect(() => withUpdate(module, update)).toThrow(Problem)
  })

  test('removes nothing where there is nothing', () => {
    const update = ['/spec/pod/labels', '/spec/containers/main/args/5'].map((path) => ({
      op: 'remove',
      path,
    }))
    expect(withUpdate(module, update)).toMatchObject({ spec: module.spec })
    expect(withUpdate(module, update).spec).not.toHaveProperty('pod')
  })

  test('keeps secret texts that it does not touch', () => {
    const secret = new SecretText('s')
    const given = { id: 'api', spec: { containers: { main: { variables: { A: secret } } } } }
    expect(
      withUpdate(given, [{ op: 'add', path: '/spec/containers/main/variables/B', value: 'b' }]),
    ).toMatchObject({
      spec: { containers: { main: { variables: { A: secret, B: 'b' } } } },
    })
  })
})
