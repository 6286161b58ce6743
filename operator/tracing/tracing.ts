/** Attributes of a span: names, ids and counts, never user data or secrets. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>

/** A span to start. */
export interface SpanStart {
  readonly name: string
  readonly attributes?: SpanAttributes
  /** Handles a request of another process. */
  readonly isServer?: boolean
  /** Value of the header `traceparent` of the parent. Without it, the span that runs now is the parent. */
  readonly parent?: string
}

/** A span that has ended. */
export interface PastSpan extends SpanStart {
  /** Known ids; random ones when absent. Its parent, if any, decides the trace. */
  readonly ids?: TraceContext
  /** Times in milliseconds since 1970. */
  readonly start: number
  readonly end: number
  readonly hasFailed: boolean
}

/** The ids of a span. */
export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
}

/** Records spans of traces. */
export interface Tracing {
  /** Value of the header `traceparent` for the span that runs now. */
  current(): string | undefined
  start(span: SpanStart): OpenSpan
  /** Runs work, and all that it starts, as a part of no span. */
  outside<T>(work: () => T): T
  /** Adds attributes to the span that runs now. */
  describe(attributes: SpanAttributes): void
  record(span: PastSpan): void
  /** Whether a trace without a parent is recorded. */
  samples(traceId: string): boolean
  /** Sends what is not sent yet. */
  close(): Promise<void>
}

/** A span that has not ended. */
export interface OpenSpan {
  /** Runs work, and all that it starts, as a part of the span. */
  within<T>(work: () => T): T
  end(hasFailed: boolean, attributes?: SpanAttributes): void
}

/** Records nothing. */
export const noTracing: Tracing = {
  current: () => undefined,
  start: () => ({ within: (work) => work(), end() {} }),
  outside: (work) => work(),
  describe() {},
  record() {},
  samples: () => false,
  async close() {},
}

/** Runs `work` as a span, which fails when `work` throws. */
export async function traced<T>(tracing: Tracing, start: SpanStart, work: () => Promise<T>): Promise<T> {
  const span = tracing.start(start)
  let hasFailed = true
  try {
    const result = await span.within(work)
    hasFailed = false
    return result
  } finally {
    span.end(hasFailed)
  }
}

const pattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** A parsed header `traceparent`. */
export interface Traceparent extends TraceContext {
  readonly isSampled: boolean
}

/** Parses the header `traceparent` (W3C Trace Context); undefined when it is not valid. */
export function parseTraceparent(text: string | undefined): Traceparent | undefined {
  const [, traceId = '', spanId = '', flags = ''] = pattern.exec(text ?? '') ?? []
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** The value of the header `traceparent`. */
export function formatTraceparent({ traceId, spanId, isSampled }: Traceparent): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}
