import { expect, test } from '@jest/globals'
import type { KubeObject, ObjectMeta } from '../../../operator/api/kind.ts'
import { finalizer } from '../../../operator/api/names.ts'
import { needsReconcile } from '../../../operator/kube/loop/predicate.ts'

const object = (metadata: Partial<ObjectMeta>): KubeObject => ({
  apiVersion: 'quartermaster.dev/v1alpha1',
  kind: 'Workload',
  metadata: { name: 'web', uid: 'one', generation: 1, ...metadata } as ObjectMeta, // what the rule reads
})

test.each<[change: string, before: Partial<ObjectMeta>, after: Partial<ObjectMeta>, expected: boolean]>([
  ['of its spec', {}, { generation: 2 }, true],
  ['that makes it another object of that name', {}, { uid: 'other' }, true],
  ['that begins its deletion', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }, true],
  ['of an annotation', { annotations: { a: 'x' } }, { annotations: { a: 'y' } }, true],
  ['that adds an annotation', {}, { annotations: { a: 'x' } }, true],
  ['that gives an annotation another name', { annotations: { a: 'x' } }, { annotations: { b: 'x' } }, true],
  ['that removes our finalizer', { finalizers: [finalizer] }, {}, true],
  ['that adds our finalizer', {}, { finalizers: [finalizer] }, false],
  ['that leaves our finalizer', { finalizers: [finalizer, 'x'] }, { finalizers: [finalizer] }, false],
  [
    'of the finalizers of others that alone keep it',
    { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a', 'b'] },
    { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a'] },
    true,
  ],
  [
    'of the finalizers of others beside ours',
    { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [finalizer, 'a'] },
    { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [finalizer] },
    false,
  ],
  ['of its status', { annotations: { a: 'x' } }, { annotations: { a: 'x' }, resourceVersion: '2' }, false],
])('a change %s asks for a reconcile as the rule says', (_, before, after, expected) => {
  expect(needsReconcile(object(before), object(after))).toBe(expected)
})

test('a new object asks for a reconcile', () => {
  expect(needsReconcile(undefined, object({}))).toBe(true)
})
