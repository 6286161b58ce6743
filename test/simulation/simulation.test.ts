import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { reportOf } from './report.ts'

const isSoak = Boolean(process.env.QUARTERMASTER_SOAK)
/** Each of the first sixteen finds another defect that the operator once had: what it broke is beside it. */
const fixedSeeds = [
  '14', // a status whose answer is lost keeps its facts
  '23', // a Secret ends with the resource that needs it
  '91', // a copy of a deployment that is deleted early is no new run
  '1433', // a terminating namespace takes no Secret for a cookie
  '65', // a new process misses the objects of a status that arrives late
  '5175', // a deletion waits for no credentials that were never needed
  '7168', // a late request keeps no Secret of a cookie
  '8367', // an environment ends with the deployments that a watch reports late
  '245', // a webhook whose creation could not be recorded gets its events
  '3665', // an application that is gone deletes nothing of a later one of its name
  '9004', // an organization that is deleted at once keeps the rights that its deletion needs
  '20907', // a new leader calls no driver with a spec of the former one
  '21118', // a deployment to an environment that has gone at once is not the last one of the next
  '80268', // a resource that is deprovisioned asks for no credentials that have ended since
  '170065', // a resource waits for dependents that the cache does not know as deleted
  '178001', // a resource of an organization that is deleted waits for its dependents
  '181112', // the plan of an unused resource knows that its driver wraps another one by now
  '190564', // a deployment that a slow request creates is withdrawn from a later environment of the name
  '1-20',
]
const shortSeed = '10'
const soakSeeds = 600
const soakMs = 3 * 3_600_000

interface Outcome {
  readonly code: number | string | null | undefined
  readonly output: string
}

/** Runs seeds in a process that has its timers, its date and its chance replaced. */
function simulate(seeds: readonly string[]): Promise<Outcome> {
  const main = join(import.meta.dirname, 'main.ts')
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...seeds], { maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, output: stdout + stderr }),
    )
  })
}

/** New seeds each time. */
function freshSeeds(): string {
  const first = Math.floor(Math.random() * 1e9)
  return `${first}-${first + soakSeeds - 1}`
}

test(
  'both processes keep their laws when requests, watches, providers and processes fail while users change everything',
  async () => {
    const seeds = isSoak ? [...fixedSeeds, freshSeeds()] : fixedSeeds
    if (isSoak) process.stderr.write(`simulation of the seeds ${seeds.join(' ')}\n`)
    const { code, output } = await simulate(seeds)
    expect(output).toMatch(/^\d+ seeds passed, 0 failed$/m)
    expect(code).toBe(0)
  },
  isSoak ? soakMs : 600_000,
)

test('a seed gives the same run in each process', async () => {
  const [one, other] = await Promise.all([simulate([shortSeed, '--log']), simulate([shortSeed, '--log'])])
  expect(one.output).toMatch(/^seed 10: [0-9a-f]{12} /m)
  expect(other).toEqual(one)
})

test('a broken law is reported with its seed, the object, and the command that repeats the run', () => {
  const violation = { law: 'Every deployment ends.', object: 'EnvironmentDeployment acme/shop.dev.1' }
  expect(reportOf(7, { ...violation, detail: 'Unknown Pending', seconds: 1.5 })).toBe(
    `seed 7 breaks a law: Every deployment ends.
  EnvironmentDeployment acme/shop.dev.1 after 1.500 s: Unknown Pending
  repeat: dev/bin/node test/simulation/main.ts 7 --log`,
  )
})
