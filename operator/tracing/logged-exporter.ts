import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { Log } from '../log.ts'

/** An exporter that says in the log when spans begin to be lost, and when they arrive again. */
export function loggedExporter(exporter: SpanExporter, address: URL, log: Log): SpanExporter {
  const collector = `${address.origin}${address.pathname}`
  let isLosing = false

  function note(error: Error | undefined): void {
    const isLost = error !== undefined
    if (isLost && !isLosing) log.warn('spans cannot be sent', { collector, reason: error.message })
    if (!isLost && isLosing) log.info('spans are sent again', { collector })
    isLosing = isLost
  }

  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        note(result.error)
        done(result)
      })
    },
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  }
}
