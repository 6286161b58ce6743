import winston from 'winston'

/** Fields of a log line: ids and counts, never user data or secrets. Their names are not those that every line has. */
export type LogFields = Readonly<Record<string, unknown>> & {
  readonly [own in 'level' | 'message' | 'process' | 'timestamp']?: never
}

/** Structured log lines, one JSON object each. */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

const secretKey = /authorization|token|password|passwd|secret|credential|cookie|private|tls\.key/i
/** An id is not secret, even if it identifies a token. */
const idKey = /(?:_id|Id)$/
const maxText = 2000

/** A log on standard output; `level` is the lowest level to write. */
export function createLog(process: string, level: string): Log {
  const logger = winston.createLogger({
    level,
    format: winston.format.combine(winston.format.timestamp(), winston.format.json()),
    transports: [new winston.transports.Console({ stderrLevels: [] })],
  })
  const write =
    (at: string) =>
    (message: string, fields: LogFields = {}) => {
      if (!logger.isLevelEnabled(at)) return
      logger.log({ ...safeFields(fields), level: at, message, process })
    }
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

/** A log that writes nothing. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** Logs Node's warnings and the error that ends the process, instead of printing them as text. */
export function logProcess(log: Log): void {
  // Removes the listener that prints warnings as text.
  process.removeAllListeners('warning')
  process.on('warning', (warning) => log.warn('Node warns', { error: warning }))
  // Unhandled rejections arrive here too.
  process.on('uncaughtException', (error, origin) => {
    log.error('ended by an error that nothing handled', { origin, error })
    process.exit(1)
  })
}

function safeFields(fields: object, depth = 0): object {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      secretKey.test(key) && !idKey.test(key) ? '[redacted]' : safe(value, depth),
    ]),
  )
}

function safe(value: unknown, depth = 0): unknown {
  if (value instanceof Error)
    return { name: value.name, message: clip(value.message), stack: clip(value.stack ?? '') }
  if (typeof value === 'string') return clip(value)
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= 4) return '[deep]'
  if (Array.isArray(value)) return value.slice(0, 20).map((item) => safe(item, depth + 1))
  return safeFields(value, depth + 1)
}

function clip(text: string): string {
  return text.length > maxText ? `${text.slice(0, maxText)}…` : text
}
