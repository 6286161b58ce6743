import type { FreeForm } from '../../api/schema.ts'
import { compareText } from '../base/json.ts'
import type { Probe } from '../module/container-schema.ts'

/** The probe in the form of Kubernetes. */
export function probeOf({
  type,
  path,
  port,
  host,
  scheme,
  headers,
  command,
  service,
  ...timing
}: Probe): FreeForm {
  const httpHeaders = Object.entries(headers ?? {})
    .sort(([a], [b]) => compareText(a, b))
    .map(([name, value]) => ({ name, value }))
  const handlers = {
    http: {
      httpGet: {
        path: path ?? '/',
        port,
        host,
        scheme,
        httpHeaders: httpHeaders.length > 0 ? httpHeaders : undefined,
      },
    },
    command: { exec: { command } },
    tcp: { tcpSocket: { port, host } },
    grpc: { grpc: { port, service } },
  }
  return { ...handlers[type], ...timing }
}
