import { type Profiler, Session } from 'node:inspector'
import { afterAll } from '@jest/globals'

// Code that runs for the first time from here on has its blocks counted too.
const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
afterAll(() => {
  session.post('Profiler.stopPreciseCoverage')
  session.disconnect()
})

/**
 * Returns how often functions and their blocks run during the work. Unlike a time it does not depend on the machine;
 * optimized code counts up to half of its steps.
 */
export function stepsOf(work: () => void): number {
  takeSteps()
  work()
  return takeSteps()
}

/** Returns the steps since the last call, in the scripts with such a path. */
export function takeSteps(path = /./): number {
  let taken: Profiler.ScriptCoverage[] = []
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error) throw error
    taken = result
  })
  const counted = taken.filter(({ url }) => path.test(url) && !url.includes('/test/'))
  const ranges = counted.flatMap(({ functions }) => functions).flatMap((each) => each.ranges)
  return ranges.reduce((sum, { count }) => sum + count, 0)
}
