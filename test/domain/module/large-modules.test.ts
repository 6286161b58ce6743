import { expect, test } from '@jest/globals'
import { type ModuleParams, readModule } from '../../../operator/domain/module/module-problems.ts'

const problemsOf = (params: ModuleParams) => readModule({ id: 'api', ...params }, ['quartermaster']).problems
const main = { image: 'api:1' }
const emptyDir = { emptyDir: {} }

function byKey(count: number, key: (i: number) => string, value: (i: number) => unknown) {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [key(i), value(i)]))
}

/** A name that is compared with all others of its form to its end. */
const alike = (i: number) => `${'x'.repeat(25)}${String(i).padStart(6, '0')}${'y'.repeat(20)}`

const cronJob = (containers: object, schedules: object): ModuleParams => ({
  profile: 'quartermaster/default-cronjob',
  spec: { containers, schedules },
})
const schedule = '0 4 * * *'

test.each<[what: string, params: ModuleParams, problem: RegExp]>([
  [
    'mounts of unknown volumes',
    {
      spec: {
        containers: {
          main: {
            ...main,
            volume_mounts: byKey(
              8000,
              (i) => `/${i}`,
              (i) => ({ id: alike(i) }),
            ),
          },
        },
        volumes: byKey(
          250,
          (i) => alike(10_000 + i),
          () => emptyDir,
        ),
      },
    },
    /no volume is named/,
  ],
  [
    'schedules that change unknown containers',
    cronJob(
      byKey(100, alike, () => main),
      byKey(
        100,
        (i) => `s${i}`,
        () => ({
          schedule,
          containers: byKey(
            80,
            (i) => alike(1000 + i),
            () => main,
          ),
        }),
      ),
    ),
    /no container is named/,
  ],
  [
    'files of schedules',
    cronJob(
      {
        main: {
          ...main,
          files: byKey(
            3000,
            (i) => `/f/${i}`,
            () => ({ value: 'x' }),
          ),
        },
      },
      byKey(
        6000,
        (i) => `s${i}`,
        () => ({ schedule, containers: { main } }),
      ),
    ),
    /the files have 18000000 bytes together/,
  ],
])('a module with many %s is judged soon', (_, params, problem) => {
  const begin = performance.now()
  expect(problemsOf(params)).toEqual(expect.arrayContaining([expect.stringMatching(problem)]))
  // They took from seven seconds to a minute.
  expect(performance.now() - begin).toBeLessThan(5000)
})

test('of the files that a schedule replaces, the new ones count', () => {
  const files = (value: string) => ({ ...main, files: { '/a': { value }, '/b': { value: 'x' } } })
  const changed = { main: { files: { '/a': { value: 'y'.repeat(600_000) } } } }
  const both = cronJob(
    { main: files('y'.repeat(600_000)) },
    { first: { schedule }, second: { schedule, containers: changed } },
  )
  expect(problemsOf(both)).toEqual([expect.stringMatching(/the files have 1200002 bytes together/)])
  const one = cronJob({ main: files('y'.repeat(1000)) }, { first: { schedule, containers: changed } })
  expect(problemsOf(one)).toEqual([])
})

test('all schedules together repeat only so much of the pods', () => {
  const withArgs = (length: number, count: number) =>
    problemsOf(
      cronJob(
        { main: { ...main, args: ['x'.repeat(length)] } },
        byKey(
          count,
          (i) => `s${i}`,
          () => ({ schedule }),
        ),
      ),
    )
  expect(withArgs(20_000, 250)).toEqual([])
  expect(withArgs(20_000, 300)).toEqual([
    expect.stringMatching(
      /^'\/spec\/schedules': repeat \d+ characters of the pods 300 times, more than 5242880 /,
    ),
  ])
  // Files are stored once.
  const files = { '/a': { value: 'x'.repeat(500_000) } }
  expect(
    problemsOf(
      cronJob(
        { main: { ...main, files } },
        byKey(
          50,
          (i) => `s${i}`,
          () => ({ schedule }),
        ),
      ),
    ),
  ).toEqual([])
})
