import { expect, test } from '@jest/globals'
import { isSchedule } from '../../../operator/domain/module/schedule.ts'

// What `cron.ParseStandard` says, which Kubernetes asks.
test.each([
  '0 4 * * *',
  ' 0\t4  * * * ',
  '*/5 * * * *',
  '5/10 * * * *',
  '1-5/2,30 0-23 1-31 1-12 0-6',
  '0 0 * jan-DEC sun-Sat',
  '0 0 ? * ?',
  '1,,2 * * * *',
  '*/100 * * * *',
  '+5 * * * *',
  '@daily',
  '@every 1h30m',
  '@every 1.5h',
  '@every 0',
  '@every -1h.5m1.s',
])('%s is a schedule', (text) => {
  expect(isSchedule(text)).toBe(true)
})

test.each([
  '',
  '0 4 * *',
  '0 0 4 * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * 32 * *',
  '* * * 13 *',
  '0 0 * * 7',
  '* * * * mo',
  '* * jan * *',
  '5-1 * * * *',
  '1- * * * *',
  '1-2-3 * * * *',
  '*/0 * * * *',
  '*/ * * * *',
  '*/x * * * *',
  '1,99 * * * *',
  '1/2/3 * * * *',
  '0 0 L * *',
  '0 0 15W * *',
  '0 0 * * 1#2',
  '-1 * * * *',
  'TZ=UTC 0 4 * * *',
  '@reboot',
  '@Daily',
  '@every',
  '@every x',
  '@every 5',
  '@every 1.2.3s',
])('%s is no schedule', (text) => {
  expect(isSchedule(text)).toBe(false)
})

test('digits that can be read in many ways take no time', () => {
  const begin = performance.now()
  for (const repeated of ['1s', '11s', '1.1ms', '.11m', '111', '11.'])
    expect(isSchedule(`@every ${repeated.repeat(27)}!`)).toBe(false)
  // Each repetition doubled the time: these took seconds.
  expect(performance.now() - begin).toBeLessThan(1000)
})
