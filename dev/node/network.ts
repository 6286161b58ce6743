import { execFile } from 'node:child_process'
import { readdir, readlink, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eventually } from '../control-plane/kubernetes.ts'

const run = promisify(execFile)
const mostNodes = 16
const namespacesWithinMs = 10_000
const cgroups = '/sys/fs/cgroup'

/** Names and addresses of one of the nodes on this machine. */
export interface NodeNetwork {
  /** Name of the node, its cgroup, and the network interface that leads to it. */
  readonly name: string
  readonly hostAddress: string
  readonly nodeAddress: string
  readonly podRange: string
  readonly serviceRange: string
}

function networkOf(number: number): NodeNetwork {
  return {
    name: `qm-node-${number}`,
    hostAddress: `10.77.${number}.1`,
    nodeAddress: `10.77.${number}.2`,
    podRange: `10.78.${number}.0/24`,
    serviceRange: `10.79.${number}.0/24`,
  }
}

/**
 * Reserves the first free network for the node whose namespaces `pid` has: only one process can make an interface of a name, and the
 * interface, with its routes, is deleted together with these namespaces.
 */
export async function connect(pid: number): Promise<NodeNetwork> {
  await eventually('namespaces of the node', namespacesWithinMs, async () => {
    const [ours, its] = await Promise.all(['self', pid].map((process) => readlink(`/proc/${process}/ns/net`)))
    return ours !== its || undefined
  })
  for (let number = 0; number < mostNodes; number += 1) {
    const network = networkOf(number)
    const { name, hostAddress, nodeAddress, podRange, serviceRange } = network
    try {
      await ip('link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid))
    } catch (error) {
      if (String(error).includes('File exists')) continue
      throw error
    }
    await ip('address', 'add', `${hostAddress}/24`, 'dev', name)
    await ip('link', 'set', name, 'up')
    for (const range of [podRange, serviceRange]) await ip('route', 'add', range, 'via', nodeAddress)
    await removeCgroups(name)
    return network
  }
  throw new Error(`${mostNodes} nodes run on this machine already`)
}

/** Whether the interface to the node exists. */
export async function isConnected({ name }: NodeNetwork): Promise<boolean> {
  return (await readdir('/sys/class/net')).includes(name)
}

/** Removes the cgroups of a node that has ended. */
export async function removeCgroups(name: string): Promise<void> {
  for (const controller of await readdir(cgroups)) await removeTree(join(cgroups, controller, name))
}

// The kernel's files in a cgroup cannot be deleted; the directory can.
async function removeTree(directory: string): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(directory, entry.name))
  await rmdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
  })
}

async function ip(...args: readonly string[]): Promise<void> {
  await run('ip', args)
}
