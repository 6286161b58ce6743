import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BundleName, provideBundles, runtime } from './build.ts'
import type { Cluster } from './cluster.ts'
import {
  type ApiAccess,
  apiCall,
  apiRequest,
  applyManifests,
  eventually,
} from './control-plane/kubernetes.ts'
import { endProcess, freePorts, tail } from './control-plane/processes.ts'
import { startService, stopService } from './supervision.ts'

const root = join(import.meta.dirname, '..')
const systemNamespace = 'quartermaster-system'
const yearInSeconds = 365 * 24 * 3600
const startsWithinMs = 30_000

const chartFiles = join(root, 'charts/quartermaster/files')

/** Everything that a cluster needs before the processes start: CRDs, roles, policy. The chart renders the same files. */
export const manifestFiles: readonly string[] = readdirSync(chartFiles)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => join(chartFiles, name))

/** The same for a chart with `rbac.scope=organizations`: rights to Secrets come from RoleBindings that the operator makes. */
export const manifestFilesOfOrganizations: readonly string[] = [
  ...manifestFiles.filter((file) => !file.endsWith('/secrets-bindings.yaml')),
  join(chartFiles, 'organizations/rights.yaml'),
]

/** The manifests but for the policy that records creators, where the API server does not serve its kind. */
export function manifestsServed(
  manifests: readonly string[],
  { resources }: { readonly resources: readonly { readonly kind: string }[] },
): readonly string[] {
  const isServed = resources.some(({ kind }) => kind === 'MutatingAdmissionPolicy')
  return isServed ? manifests : manifests.filter((file) => !file.endsWith('/stamp.yaml'))
}

/** A running process. */
export interface RunningProcess {
  readonly name: BundleName
  readonly pid: number
  /** Base address: the REST interface of the gateway, health and metrics of the operator. */
  readonly url: string
  stop(): Promise<void>
  kill(): Promise<void>
}

export interface ProcessOptions {
  readonly directory: string
  readonly logDirectory?: string
  readonly pidDirectory?: string
  readonly detached?: boolean
  /** Settings, as environment variables. */
  readonly settings?: Readonly<Record<string, string>>
  readonly port?: number
}

/** What gives a process its own credentials. */
type Credentials = ApiAccess & Pick<Cluster, 'kubeconfigFor' | 'tokenFor'>

/** Applies CRDs, roles and policies, and waits until the API server enforces the policies. */
export async function installInto(
  controlPlane: ApiAccess,
  manifests: readonly string[] = manifestFiles,
): Promise<void> {
  const served = manifestsServed(
    manifests,
    await apiCall(controlPlane, 'GET', '/apis/admissionregistration.k8s.io/v1'),
  )
  await applyManifests(controlPlane, served)
  await eventually('the validating policies', 30_000, async () => {
    const { status } = await tryToCreate(controlPlane, 'activeresources', activeResource)
    return status === 403 || undefined
  })
  if (served.length < manifests.length) return
  await eventually('the mutating policy', 30_000, async () => {
    const { body } = await tryToCreate(controlPlane, 'environments', environment)
    return body.metadata?.annotations !== undefined || undefined
  })
}

const apiVersion = 'quartermaster.dev/v1alpha1'
/** Only the operator may create it. */
const activeResource = {
  apiVersion,
  kind: 'ActiveResource',
  metadata: { name: 'probe' },
  spec: {
    environmentName: 'probe.probe',
    deploymentName: 'probe',
    context: {
      organizationId: 'probe',
      applicationId: 'probe',
      environmentId: 'probe',
      environmentType: 'probe',
    },
    type: 'dns',
    class: 'default',
    resourceId: 'probe',
    definition: { definitionName: 'probe', driverType: 'probe/probe' },
    signature: 'probe',
  },
}
/** Its creator is recorded. */
const environment = {
  apiVersion,
  kind: 'Environment',
  metadata: { name: 'probe.probe' },
  spec: { applicationName: 'probe', typeName: 'probe' },
}

/** The answer to a dry run in the namespace `default`. */
function tryToCreate(controlPlane: ApiAccess, plural: string, object: unknown) {
  const path = `/apis/${apiVersion}/namespaces/default/${plural}?dryRun=All`
  return apiRequest<{ metadata?: { annotations?: Record<string, string> } }>(
    controlPlane,
    'POST',
    path,
    object,
  )
}

