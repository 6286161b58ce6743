import type { KubeObject } from '../../api/kind.ts'
import type { FreeForm, Static } from '../../api/schema.ts'
import { Stalled } from '../../domain/base/errors.ts'
import type { NeighbourValue } from '../../domain/graph/inputs.ts'
import type { Driver, ProvisionRequest } from '../driver.ts'
import { type AnnotationRules, annotationGuard, refuseAnnotations } from './annotations.ts'
import { ingressDescriptor, type ingressValues, objectNamePattern, pathTypes } from './descriptor.ts'

type Inputs = Static<typeof ingressValues>
type PathType = (typeof pathTypes)[number]

interface Path {
  readonly path: string
  readonly pathType: PathType
  readonly service: string
  readonly port: number | string
}

const hostPattern = new RegExp(`^(\\*\\.)?${objectNamePattern}$`)
const secretNamePattern = new RegExp(`^${objectNamePattern}$`)
const classAnnotation = 'kubernetes.io/ingress.class'

/** Builds the Ingress of a dns resource; the caller applies it. */
export function createIngress(rules: AnnotationRules = {}): Driver {
  const isRefused = annotationGuard(rules)
  return {
    descriptor: ingressDescriptor,
    async provision(request) {
      const inputs = request.values as Inputs // the schema was checked
      refuseAnnotations(Object.keys(inputs.annotations ?? {}).filter(isRefused))
      const dns = request.neighbours.dns?.[0]
      const name = `${request.guResId}-ingress`
      const outputs = { values: { id: name }, secrets: {} }
      const paths = pathsOf(request, inputs.path_type ?? 'Prefix')
      if (paths.length === 0) return { outputs, objects: [] }

      const host = hostOf(request, dns)
      const secretName = secretOf(request, inputs, dns)
      const object = render(name, request.namespace, inputs, host, secretName, paths)
      return { outputs, objects: [object], reservedHosts: host === undefined ? [] : [host] }
    },
    async deprovision() {},
  }
}

/** The driver with default settings. */
export const ingress = createIngress()

/** Lower case, as the API server requires. */
function hostOf({ params }: ProvisionRequest, dns: NeighbourValue | undefined): string | undefined {
  const host = (textOf(dns?.outputs.host) ?? textOf(params.host))?.toLowerCase()
  if (host !== undefined && (host.length > 253 || !hostPattern.test(host)))
    throw new Stalled('InvalidInputs', `host '${host.slice(0, 253)}' is not a host name`)
  return host
}

/** The rules of workloads and the routes of the dns resource, each path once, in a stable order. */
function pathsOf({ params, neighbours }: ProvisionRequest, defaultType: PathType): Path[] {
  const rules = (params.rules as { http?: Record<string, FreeForm> } | undefined)?.http ?? {} // put together while planning
  const fromRules = Object.entries(rules).map(([path, rule]) =>
    pathOf(path, rule.type, rule.name, rule.port, defaultType),
  )
  const fromRoutes = (neighbours.routes ?? []).map((route) => pathOfRoute(route, defaultType))
  const byPath = new Map<string, Path>()
  for (const each of [...fromRules, ...fromRoutes]) {
    const key = `${each.pathType} ${each.path}`
    const other = byPath.get(key)
    if (other && (other.service !== each.service || other.port !== each.port)) {
      throw new Stalled(
        'Conflict',
        `path '${each.path}' leads to both '${other.service}' and '${each.service}'`,
      )
    }
    byPath.set(key, each)
  }
  return [...byPath.entries()].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, path]) => path)
}

function pathOfRoute({ outputs, params, workload }: NeighbourValue, defaultType: PathType): Path {
  const field = (name: string) => outputs[name] ?? params[name]
  return pathOf(
    textOf(field('path')) ?? '/',
    field('type'),
    field('service') ?? workload,
    field('port'),
    defaultType,
  )
}

function pathOf(path: string, type: unknown, service: unknown, port: unknown, defaultType: PathType): Path {
  if (!path.startsWith('/')) throw new Stalled('InvalidInputs', `ingress path '${path}' must begin with '/'`)
  const name = textOf(service)
  if (name === undefined) throw new Stalled('InvalidInputs', `ingress path '${path}' names no service`)
  const number = typeof port === 'string' && /^\d+$/.test(port) ? Number(port) : port
  if (typeof number !== 'number' && typeof number !== 'string') {
    throw new Stalled('InvalidInputs', `ingress path '${path}' names no port`)
  }
  return { path, pathType: pathTypeOf(path, type, defaultType), service: name, port: number }
}

function pathTypeOf(path: string, type: unknown, defaultType: PathType): PathType {
  if (type === undefined) return defaultType
  const found = pathTypes.find((each) => each.toLowerCase() === String(type).toLowerCase())
  if (!found)
    throw new Stalled(
      'InvalidInputs',
      `path type '${String(type)}' of '${path}' is none of ${pathTypes.join(', ')}`,
    )
  return found
}

/** The definition's choice wins over the resource's, which wins over the certificate of the dns resource. */
function secretOf(
  { params }: ProvisionRequest,
  inputs: Inputs,
  dns: NeighbourValue | undefined,
): string | undefined {
  if (inputs.no_tls) return undefined
  const name =
    inputs.tls_secret_name || textOf(params.tls_secret_name) || textOf(dns?.outputs.tls_secret_name)
  if (name !== undefined && (name.length > 253 || !secretNamePattern.test(name)))
    throw new Stalled('InvalidInputs', `TLS Secret '${name.slice(0, 253)}' is not the name of an object`)
  return name
}

function render(
  name: string,
  namespace: string,
  inputs: Inputs,
  host: string | undefined,
  secretName: string | undefined,
  paths: readonly Path[],
): KubeObject {
  const isOld = inputs.api_version === 'v1beta1'
  const annotations = {
    ...inputs.annotations,
    ...(isOld && inputs.class ? { [classAnnotation]: inputs.class } : {}),
  }
  const http = { paths: paths.map((path) => (isOld ? oldPath(path) : newPath(path))) }
  return {
    apiVersion: isOld ? 'networking.k8s.io/v1beta1' : 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: {
      name,
      namespace,
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
      ...(inputs.labels ? { labels: inputs.labels } : {}),
    },
    spec: {
      ...(!isOld && inputs.class ? { ingressClassName: inputs.class } : {}),
      rules: [{ ...(host === undefined ? {} : { host }), http }],
      ...(secretName ? { tls: [{ ...(host === undefined ? {} : { hosts: [host] }), secretName }] } : {}),
    },
  }
}

function newPath({ path, pathType, service, port }: Path) {
  return {
    path,
    pathType,
    backend: {
      service: { name: service, port: typeof port === 'number' ? { number: port } : { name: port } },
    },
  }
}

function oldPath({ path, pathType, service, port }: Path) {
  return { path, pathType, backend: { serviceName: service, servicePort: port } }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
