import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import { argumentsOf } from './command-lines.ts'
import type { Log } from './fetching.ts'
import {
  etcdUrlOf,
  filesOf,
  type GroupResources,
  type NodeAccess,
  type Places,
  type ProcessName,
  pathsIn,
  processNames,
  readAdminToken,
  type Settings,
  urlOf,
  writeAdminKubeconfig,
  writeSettings,
} from './files.ts'
import { apiRequest } from './kubernetes.ts'
import { endProcess, freePorts, hasEnded, isPortFree, readPid, startProcess, tail } from './processes.ts'

export type ControlPlaneOptions = {
  /** Everything of this control plane lies here. */
  readonly directory: string
  /** Records every request, with user and answer, at level Metadata. */
  readonly auditLog?: boolean
  /** Records the bodies of writes of these resources too. */
  readonly auditBodiesOf?: readonly GroupResources[]
  readonly apiServerPort?: number
  readonly etcdPort?: number
  /** Keeps objects, tokens and keys from one start in this directory to the next. */
  readonly keepData?: boolean
  readonly logDirectory?: string
  readonly pidDirectory?: string
  /** Keeps running when the process that started it ends. */
  readonly detached?: boolean
  /** Serves a node, on an address that its pods reach. */
  readonly node?: NodeAccess
  /** The minor version of Kubernetes to act as, such as `1.33`: its kinds, features and expressions. */
  readonly emulatedVersion?: string
  readonly log?: Log
}

const readyWithinMilliseconds = 90_000
const graceMilliseconds: Record<ProcessName, number> = {
  'kube-controller-manager': 2_000,
  'kube-apiserver': 5_000,
  etcd: 5_000,
}

class PortTaken extends Error {}

/** Starts all processes, on free ports unless the options name some. */
export async function startOnFreePorts(
  options: ControlPlaneOptions & Places,
  binaries: Binaries,
): Promise<Settings> {
  const {
    directory,
    logDirectory,
    pidDirectory,
    auditLog = false,
    keepData = false,
    detached = false,
    node,
    emulatedVersion,
  } = options
  await assertFree(options.apiServerPort)
  await assertFree(options.etcdPort)
  for (let attempt = 1; ; attempt += 1) {
    const [apiServerPort = 0, etcdPort = 0, etcdPeerPort = 0] = await freePorts(3)
    const settings: Settings = {
      directory,
      logDirectory,
      pidDirectory,
      auditLog,
      keepData,
      detached,
      owner: process.pid,
      binaries,
      node,
      emulatedVersion,
      etcdPeerPort,
      apiServerPort: options.apiServerPort ?? apiServerPort,
      etcdPort: options.etcdPort ?? etcdPort,
    }
    try {
      await startAll(settings)
      return settings
    } catch (error) {
      await endAll(settings, true)
      // Another process took a port between the question and the start.
      if (!(error instanceof PortTaken) || attempt === 5) throw error
    }
  }
}

async function assertFree(port: number | undefined): Promise<void> {
  if (port !== undefined && !(await isPortFree(port)))
    throw new Error(`port ${port} is taken by another process`)
}

async function startAll(settings: Settings): Promise<void> {
  await writeSettings(settings)
  await startOne(settings, 'etcd')
  await waitFor(settings, 'etcd', async () => (await fetch(`${etcdUrlOf(settings)}/health`)).ok)
  await startOne(settings, 'kube-apiserver')
  await waitFor(settings, 'kube-apiserver', () => isReady(settings))
  await writeAdminKubeconfig(settings)
  await startOne(settings, 'kube-controller-manager')
  await waitFor(settings, 'kube-controller-manager', () => hasDefaultServiceAccount(settings))
}

async function startOne(settings: Settings, name: ProcessName): Promise<number> {
  return startProcess({
    binary: settings.binaries[name],
    args: argumentsOf[name](settings),
    ...filesOf(name, settings),
    detached: settings.detached,
  })
}

/** How an administrator reaches the API server. */
export async function accessTo(settings: Settings) {
  const { ca } = pathsIn(settings.directory)
  return { url: urlOf(settings), caFile: ca, adminToken: await readAdminToken(settings.directory) }
}

/** Whether the API server answers that it is ready. */
export async function isReady(settings: Settings): Promise<boolean> {
  // Something else that listens on the port, or a paused server, would never answer.
  const access = { ...(await accessTo(settings)), timeoutMilliseconds: 2_000 }
  const answer = await apiRequest(access, 'GET', '/readyz').catch(() => undefined)
  return answer?.ok ?? false
}

// A namespace gets its ServiceAccount from the controller manager.
async function hasDefaultServiceAccount(settings: Settings): Promise<boolean> {
  const path = '/api/v1/namespaces/default/serviceaccounts/default'
  const { ok } = await apiRequest(await accessTo(settings), 'GET', path)
  return ok
}

async function waitFor(settings: Settings, name: ProcessName, check: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + readyWithinMilliseconds
  while (!(await check().catch(() => false))) {
    for (const started of processNames.slice(0, processNames.indexOf(name) + 1)) {
      const ended = await hasEnded(await readPid(filesOf(started, settings).pidFile))
      if (ended) throw await failure(settings, started, 'ended while the control plane started')
    }
    if (Date.now() > deadline) throw await failure(settings, name, 'is still not ready')
    await sleep(50)
  }
}

async function failure(settings: Settings, name: ProcessName, what: string): Promise<Error> {
  const { logFile } = filesOf(name, settings)
  const lines = await tail(logFile)
  const message = `${name} ${what}; the end of '${logFile}':\n${lines}`
  return lines.includes('address already in use') ? new PortTaken(message) : new Error(message)
}

/** Ends all processes in order; without `keepData`, the data of etcd is removed too. */
export async function endAll(places: Places, keepData: boolean): Promise<void> {
  for (const name of [...processNames].reverse()) {
    const { pidFile } = filesOf(name, places)
    await endProcess(await readPid(pidFile), places.directory, graceMilliseconds[name])
    await rm(pidFile, { force: true })
  }
  const { settings, etcdData } = pathsIn(places.directory)
  await rm(settings, { force: true })
  if (!keepData) await rm(etcdData, { recursive: true, force: true })
}

/** Starts an API server that ended. Its port was free meanwhile: waits for any process that takes it for a moment. */
export async function startApiServerAgain(settings: Settings): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const pid = await startOne(settings, 'kube-apiserver')
    try {
      await waitFor(settings, 'kube-apiserver', () => isReady(settings))
      return pid
    } catch (error) {
      if (!(error instanceof PortTaken) || attempt === 10) throw error
      await sleep(500)
    }
  }
}