/** Writes a kubeconfig for the ServiceAccount of a process; its token is valid for a year. */
export async function kubeconfigOf(
  controlPlane: Credentials,
  name: BundleName,
  directory: string,
): Promise<string> {
  const token = await controlPlane.tokenFor(systemNamespace, `quartermaster-${name}`, yearInSeconds)
  const file = join(directory, `${name}.kubeconfig`)
  await writeFile(file, controlPlane.kubeconfigFor(token), { mode: 0o600 })
  return file
}

/** Starts the operator or the gateway from its bundle in `directory`, under its own ServiceAccount. */
export async function startQuartermaster(
  controlPlane: Credentials,
  name: BundleName,
  options: ProcessOptions,
): Promise<RunningProcess> {
  const {
    directory,
    logDirectory = directory,
    pidDirectory = directory,
    detached = false,
    settings = {},
  } = options
  const port = options.port ?? (await freePorts(1))[0] ?? 0
  const logFile = join(logDirectory, `${name}.log`)
  const pidFile = join(pidDirectory, `${name}.pid`)
  const pid = await startService({
    binary: process.execPath,
    args: [...runtime.nodeOptions, join(directory, `${name}.mjs`)],
    environment: {
      ...runtime.environment,
      QUARTERMASTER_KUBECONFIG: await kubeconfigOf(controlPlane, name, directory),
      [name === 'operator' ? 'QUARTERMASTER_HEALTH_PORT' : 'QUARTERMASTER_GATEWAY_PORT']: String(port),
      QUARTERMASTER_HEALTH_HOST: '127.0.0.1',
      QUARTERMASTER_GATEWAY_HOST: '127.0.0.1',
      // A control plane without nodes runs no pods.
      QUARTERMASTER_ROLLOUT: 'applied',
      ...settings,
    },
    logFile,
    pidFile,
    detached,
  })
  const url = `http://127.0.0.1:${port}`
  await awaitReady(url, name, logFile)
  return {
    name,
    pid,
    url,
    stop: () => (detached ? stopQuartermaster(name, options) : endProcess(pid, directory, 30_000)),
    kill: () => endProcess(pid, directory, 0),
  }
}

async function awaitReady(url: string, name: string, logFile: string): Promise<void> {
  const deadline = performance.now() + startsWithinMs
  while (performance.now() < deadline) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => {
      setTimeout(resolve, 50)
    })
  }
  throw new Error(`${name} did not become ready; its log ends with\n${await tail(logFile)}`)
}

/** Stops the process of an earlier run in this directory. */
export async function stopQuartermaster(
  name: BundleName,
  { directory, pidDirectory = directory }: ProcessOptions,
): Promise<void> {
  await stopService(join(pidDirectory, `${name}.pid`), directory, 30_000)
}

/** The token of the first administrator, which the operator creates. */
export async function readAdminToken(controlPlane: ApiAccess): Promise<string> {
  const path = `/api/v1/namespaces/${systemNamespace}/secrets/quartermaster-admin`
  const userPath = `/apis/quartermaster.dev/v1alpha1/namespaces/${systemNamespace}/users/admin`
  return eventually('the token of the administrator', 30_000, async () => {
    await apiCall(controlPlane, 'GET', userPath) // created last
    const { data } = await apiCall<{ data: { token: string } }>(controlPlane, 'GET', path)
    return Buffer.from(data.token, 'base64').toString()
  })
}

/** Bundles, installs and starts both processes. */
export async function startEverything(
  controlPlane: Credentials,
  options: ProcessOptions & { readonly gatewayPort?: number; readonly manifests?: readonly string[] },
) {
  const [operator, gateway] = await (async () => {
    await Promise.all([provideBundles(options.directory), installInto(controlPlane, options.manifests)])
    return Promise.all([
      startQuartermaster(controlPlane, 'operator', options),
      startQuartermaster(controlPlane, 'gateway', { ...options, port: options.gatewayPort }),
    ])
  })()
  return { operator, gateway, adminToken: await readAdminToken(controlPlane) }
}
