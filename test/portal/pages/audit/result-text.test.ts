import { expect, test } from '@jest/globals'
import { resultText } from '../../../../portal/pages/audit/result-text.ts'

test.each([
  ['a change', { result: 'success', response_status: 200 }, 'success (200)'],
  ['a preview', { result: 'success', response_status: 200, dry_run: true }, 'success (200), dry run'],
  [
    'a preview that fails',
    { result: 'refused', response_status: 409, dry_run: true },
    'refused (409), dry run',
  ],
] as const)('the result of %s says whether it was a dry run', (_, record, expected) => {
  expect(resultText(record)).toBe(expected)
})
