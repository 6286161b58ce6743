import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { runHelm } from '../../dev/helm/helm.ts'

const root = join(import.meta.dirname, '../..')
export const chart = join(root, 'charts/quartermaster')
export const systemNamespace = 'quartermaster-system'

/** The parts of an object that the tests read. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec?: Readonly<Record<string, unknown>>
  readonly data?: Readonly<Record<string, string>>
}

/** Every switch on, every list filled. */
export const allSwitches = {
  image: { repository: 'registry.example.test/team/quartermaster', digest: `sha256:${'0'.repeat(64)}` },
  imagePullSecrets: [{ name: 'registry' }],
  commonLabels: { team: 'platform' },
  namespace: { create: true },
  settings: { QUARTERMASTER_LOG_LEVEL: 'debug', QUARTERMASTER_WEBHOOK_KEPT_SECONDS: 1_000_000 },
  tracing: { endpoint: 'http://collector.example.test:4318', ratio: 0.000001 },
  oidc: { clientSecret: { existingSecret: 'oidc', key: 'client' } },
  trustedCa: { existingConfigMap: 'authorities' },
  operator: processValues(),
  gateway: {
    ...processValues(),
    service: { type: 'LoadBalancer', port: 8443, annotations: { note: 'one' } },
    ingress: {
      enabled: true,
      className: 'nginx',
      host: 'quartermaster.example.test',
      annotations: { note: 'two' },
      tlsSecret: 'gateway-tls',
    },
    httpRoute: {
      enabled: true,
      parentRefs: [{ name: 'public', namespace: 'gateways' }],
      hostnames: ['quartermaster.example.test'],
      annotations: { note: 'three' },
    },
  },
  networkPolicy: {
    enabled: true,
    gatewayFrom: [{ namespaceSelector: { matchLabels: { team: 'portal' } } }],
    metricsFrom: [{ namespaceSelector: { matchLabels: { team: 'monitoring' } } }],
    egressPorts: [443, 6443],
  },
  monitoring: {
    serviceMonitor: true,
    podMonitor: true,
    prometheusRule: true,
    runbooks: 'https://docs.example.test/alerts.md',
    dashboards: true,
    labels: { release: 'monitoring' },
  },
  sample: { enabled: true, name: 'trial' },
}

function processValues() {
  return {
    replicas: 3,
    topologySpreadConstraints: [
      { topologyKey: 'kubernetes.io/hostname', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' },
    ],
    podAnnotations: { note: 'pod' },
    podLabels: { tier: 'control' },
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [{ key: 'dedicated', operator: 'Exists' }],
    affinity: { podAntiAffinity: {} },
    priorityClassName: 'system-cluster-critical',
    extraEnv: [{ name: 'NODE_OPTIONS', value: '--max-semi-space-size=16' }],
    extraEnvFrom: [{ configMapRef: { name: 'more', optional: true } }],
    extraVolumes: [{ name: 'scratch', emptyDir: {} }],
    extraVolumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
  }
}

/** The objects that the chart renders with these values, in the API versions of Kubernetes 1.36. */
export async function render(values: object = {}, ...args: readonly string[]): Promise<Manifest[]> {
  const text = await runHelm(
    'template',
    'quartermaster',
    chart,
    `--namespace=${systemNamespace}`,
    '--kube-version=1.36.0',
    '--api-versions=admissionregistration.k8s.io/v1/MutatingAdmissionPolicy',
    ...valuesArguments(values),
    ...args,
  )
  return parseManifests(text)
}

/** Arguments of Helm that set these values. */
export function valuesArguments(values: object): string[] {
  return Object.entries(values).map(([key, value]) => `--set-json=${key}=${JSON.stringify(value)}`)
}

/** The documents of a YAML text that are not empty. */
export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors
    if (error) throw error
    return document.toJS() ?? []
  })
}

/** The objects in a file of the chart. */
export function manifestsIn(file: string): Manifest[] {
  return parseManifests(readFileSync(join(chart, file), 'utf8'))
}

/** Finds the only object of this kind and name. */
export function find(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const [found, ...others] = manifests.filter((each) => each.kind === kind && each.metadata.name === name)
  if (!found || others.length > 0) throw new Error(`not exactly one ${kind} '${name}'`)
  return found
}
