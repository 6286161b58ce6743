import type { FreeForm } from '../../api/schema.ts'
import { compareText } from '../base/json.ts'
import type { Probe } from '../module/container-schema.ts'

/**
 * The probe in the form of Kubernetes. Its host is a header: a probe of another address than the pod's would be a request of
 * the node, which the Pod Security level `baseline` forbids.
 */
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
  const isGiven = Object.keys(headers ?? {}).some((name) => name.toLowerCase() === 'host')
  const all = host === undefined || isGiven ? headers : { ...headers, Host: host }
  const httpHeaders = Object.entries(all ?? {})
    .sort(([a], [b]) => compareText(a, b))
    .map(([name, value]) => ({ name, value }))
  const handlers = {
    http: {
      httpGet: {
        path: path ?? '/',
        port,
        scheme,
        httpHeaders: httpHeaders.length > 0 ? httpHeaders : undefined,
      },
    },
    command: { exec: { command } },
    tcp: { tcpSocket: { port } },
    grpc: { grpc: { port, service } },
  }
  return { ...handlers[type], ...timing }
}
