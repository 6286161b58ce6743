import { execFile } from 'node:child_process'
import { mkdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ensureNodePrograms } from '../control-plane/binaries.ts'
import { type ControlPlane, startControlPlane, stopControlPlane } from '../control-plane/control-plane.ts'
import { type Log, printLine } from '../control-plane/fetching.ts'
import { formatKubeconfig, pathsIn, readToken, writePrivately } from '../control-plane/files.ts'
import { apiCall, eventually, type Manifest } from '../control-plane/kubernetes.ts'
import { endProcess, hasEnded, readPid, startProcess, tail } from '../control-plane/processes.ts'
import { selfSignedCertificate } from '../development-authority.ts'
import { defaultImage, imageArchive } from '../image/archive.ts'
import { configurationOf, pauseImage } from './configuration.ts'
import { writePauseImage } from './images.ts'
import { connect, isConnected, type NodeNetwork, removeCgroups } from './network.ts'
import { installPackages, namespaceFlags, reasonAgainstNode } from './requirements.ts'

const run = promisify(execFile)
const readyWithinMs = 120_000
const graceMs = 5_000
/** Programs of the node that run on this machine, in the order in which they start. */
const helpers = ['kube-scheduler', 'cluster-dns'] as const

interface NodeOptions {
  /** Everything of the node lies here. */
  readonly directory: string
  /** Keeps running when the process that started it ends. */
  readonly detached?: boolean
  readonly log?: Log
}

