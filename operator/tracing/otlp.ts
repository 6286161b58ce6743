import { AsyncLocalStorage } from 'node:async_hooks'
import {
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  type IdGenerator,
  ParentBasedSampler,
  RandomIdGenerator,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Log } from '../log.ts'
import { loggedExporter } from './logged-exporter.ts'
import {
  formatTraceparent,
  parseTraceparent,
  type SpanAttributes,
  type SpanStart,
  type TraceContext,
  type Tracing,
} from './tracing.ts'

/** Where spans are sent to, and which part of the traces. */
export interface OtlpOptions {
  /** Address of an OpenTelemetry collector (OTLP over HTTP), with `/v1/traces` or without. */
  readonly endpoint: string
  /** Part of the traces to record, from 0 to 1, where no parent decides. */
  readonly ratio: number
  readonly service: string
  readonly version: string
  readonly log: Log
}

/** Spans of a large deployment wait here for the next transfer; further ones are dropped. */
const maxQueueSize = 16_384

/** Sends spans to an OpenTelemetry collector. */
export function createOtlpTracing({ endpoint, ratio, service, version, log }: OtlpOptions): Tracing {
  const ids = new GivenIds()
  const root = new TraceIdRatioBasedSampler(ratio)
  const url = `${endpoint.replace(/\/+$/, '').replace(/\/v1\/traces$/, '')}/v1/traces`
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
    sampler: new ParentBasedSampler({ root }),
    idGenerator: ids,
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: loggedExporter(new OTLPTraceExporter({ url }), new URL(url), log),
        maxQueueSize,
      }),
    ],
  })
  const tracer = provider.getTracer('quartermaster')
  const running = new AsyncLocalStorage<Span>()

  const startSpan = ({ name, attributes = {}, isServer = false, parent }: SpanStart, startTime?: Date) =>
    tracer.startSpan(
      name,
      { attributes: { ...attributes }, kind: isServer ? SpanKind.SERVER : SpanKind.INTERNAL, startTime },
      contextOf(parent, running.getStore()),
    )
  return {
    current() {
      const context = running.getStore()?.spanContext()
      return context && formatTraceparent({ ...context, isSampled: isSampled(context) })
    },
    start(start) {
      const span = startSpan(start)
      return {
        within: (work) => running.run(span, work),
        end: (hasFailed, attributes) => endSpan(span, { hasFailed, attributes }),
      }
    },
    outside: (work) => running.exit(work),
    describe: (attributes) => running.getStore()?.setAttributes({ ...attributes }),
    record({ ids: given, start, end, hasFailed, ...span }) {
      const recorded = ids.giveNext(given, () => startSpan(span, new Date(start)))
      endSpan(recorded, { hasFailed, end })
    },
    samples: (traceId) => {
      const { decision } = root.shouldSample(ROOT_CONTEXT, traceId)
      return decision === SamplingDecision.RECORD_AND_SAMPLED
    },
    // The log says why the last spans are lost: a process ends well without them.
    close: () => provider.shutdown().catch(() => undefined),
  }
}

function isSampled({ traceFlags }: SpanContext): boolean {
  return (traceFlags & TraceFlags.SAMPLED) !== 0
}

function contextOf(parent: string | undefined, span: Span | undefined) {
  const remote = parseTraceparent(parent)
  if (!remote) return span ? trace.setSpan(ROOT_CONTEXT, span) : ROOT_CONTEXT
  const { traceId, spanId } = remote
  const traceFlags = remote.isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

function endSpan(
  span: Span,
  {
    hasFailed,
    attributes = {},
    end,
  }: { readonly hasFailed: boolean; readonly attributes?: SpanAttributes; readonly end?: number },
): void {
  span.setAttributes({ ...attributes })
  if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end(end === undefined ? undefined : new Date(end))
}

/** Random ids, except for one span whose ids are known. */
class GivenIds implements IdGenerator {
  readonly #random = new RandomIdGenerator()
  #given: TraceContext | undefined

  generateTraceId = () => this.#given?.traceId ?? this.#random.generateTraceId()
  generateSpanId = () => this.#given?.spanId ?? this.#random.generateSpanId()

  giveNext<T>(ids: TraceContext | undefined, start: () => T): T {
    this.#given = ids
    try {
      return start()
    } finally {
      this.#given = undefined
    }
  }
}
