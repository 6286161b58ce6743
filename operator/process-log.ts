import type { Log } from './log.ts'

/** Writes to the log, instead of as text, what Node says of this process: warnings, and the error that ends it. */
export function logProcess(log: Log): void {
  // The listener that prints warnings as text goes.
  process.removeAllListeners('warning')
  process.on('warning', (warning) => log.warn('Node warns', { error: warning }))
  // A rejection that nobody handles arrives here too.
  process.on('uncaughtException', (error, origin) => {
    log.error('ended by an error that nothing handled', { origin, error })
    process.exit(1)
  })
}