/** A node with its control plane. */
export interface RunningNode {
  readonly network: NodeNetwork
  readonly controlPlane: ControlPlane
  /** Composes the image of Quartermaster and makes it known to the node under its default name. */
  importImage(): Promise<void>
  /** Makes the same image known under another tag. */
  tagImage(tag: string): Promise<void>
  /** Ends all processes and pods of the node, as a power failure does, and starts it with the same disks. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Starts a control plane and a node; resolves when the node is ready. */
export async function startNode({
  directory,
  detached = false,
  log = printLine,
}: NodeOptions): Promise<RunningNode> {
  const reason = await reasonAgainstNode()
  if (reason) throw new Error(reason)
  await installPackages(log)
  const programs = await ensureNodePrograms({ log })
  await stopNode(directory)
  await mkdir(join(directory, 'cni'), { recursive: true })
  const places = { directory, detached }
  const pid = await startProgram('node', places, 'unshare', [
    ...namespaceFlags,
    'bash',
    join(import.meta.dirname, 'init.sh'),
    `${directory}/`,
  ])
  const network = await connect(pid)
  await writeFile(join(directory, 'network.json'), JSON.stringify(network))
  const kubeletCertificate = await writeKubeletCertificate(directory)
  const files = { directory, clientCa: kubeletCertificate.certFile }
  for (const [name, text] of Object.entries(configurationOf(network, files)))
    await writeFile(join(directory, name), text)
  await writePauseImage(join(directory, 'pause.oci.tar'))
  await writePrivately(join(directory, 'network'), variablesOf(network, programs))
  const controlPlane = await startControlPlane({
    directory: join(directory, 'control-plane'),
    logDirectory: directory,
    pidDirectory: directory,
    auditLog: true,
    detached,
    log,
    node: {
      address: network.hostAddress,
      serviceRange: network.serviceRange,
      nodeName: network.name,
      kubeletCertificate,
    },
  })
  await writeKubeconfigs(directory, controlPlane, network)
  await startHelpers(places, controlPlane, network, programs['kube-scheduler'])
  const node = nodeOf(directory, pid, network, controlPlane)
  await node.awaitReady('')
  log(`node '${network.name}' is ready`)
  return node
}

function nodeOf(directory: string, pid: number, network: NodeNetwork, controlPlane: ControlPlane) {
  const readNode = () => apiCall<NodeObject>(controlPlane, 'GET', `/api/v1/nodes/${network.name}`)

  /** Waits until the node is ready after another boot than `bootId`. */
  async function awaitReady(bootId: string): Promise<void> {
    await eventually(`node '${network.name}'`, readyWithinMs, async () => {
      if (await hasEnded(pid)) throw new Error(`it has ended: ${await tail(join(directory, 'node.log'))}`)
      const { status } = await readNode()
      const isReady = status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')
      return (isReady && status.nodeInfo.bootID !== bootId) || undefined
    })
  }

  return {
    network,
    controlPlane,
    awaitReady,
    async importImage() {
      const file = join(directory, 'image.oci.tar')
      await writeFile(file, (await imageArchive(await defaultImage())).archive)
      await changeImages(pid, 'import', file)
      await rm(file)
    },
    async tagImage(tag: string) {
      const image = await defaultImage()
      await changeImages(pid, 'tag', image, `${image.slice(0, image.lastIndexOf(':'))}:${tag}`)
    },
    async restart() {
      const { bootID } = (await readNode()).status.nodeInfo
      process.kill(await firstProcessOf(pid), 'SIGUSR1')
      await awaitReady(bootID)
    },
    stop: () => stopNode(directory),
  }
}

type NodeObject = Manifest & {
  readonly status: NonNullable<Manifest['status']> & { readonly nodeInfo: { readonly bootID: string } }
}

/** Ends the node of this directory and its control plane, complete or not; nothing of them is left on this machine. */
export async function stopNode(directory: string): Promise<void> {
  for (const name of [...helpers].reverse()) await stopProgram(name, directory, graceMs)
  await stopProgram('node', directory, 0)
  await stopControlPlane({
    directory: join(directory, 'control-plane'),
    logDirectory: directory,
    pidDirectory: directory,
  })
  const network = await readNetwork(directory)
  if (network) {
    await eventually(`end of the network '${network.name}'`, readyWithinMs, async () => {
      return !(await isConnected(network)) || undefined
    })
    await eventually(`end of the cgroups '${network.name}'`, readyWithinMs, async () => {
      await removeCgroups(network.name)
      return true
    })
  }
  await rm(directory, { recursive: true, force: true })
}

async function readNetwork(directory: string): Promise<NodeNetwork | undefined> {
  // Only `startNode` writes it.
  const text = await readFile(join(directory, 'network.json'), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as NodeNetwork)
}

/** Runs the client of containerd, whose socket is in the namespace of the node. */
async function changeImages(pid: number, ...args: readonly string[]): Promise<void> {
  await run('nsenter', ['--target', String(pid), '--mount', '--', 'ctr', '-n', 'k8s.io', 'images', ...args])
}

/** The process that `unshare` started, which is the first of the node: the child that is in other namespaces. */
async function firstProcessOf(pid: number): Promise<number> {
  const namespaceOf = (process: string) => readlink(`/proc/${process}/ns/pid`)
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ')
  const ours = await namespaceOf('self')
  for (const child of children) if ((await namespaceOf(child)) !== ours) return Number(child)
  throw new Error(`process ${pid} has no namespaces of a node`)
}

function variablesOf(
  { name, nodeAddress, hostAddress }: NodeNetwork,
  { kubelet, 'kube-proxy': kubeProxy }: Readonly<Record<'kubelet' | 'kube-proxy', string>>,
): string {
  const variables = {
    name,
    address: nodeAddress,
    gateway: hostAddress,
    kubelet,
    kube_proxy: kubeProxy,
    pause_image: pauseImage,
  }
  return Object.entries(variables)
    .map(([key, value]) => `${key}='${value}'\n`)
    .join('')
}

async function writeKubeletCertificate(directory: string) {
  const [certFile, keyFile] = [join(directory, 'kubelet-client.crt'), join(directory, 'kubelet-client.key')]
  const { crt, key } = await selfSignedCertificate('O=system:masters, CN=kube-apiserver-kubelet-client')
  await writeFile(certFile, crt)
  await writeFile(keyFile, key, { mode: 0o600 })
  return { certFile, keyFile }
}

async function writeKubeconfigs(directory: string, { url }: ControlPlane, { name }: NodeNetwork) {
  const place = join(directory, 'control-plane')
  const ca = await readFile(pathsIn(place).ca)
  const users = {
    kubelet: `system:node:${name}`,
    'kube-scheduler': 'system:kube-scheduler',
    // The first process of the node waits for this file.
    'kube-proxy': 'system:kube-proxy',
  }
  for (const [program, user] of Object.entries(users)) {
    const text = formatKubeconfig(url, ca, await readToken(place, user))
    await writePrivately(join(directory, `${program}.kubeconfig`), text)
  }
}

async function startHelpers(
  places: Places,
  controlPlane: ControlPlane,
  { hostAddress }: NodeNetwork,
  scheduler: string,
): Promise<void> {
  await startProgram('kube-scheduler', places, scheduler, [
    `--kubeconfig=${join(places.directory, 'kube-scheduler.kubeconfig')}`,
    '--leader-elect=false',
    '--secure-port=0',
  ])
  await startProgram('cluster-dns', places, process.execPath, [
    join(import.meta.dirname, 'cluster-dns.ts'),
    `--control-plane=${dirname(controlPlane.kubeconfigPath)}/`,
    `--address=${hostAddress}`,
  ])
}

type Places = Required<Pick<NodeOptions, 'directory' | 'detached'>>

function filesOf(name: string, directory: string) {
  return { logFile: join(directory, `${name}.log`), pidFile: join(directory, `${name}.pid`) }
}

function startProgram(
  name: string,
  { directory, detached }: Places,
  binary: string,
  args: readonly string[],
): Promise<number> {
  return startProcess({ binary, args, detached, ...filesOf(name, directory) })
}

async function stopProgram(name: string, directory: string, grace: number): Promise<void> {
  await endProcess(await readPid(filesOf(name, directory).pidFile), directory, grace)
}
