import { describe, expect, test } from '@jest/globals'
import { ServerClock } from '../../../operator/kube/client/server-clock.ts'
import { casesOf, fc } from '../../support/properties.ts'

const date = 'Thu, 01 Jan 2026 12:00:00 GMT'
const noon = Date.parse(date)

test.each<[rule: string, dates: (string | undefined)[]]>([
  ['continues from the last date', ['Thu, 01 Jan 2026 10:00:00 GMT', date]],
  ['ignores an answer without a date', [date, undefined]],
  ['ignores a date that is none', [date, 'soon']],
])('the clock of the API server %s', (_, dates) => {
  let elapsed = 0
  const clock = new ServerClock(() => elapsed)
  for (const each of dates) clock.note(each)
  expect(clock.now()).toBe(noon)
  elapsed = 5000
  expect(clock.now()).toBe(noon + 5000)
})

describe('a process whose clock agrees with the dates', () => {
  const anyStep = fc.record({ passMs: fc.nat(5000), lateMs: fc.nat(1500) })

  test('has the times of its clock, which never go back', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 1 }), (steps) => {
        const start = Date.now()
        let elapsed = 0
        const clock = new ServerClock(() => elapsed)
        let before = clock.now()
        const offset = before - start
        for (const { passMs, lateMs } of steps) {
          elapsed += passMs
          const sent = start + Math.max(elapsed - lateMs, 0)
          clock.note(new Date(sent).toUTCString())
          expect(clock.now()).toBe(start + offset + elapsed)
          expect(clock.now()).toBeGreaterThanOrEqual(before)
          before = clock.now()
        }
      }),
      { numRuns: casesOf(100) },
    )
  })
})
