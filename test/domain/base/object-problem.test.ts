import { describe, expect, test } from '@jest/globals'
import type { Reason } from '../../../operator/api/reasons/reasons.ts'
import { Mismatch, ReferenceNotFound, Stalled } from '../../../operator/domain/base/errors.ts'
import { errorOfProblems } from '../../../operator/domain/base/object-problem.ts'

const faults = (...reasons: Reason[]) => reasons.map((reason) => ({ reason, message: `about ${reason}` }))

describe('an object with faults', () => {
  test.each<[rule: string, reasons: Reason[], kind: unknown, reason: string]>([
    ['that is wrong by itself stalls', ['InvalidSchema'], Stalled, 'InvalidSchema'],
    ['with a missing reference waits', ['TypeNotFound'], ReferenceNotFound, 'TypeNotFound'],
    ['that does not fit others is a mismatch', ['WrongType'], Mismatch, 'WrongType'],
    [
      'is not judged beside others before all are there',
      ['WrongType', 'AccountNotFound'],
      ReferenceNotFound,
      'AccountNotFound',
    ],
    [
      'that is wrong by itself waits for nothing',
      ['UnknownDriver', 'InvalidSchema'],
      Stalled,
      'InvalidSchema',
    ],
    ['with a reason that is not listed is a mismatch', ['WrongAccountType'], Mismatch, 'WrongAccountType'],
  ])('%s', (_, reasons, kind, reason) => {
    const error = errorOfProblems(faults(...reasons))
    expect(error?.constructor).toBe(kind)
    expect(error).toMatchObject({ reason })
    for (const each of reasons) expect(error?.message).toContain(`about ${each}`)
  })

  test('and without problems, nothing is thrown', () => {
    expect(errorOfProblems([])).toBeUndefined()
  })
})
