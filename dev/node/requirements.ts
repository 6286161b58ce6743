import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { promisify } from 'node:util'
import { findOnPath, type Log } from '../control-plane/fetching.ts'

const run = promisify(execFile)
/** Type of the file system of cgroup v1. */
const cgroupV1 = 0x27_e0_eb
const controllers = ['cpu', 'cpuset', 'memory', 'pids']
const bridgePlugin = '/usr/lib/cni/bridge'

/** Programs of a node that are not Kubernetes', with the Debian package of each. */
const packages: Readonly<Record<string, string>> = {
  containerd: 'containerd',
  ctr: 'containerd',
  runc: 'runc',
  nft: 'nftables',
  ip: 'iproute2',
  unshare: 'util-linux',
  nsenter: 'util-linux',
  mount: 'mount',
}

/** Says why no node can run on this machine, or nothing when one can; starts nothing and installs nothing. */
export async function reasonAgainstNode(): Promise<string | undefined> {
  if (process.platform !== 'linux') return `a node needs Linux, and this is ${process.platform}`
  if (process.getuid?.() !== 0) return 'a node needs root'
  const missing = await missingPackages()
  if (missing.length > 0 && !(await findOnPath('apt-get', process.env)))
    return `a node needs ${missing.join(', ')}, and this machine has no apt-get to install them`
  for (const controller of controllers) {
    const { type } = await statfs(`/sys/fs/cgroup/${controller}`).catch(() => ({ type: 0 }))
    if (type !== cgroupV1)
      return `a node needs cgroup v1, and this machine has no controller '${controller}' of it`
  }
  const filesystems = await run('cat', ['/proc/filesystems'])
  if (!filesystems.stdout.includes('overlay')) return 'a node needs the file system overlay'
  // Without these packages, only after their installation.
  return missing.some((name) => ['iproute2', 'mount', 'util-linux'].includes(name))
    ? undefined
    : reasonAgainstNamespaces()
}

async function reasonAgainstNamespaces(): Promise<string | undefined> {
  const script = 'mount -t tmpfs tmpfs /tmp && ip link add probe type veth peer name probe-peer'
  try {
    await run('unshare', [...namespaceFlags, 'sh', '-c', script])
    return undefined
  } catch (error) {
    const [first = ''] = String((error as { stderr?: string }).stderr ?? error).split('\n')
    return `a node needs namespaces with mounts and veth interfaces: ${first}`
  }
}

/** The namespaces of a node; what is in them ends with its first process. */
export const namespaceFlags = [
  '--mount',
  '--net',
  '--uts',
  '--ipc',
  '--pid',
  '--fork',
  '--mount-proc',
  '--kill-child',
  '--propagation',
  'private',
]

/** Installs the Debian packages that are missing. */
export async function installPackages(log: Log): Promise<void> {
  const missing = await missingPackages()
  if (missing.length === 0) return
  log(`installing ${missing.join(', ')} with apt-get`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  try {
    await run('apt-get', ['update'], { env })
    await run('apt-get', ['install', '--yes', '--no-install-recommends', ...missing], { env })
  } catch (error) {
    throw new Error(`apt-get cannot install ${missing.join(', ')}`, { cause: error })
  }
}

async function missingPackages(): Promise<string[]> {
  const missing = new Set<string>()
  for (const [program, name] of Object.entries(packages)) {
    if (!(await findOnPath(program, process.env))) missing.add(name)
  }
  const hasPlugins = await access(bridgePlugin, constants.X_OK).then(
    () => true,
    () => false,
  )
  if (!hasPlugins) missing.add('containernetworking-plugins')
  return [...missing].sort()
}
