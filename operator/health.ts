import { createServer, type Server } from 'node:http'
import type { Registry } from 'prom-client'

/** The checks of a probe by name; a name says what must be true. */
export type Checks = Readonly<Record<string, () => boolean>>

/** Checks of the probes. */
export interface Health {
  /** Whether the process works; if not, the kubelet restarts it. */
  readonly livez: Checks
  /** Whether it can work now. */
  readonly readyz: Checks
}

/** Serves `/livez`, `/readyz` and `/metrics`; at all addresses without a host. A probe answers with each check, as the API server does. */
export function serveHealth(
  { livez, readyz }: Health,
  registry: Registry,
  port: number,
  host: string | undefined,
): Promise<Server> {
  const probes = new Map([
    ['/livez', livez],
    ['/readyz', readyz],
  ])
  const server = createServer((request, response) => {
    if (request.url === '/metrics') {
      void registry.metrics().then((text) => {
        response.writeHead(200, { 'content-type': registry.contentType })
        response.end(text)
      })
      return
    }
    const checks = probes.get(request.url ?? '')
    const results = Object.entries(checks ?? {}).map(([name, check]) => ({ name, isWell: check() }))
    const isWell = results.every((each) => each.isWell)
    response.writeHead(checks ? (isWell ? 200 : 503) : 404, { 'content-type': 'text/plain' })
    response.end(results.map((each) => `${each.isWell ? '[+]' : '[-]'}${each.name}\n`).join(''))
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve(server))
  })
}
