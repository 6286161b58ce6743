import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { StoredRecord } from './records.ts'
import type { Zone } from './zones.ts'

/** What outlives a restart. */
export interface State {
  readonly zones: readonly Zone[]
  readonly records: readonly StoredRecord[]
}

const delayMs = 200

/** What was kept in a file; nothing when there is none. */
export function readState(file: string): State {
  if (!existsSync(file)) return { zones: [], records: [] }
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** Keeps a state in a file, a short while after each change. */
export function createKeeper(file: string, state: () => State) {
  let timer: NodeJS.Timeout | undefined

  function write(): void {
    timer = undefined
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(`${file}.new`, JSON.stringify(state()))
    renameSync(`${file}.new`, file)
  }

  return {
    changed(): void {
      timer ??= setTimeout(write, delayMs).unref()
    },
    /** Writes what is not written yet. */
    flush(): void {
      if (timer === undefined) return
      clearTimeout(timer)
      write()
    },
  }
}
