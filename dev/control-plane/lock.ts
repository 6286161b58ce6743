import { mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const silentForMilliseconds = 20_000

/** Runs `action` while no other process on this machine runs one under the same lock file. */
export async function withLock<Result>(
  path: string,
  action: () => Promise<Result>,
  onWait: (holder: string) => void = () => {},
): Promise<Result> {
  await mkdir(dirname(path), { recursive: true })
  await acquire(path, onWait)
  // The touched file says that the holder still works, even where its pid means something else by now.
  const heartbeat = setInterval(() => {
    utimes(path, new Date(), new Date()).catch(() => {})
  }, 2_000)
  try {
    return await action()
  } finally {
    clearInterval(heartbeat)
    await rm(path, { force: true })
  }
}

async function acquire(path: string, onWait: (holder: string) => void): Promise<void> {
  for (let attempt = 0; !(await tryToCreate(path)); attempt += 1) {
    if (await isStale(path)) {
      // Two who take over at once may both get it: harmless, as what they write is renamed into place.
      await rm(path, { force: true })
      continue
    }
    if (attempt === 0) onWait(await holderOf(path))
    await sleep(200)
  }
}

async function tryToCreate(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

async function isStale(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined)
  if (!stats) return false
  if (Date.now() - stats.mtimeMs > silentForMilliseconds) return true
  const holder = Number(await holderOf(path))
  return holder > 0 && !isAlive(holder)
}

async function holderOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '')
}

/** Whether a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

// In a test, an error of Node is not an instance of the Error that the code sees.
function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code
}
