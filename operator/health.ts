import { createServer, type Server } from 'node:http'
import type { Registry } from 'prom-client'

/** Checks of the probes. */
export interface Health {
  /** Whether the process works; if not, the kubelet restarts it. */
  isAlive(): boolean
  /** Whether it can work now. */
  isReady(): boolean
}

/** Serves `/livez`, `/readyz` and `/metrics`; at all addresses without a host. */
export function serveHealth(
  health: Health,
  registry: Registry,
  port: number,
  host: string | undefined,
): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url === '/metrics') {
      void registry.metrics().then((text) => {
        response.writeHead(200, { 'content-type': registry.contentType })
        response.end(text)
      })
      return
    }
    const checks: Record<string, () => boolean> = { '/livez': health.isAlive, '/readyz': health.isReady }
    const check = checks[request.url ?? '']
    const isWell = check?.() ?? false
    response.writeHead(check ? (isWell ? 200 : 503) : 404, { 'content-type': 'text/plain' })
    response.end(isWell ? 'ok\n' : 'not ok\n')
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve(server))
  })
}
