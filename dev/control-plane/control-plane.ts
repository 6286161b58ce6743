import { readFile, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Binaries, ensureBinaries } from './binaries.ts'
import { compact } from './etcd.ts'
import type { Log } from './fetching.ts'
import {
  etcdUrlOf,
  filesOf,
  formatKubeconfig,
  makePlaces,
  type Places,
  type ProcessName,
  pathsIn,
  processNames,
  readSettings,
  type Settings,
  urlOf,
  writeInputs,
} from './files.ts'
import { type ApiAccess, apiCall } from './kubernetes.ts'
import { isAlive, withLock } from './lock.ts'
import { endProcess, isOurs, readPid, signalOurs, standsStill } from './processes.ts'
import {
  accessTo,
  type ControlPlaneOptions,
  endAll,
  isReady,
  startApiServerAgain,
  startOnFreePorts,
} from './starting.ts'

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
