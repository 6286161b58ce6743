import { expect, test } from '@jest/globals'
import { ServerClock } from '../../../operator/kube/client/server-clock.ts'

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
