import { expect, test } from '@jest/globals'
import { annotations } from '../../../operator/api/names.ts'
import { detachMark, isDetached } from '../../../operator/domain/resource/detach-mark.ts'

const mark = detachMark(Date.parse('2026-03-01T12:00:00.500Z'))

test.each<[string, string | undefined, string | undefined, boolean]>([
  ['no mark', undefined, '2026-03-01T12:00:00Z', false],
  ['`true`, for any deletion', 'true', '2026-03-01T12:00:00Z', true],
  ['`false`', 'false', '2026-03-01T12:00:00Z', false],
  ['a mark that the deletion follows', mark, '2026-03-01T12:00:01Z', true],
  ['a mark whose deletion an overloaded API server delays', mark, '2026-03-01T12:10:00Z', true],
  ['a mark after the deletion has begun', mark, '2026-03-01T09:00:00Z', true],
  ['a mark before an unrelated deletion', mark, '2026-03-01T12:20:00Z', false],
  ['a mark without a deletion', mark, undefined, false],
])('a resource with %s', (_, value, deletionTimestamp, expected) => {
  const marks = value === undefined ? {} : { annotations: { [annotations.detach]: value } }
  const times = deletionTimestamp === undefined ? {} : { deletionTimestamp }
  expect(isDetached({ ...marks, ...times })).toBe(expected)
})
