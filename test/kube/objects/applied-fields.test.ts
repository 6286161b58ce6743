import { expect, test } from '@jest/globals'
import type { ManagedFields } from '../../../operator/api/kind.ts'
import { appliedFields } from '../../../operator/kube/objects/applied-fields.ts'

const head = { apiVersion: 'apps/v1', kind: 'Deployment' }
const metadata = {
  name: 'web',
  namespace: 'shop',
  uid: 'one',
  resourceVersion: '7',
  labels: { app: 'web', theirs: 'yes' },
  creationTimestamp: '2026-01-01T00:00:00Z',
}

function applied(rest: object, fieldsV1: Record<string, unknown>, managed: Partial<ManagedFields> = {}) {
  const managedFields = [
    { manager: 'kubelet', operation: 'Apply', fieldsV1: { 'f:status': {} } },
    { manager: 'me', operation: 'Update', fieldsV1: { 'f:data': {} } },
    { manager: 'me', operation: 'Apply', subresource: 'scale', fieldsV1: { 'f:data': {} } },
    { manager: 'me', operation: 'Apply', fieldsV1, ...managed },
  ]
  return appliedFields({ ...head, metadata: { ...metadata, managedFields }, ...rest }, 'me')
}

test.each<[what: string, spec: object, fields: object, expected: object]>([
  ['a field, and no other one', { replicas: 2, paused: true }, { 'f:replicas': {} }, { replicas: 2 }],
  ['a field that is empty', { strategy: {} }, { 'f:strategy': {} }, { strategy: {} }],
  [
    'a value that is owned as a whole',
    { selector: { a: { b: 1 } } },
    { 'f:selector': {} },
    { selector: { a: { b: 1 } } },
  ],
  [
    'a map of which others own the entries',
    { labels: { theirs: 1 } },
    { 'f:labels': { '.': {} } },
    { labels: {} },
  ],
  ['nothing that is gone by now', { a: 1 }, { 'f:b': {}, 'f:c': { 'f:d': {} } }, {}],
  ['a name with any character', { 'a/b.c~d:e': 1 }, { 'f:a/b.c~d:e': {} }, { 'a/b.c~d:e': 1 }],
  [
    'items by their keys, with these, in the order of the list',
    {
      ports: [
        { port: 1, protocol: 'TCP' },
        { port: 1, protocol: 'UDP', theirs: 1 },
        { port: 2, protocol: 'UDP' },
      ],
    },
    {
      'f:ports': {
        'k:{"port":2,"protocol":"UDP"}': { '.': {} },
        'k:{"port":1,"protocol":"UDP"}': { '.': {}, 'f:port': {} },
      },
    },
    {
      ports: [
        { port: 1, protocol: 'UDP' },
        { port: 2, protocol: 'UDP' },
      ],
    },
  ],
  [
    'an item that is owned as a whole',
    { owners: [{ uid: 'u', kind: 'x' }] },
    { 'f:owners': { 'k:{"uid":"u"}': {} } },
    { owners: [{ uid: 'u', kind: 'x' }] },
  ],
  ['members of a set', { set: ['a', 'b', 1] }, { 'f:set': { 'v:"b"': {}, 'v:1': {} } }, { set: ['b', 1] }],
  ['items by their index', { list: ['a', 'b'] }, { 'f:list': { 'i:1': {} } }, { list: ['b'] }],
  ['an empty list', { list: ['theirs'] }, { 'f:list': { '.': {} } }, { list: [] }],
])('the fields that a manager applied: %s', (_, spec, fields, expected) => {
  expect(applied({ spec }, { 'f:spec': fields })).toMatchObject({ ...head, spec: expected })
  expect(applied({ spec }, { 'f:spec': fields })?.spec).toEqual(expected)
})

test('metadata is what the manager applied of it, and what identifies the object', () => {
  expect(applied({ status: {} }, { 'f:metadata': { 'f:labels': { 'f:app': {} } } })).toEqual({
    ...head,
    metadata: { name: 'web', namespace: 'shop', uid: 'one', labels: { app: 'web' } },
  })
})

test('a manager that applied nothing has no fields', () => {
  expect(applied({}, {}, { manager: 'other' })).toBeUndefined()
})
