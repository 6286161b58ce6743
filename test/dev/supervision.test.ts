import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { eventually } from '../../dev/control-plane/kubernetes.ts'
import { hasEnded, readPid, standsStill, startProcess } from '../../dev/control-plane/processes.ts'
import { startService, stopService, watchRestarts } from '../../dev/supervision.ts'

let directory: string
let files: { readonly logFile: string; readonly pidFile: string }

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'supervision-'))
  files = { logFile: join(directory, 'sample.log'), pidFile: join(directory, 'sample.pid') }
})
afterEach(async () => {
  await stop()
  await nothingLeft()
  await rm(directory, { recursive: true })
})

const lasting = 'setInterval(() => {}, 1000)'
/** Runs long enough for its pid file to be seen. */
const failing = 'setTimeout(() => process.exit(3), 500)'

async function start(program: string, detached = true): Promise<number> {
  const script = join(directory, 'program.mjs')
  await writeFile(script, program)
  return startService({ binary: process.execPath, args: [script], ...files, detached })
}

function stop(): Promise<void> {
  return stopService(files.pidFile, directory, 10_000)
}

/** Processes that work in the directory. */
function left(): string[] {
  const lines = execFileSync('ps', ['-ww', '-eo', 'args'], { encoding: 'utf8' }).split('\n')
  return lines.filter((line) => line.includes(`${directory}/`))
}

/** A shell that watched the program ends shortly after it. */
function nothingLeft(): Promise<true> {
  return eventually('the end of all processes', 30_000, async () => left().length === 0 || undefined)
}

interface Restart {
  readonly process: string
  readonly exitCode: number
  readonly delaySeconds: number
}

async function restarts(count: number): Promise<readonly Restart[]> {
  return eventually(`${count} restarts`, 30_000, async () => {
    const lines = (await readFile(files.logFile, 'utf8')).split('\n').filter((line) => line !== '')
    return lines.length >= count ? lines.map((line): Restart => JSON.parse(line)) : undefined
  })
}

function nextPid(before: number): Promise<number> {
  return eventually('the next process', 30_000, async () => {
    const pid = await readPid(files.pidFile)
    return pid > 0 && pid !== before ? pid : undefined
  })
}

describe('a process under a supervisor', () => {
  test('is restarted when it is killed; its pid file has the new pid, and log and watcher report it', async () => {
    const reported: string[] = []
    const watcher = await watchRestarts(directory, ['sample'], (line) => reported.push(line))
    const first = await start(lasting)
    process.kill(first, 'SIGKILL')
    const second = await nextPid(first)
    expect(await hasEnded(second)).toBe(false)
    expect(await restarts(1)).toEqual([expect.objectContaining({ process: 'sample', exitCode: 137 })])
    await watcher.check()
    expect(reported).toEqual([expect.stringContaining("'sample' exited with code 137")])
    await watcher.check()
    expect(reported).toHaveLength(1)
  })

  test('is restarted after pauses that grow while it exits at once', async () => {
    await start(failing)
    const [first, second, third] = await restarts(3)
    expect([first?.exitCode, second?.exitCode, third?.exitCode]).toEqual([3, 3, 3])
    expect([first?.delaySeconds, second?.delaySeconds, third?.delaySeconds]).toEqual([1, 2, 4])
  })

  test('is ended by a second start, which leaves one', async () => {
    const first = await start(lasting)
    const second = await start(lasting)
    expect(await hasEnded(first)).toBe(true)
    expect(await readPid(files.pidFile)).toBe(second)
    expect(left()).toHaveLength(2)
  })

  test('that is not detached has none', async () => {
    await start(lasting, false)
    expect(left().filter((line) => line.includes('supervise.sh'))).toEqual([])
  })
})

describe('a stop leaves neither process nor supervisor nor pid file', () => {
  test.each<[when: string, prepare: () => Promise<unknown>]>([
    ['while the process runs', () => start(lasting)],
    ['as soon as it is started', () => startSupervisorAlone()],
    [
      'during a pause before the next start',
      async () => {
        await start(failing)
        await restarts(2)
      },
    ],
    [
      'while the process is paused',
      async () => {
        const pid = await start(lasting)
        process.kill(pid, 'SIGSTOP')
        await standsStill(pid)
      },
    ],
    [
      'when the supervisor was killed',
      async () => {
        await start(lasting)
        process.kill(await readPid(join(directory, 'sample-supervisor.pid')), 'SIGKILL')
      },
    ],
    ['when nothing runs', () => Promise.resolve()],
  ])('%s', async (_, prepare) => {
    await prepare()
    await stop()
    await nothingLeft()
    expect([await readPid(files.pidFile), await readPid(join(directory, 'sample-supervisor.pid'))]).toEqual([
      0, 0,
    ])
  })

  /** A supervisor whose program may not run yet. */
  async function startSupervisorAlone() {
    const script = join(directory, 'program.mjs')
    await writeFile(script, lasting)
    const supervisor = join(import.meta.dirname, '..', '..', 'dev', 'supervise.sh')
    await startProcess({
      binary: 'sh',
      args: [supervisor, 'sample', files.pidFile, process.execPath, script],
      logFile: files.logFile,
      pidFile: join(directory, 'sample-supervisor.pid'),
      detached: true,
    })
  }
})
