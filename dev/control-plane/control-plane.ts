import { readFile, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import { ensureBinaries } from './binaries.ts'
import { argumentsOf } from './command-lines.ts'
import type { Log } from './fetching.ts'
import type { GroupResources, NodeAccess, Places, ProcessName, Settings } from './files.ts'
import {
  etcdUrlOf,
  filesOf,
  formatKubeconfig,
  makePlaces,
  pathsIn,
  processNames,
  readAdminToken,
  readSettings,
  urlOf,
  writeAdminKubeconfig,
  writeInputs,
  writeSettings,
} from './files.ts'
import type { ApiAccess } from './kubernetes.ts'
import { apiCall, apiRequest } from './kubernetes.ts'
import { isAlive, withLock } from './lock.ts'
import {
  endProcess,
  freePorts,
  hasEnded,
  isOurs,
  isPortFree,
  readPid,
  signalOurs,
  standsStill,
  startProcess,
  tail,
} from './processes.ts'

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

export type ControlPlaneLocation = Pick<ControlPlaneOptions, 'directory' | 'logDirectory' | 'pidDirectory'>

export type ControlPlane = ApiAccess & {
  readonly caFile: string
  readonly kubeconfigPath: string
  readonly etcdUrl: string
  readonly auditLogPath?: string
  readonly binaries: Binaries
  /** The processes as they are now; a restart changes them. */
  readonly pids: Readonly<Record<ProcessName, number>>
  /** A kubeconfig, as YAML, for the user of this token. */
  kubeconfigFor(token: string): string
  /** A token of a ServiceAccount; none is valid for less than ten minutes. */
  tokenFor(namespace: string, serviceAccountName: string, seconds?: number): Promise<string>
  /** Ends all processes in order; this handle is of no use afterwards. */
  stop(): Promise<void>
  /** A crash of the API server and its return, on the same port with the same data. */
  restartApiServer(): Promise<void>
  killApiServer(): Promise<void>
  startApiServer(): Promise<void>
  pauseApiServer(): Promise<void>
  resumeApiServer(): Promise<void>
  /** Forgets all history before the current revision, so that an old watch is answered with 410. */
  compactEtcd(): Promise<void>
}

const readyWithinMilliseconds = 90_000
const graceMilliseconds: Record<ProcessName, number> = {
  'kube-controller-manager': 2_000,
  'kube-apiserver': 5_000,
  etcd: 5_000,
}

class PortTaken extends Error {}

/** Starts a control plane, or finds the detached one that an earlier call started in the same directory. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const log: Log = options.log ?? ((line) => process.stderr.write(`${line}\n`))
  const places = await makePlaces(options)
  return withLock(pathsIn(places.directory).lock, async () => {
    const running = await findRunning(places)
    if (running) return handleOf(running)

    const binaries = await ensureBinaries({ log })
    const started = performance.now()
    await clearLeftOvers((await readSettings(places.directory)) ?? places)
    await clearFiles(places.directory, options.keepData ?? false)
    await writeInputs(places.directory, options)
    const settings = await startOnFreePorts({ ...options, ...places }, binaries)
    const seconds = ((performance.now() - started) / 1_000).toFixed(1)
    log(`control plane is ready at ${urlOf(settings)} after ${seconds} s`)
    return handleOf(settings)
  })
}

/** The detached control plane that runs in this directory, if one does. */
export async function findControlPlane(location: ControlPlaneLocation): Promise<ControlPlane | undefined> {
  const running = await findRunning(await makePlaces(location))
  return running && handleOf(running)
}

/** Ends every process of the control plane in this directory, complete or not. */
export async function stopControlPlane(location: ControlPlaneLocation): Promise<void> {
  const places = await makePlaces(location)
  const settings = await readSettings(places.directory)
  await endAll(settings ?? places, settings?.keepData ?? true)
}

async function findRunning(places: Places): Promise<Settings | undefined> {
  const settings = await readSettings(places.directory)
  if (!settings) return undefined
  if (!settings.detached) {
    await assertUnused(settings)
    return undefined
  }
  // A busy one is not a broken one.
  const deadline = Date.now() + 5_000
  while ((await aliveIn(settings)).length === processNames.length) {
    if (await isReady(settings)) return settings
    if (Date.now() > deadline) return undefined
    await sleep(100)
  }
  return undefined
}

async function assertUnused(settings: Settings): Promise<void> {
  // Processes that were killed a moment ago need another one to be gone.
  const deadline = Date.now() + 2_000
  while (isAlive(settings.owner) && (await aliveIn(settings)).length > 0) {
    if (Date.now() > deadline) {
      throw new Error(`the control plane in '${settings.directory}' is in use by process ${settings.owner}`)
    }
    await sleep(50)
  }
}

async function aliveIn(places: Places): Promise<ProcessName[]> {
  const alive = await Promise.all(
    processNames.map(async (name) => {
      return (await isOurs(await readPid(filesOf(name, places).pidFile), places.directory)) ? [name] : []
    }),
  )
  return alive.flat()
}

async function clearLeftOvers(places: Places): Promise<void> {
  for (const name of processNames) {
    const { pidFile, logFile } = filesOf(name, places)
    await endProcess(await readPid(pidFile), places.directory, 0)
    await rm(pidFile, { force: true })
    await rm(logFile, { force: true })
  }
}

async function clearFiles(directory: string, keepData: boolean): Promise<void> {
  const { certificates, audit, settings, etcdData, privateKey, publicKey, tokens } = pathsIn(directory)
  const data = keepData ? [] : [etcdData, privateKey, publicKey, tokens]
  const stale = [certificates, audit, settings, ...data]
  await Promise.all(stale.map((path) => rm(path, { recursive: true, force: true })))
}

async function startOnFreePorts(
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

async function accessTo(settings: Settings) {
  const { ca } = pathsIn(settings.directory)
  return { url: urlOf(settings), caFile: ca, adminToken: await readAdminToken(settings.directory) }
}

async function isReady(settings: Settings): Promise<boolean> {
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

async function endAll(places: Places, keepData: boolean): Promise<void> {
  for (const name of [...processNames].reverse()) {
    const { pidFile } = filesOf(name, places)
    await endProcess(await readPid(pidFile), places.directory, graceMilliseconds[name])
    await rm(pidFile, { force: true })
  }
  const { settings, etcdData } = pathsIn(places.directory)
  await rm(settings, { force: true })
  if (!keepData) await rm(etcdData, { recursive: true, force: true })
}

async function handleOf(settings: Settings): Promise<ControlPlane> {
  const paths = pathsIn(settings.directory)
  const access = await accessTo(settings)
  const ca = await readFile(paths.ca)
  const pidOf = (name: ProcessName) => readPid(filesOf(name, settings).pidFile)
  const pids: Record<ProcessName, number> = {
    etcd: await pidOf('etcd'),
    'kube-apiserver': await pidOf('kube-apiserver'),
    'kube-controller-manager': await pidOf('kube-controller-manager'),
  }

  const killApiServer = () => endProcess(pids['kube-apiserver'], settings.directory, 0)
  const startApiServer = async () => {
    if (await isOurs(pids['kube-apiserver'], settings.directory)) return
    pids['kube-apiserver'] = await startApiServerAgain(settings)
  }
  const signalApiServer = async (signal: NodeJS.Signals) => {
    const sent = await signalOurs(pids['kube-apiserver'], settings.directory, signal)
    if (!sent) throw new Error(`kube-apiserver of '${settings.directory}' is not running`)
  }

  return {
    ...access,
    kubeconfigPath: paths.kubeconfig,
    etcdUrl: etcdUrlOf(settings),
    binaries: settings.binaries,
    pids,
    auditLogPath: settings.auditLog ? paths.audit : undefined,
    kubeconfigFor: (token) => formatKubeconfig(access.url, ca, token),
    tokenFor: (namespace, name, seconds = 3_600) => requestToken(access, namespace, name, seconds),
    stop: () => endAll(settings, settings.keepData),
    async restartApiServer() {
      await killApiServer()
      await startApiServer()
    },
    killApiServer,
    startApiServer,
    async pauseApiServer() {
      await signalApiServer('SIGSTOP')
      await standsStill(pids['kube-apiserver'])
    },
    resumeApiServer: () => signalApiServer('SIGCONT'),
    compactEtcd: () => compact(etcdUrlOf(settings)),
  }
}

// The port is free while the API server is down: wait for any process that takes it for a moment.
async function startApiServerAgain(settings: Settings): Promise<number> {
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

/** A token of a ServiceAccount; none is valid for less than ten minutes. */
export async function requestToken(
  access: ApiAccess,
  namespace: string,
  name: string,
  seconds: number,
): Promise<string> {
  const { status } = await apiCall<{ status: { token: string } }>(
    access,
    'POST',
    `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: Math.max(600, seconds) },
    },
  )
  return status.token
}

async function compact(etcdUrl: string): Promise<void> {
  const anyKey = Buffer.from('\0').toString('base64')
  const { header } = await postToEtcd<{ header: { revision: string } }>(etcdUrl, 'range', { key: anyKey })
  await postToEtcd(etcdUrl, 'compaction', { revision: header.revision, physical: true })
}

async function postToEtcd<Answer>(etcdUrl: string, call: string, body: unknown): Promise<Answer> {
  const response = await fetch(`${etcdUrl}/v3/kv/${call}`, { method: 'POST', body: JSON.stringify(body) })
  if (!response.ok)
    throw new Error(`etcd answered '${call}' with ${response.status}: ${await response.text()}`)
  // The caller names the type that etcd documents for this call.
  return (await response.json()) as Answer
}
