import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A span as a collector receives it (OTLP in JSON). */
export interface Span {
  readonly service: string
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  /** 2 for an error. */
  readonly status: { readonly code?: number }
}

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, string | number | boolean>>
}
interface Transfer {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<Span, 'attributes' | 'service'> & {
        readonly attributes: readonly Attribute[]
      })[]
    }[]
  }[]
}

/** An OpenTelemetry collector that keeps the spans it receives. */
export async function startCollector() {
  const spans: Span[] = []
  let status = 200
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.url === '/v1/traces' && status === 200) spans.push(...spansOf(JSON.parse(body)))
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    spans: spans as readonly Span[],
    /** Answers with this status from now on. */
    answer(next: number) {
      status = next
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}

function spansOf({ resourceSpans }: Transfer): Span[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name'])
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({ ...span, service, attributes: valuesOf(span.attributes) })),
    )
  })
}

function valuesOf(attributes: readonly Attribute[]) {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] ?? '']))
}
