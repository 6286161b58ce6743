import { describe, expect, test } from '@jest/globals'
import type { PatchOperation } from '../../../operator/api/deployment-delta.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { Patcher } from '../../../operator/domain/delta/patch.ts'

const items = ['a', { name: 'b' }, 'c']

describe('an operation on a list', () => {
  function patched(op: PatchOperation['op'], path: string, value?: unknown) {
    const operation = { op, path: `/spec/items${path}`, value } as PatchOperation // JSON
    const { spec } = new Patcher('module', 'module').applyAll({ spec: { items } }, [operation])
    return (spec as { items: unknown[] }).items // as in the document
  }

  test.each<[rule: string, op: PatchOperation['op'], path: string, expected: unknown[]]>([
    ['replaces an item', 'replace', '/0', ['new', { name: 'b' }, 'c']],
    ['removes an item', 'remove', '/0', [{ name: 'b' }, 'c']],
    ['adds an item before another', 'add', '/2', ['a', { name: 'b' }, 'new', 'c']],
    ['adds an item at the end', 'add', '/3', ['a', { name: 'b' }, 'c', 'new']],
    ['adds to an item', 'add', '/1/port', ['a', { name: 'b', port: 'new' }, 'c']],
    ['removes from an item', 'remove', '/1/name', ['a', {}, 'c']],
    ['removes nothing beyond the end', 'remove', '/3', items],
    ['removes nothing below the end', 'remove', '/3/name', items],
  ])('%s', (_, op, path, expected) => {
    expect(patched(op, path, 'new')).toEqual(expected)
  })

  test.each<[rule: string, op: PatchOperation['op'], path: string]>([
    ['adds nothing beyond the end', 'add', '/4'],
    ['adds nothing below the end', 'add', '/3/name'],
    ['replaces nothing at the end', 'replace', '/3'],
    ['has no index with a leading zero', 'replace', '/01'],
  ])('%s', (_, op, path) => {
    expect(() => patched(op, path, 'new')).toThrow(Problem)
  })

  test.each<[op: PatchOperation['op']]>([['add'], ['remove']])(
    'that would move more than ten million items in all is refused: %s',
    (op) => {
      const list = Array.from({ length: 10_000 }, () => 0)
      const first = { op, path: '/a/0', value: 0 } as PatchOperation // JSON
      const last = { op, path: '/a/9000', value: 0 } as PatchOperation // JSON
      const change = (operations: PatchOperation[]) =>
        new Patcher('module', 'module').applyAll({ a: list }, operations)
      const many = (operation: PatchOperation, count: number) =>
        Array.from({ length: count }, () => operation)
      expect(() => change(many(first, 2000))).toThrow('the operations move more than 10000000 items of lists')
      change(many(last, 900))
      change(many(first, 900))
    },
  )
})
