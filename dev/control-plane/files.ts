import { createPublicKey, generateKeyPair, randomBytes } from 'node:crypto'
import { mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { stringify } from 'yaml'
import type { Binaries } from './binaries.ts'

/** The processes of a control plane, in the order in which they start. */
export const processNames = ['etcd', 'kube-apiserver', 'kube-controller-manager'] as const
export type ProcessName = (typeof processNames)[number]

export type Places = {
  readonly directory: string
  readonly logDirectory: string
  readonly pidDirectory: string
}

export const loopback = '127.0.0.1'

/** What a later process must know to find a running control plane again. */
export type Settings = Places & {
  readonly apiServerPort: number
  readonly etcdPort: number
  readonly etcdPeerPort: number
  readonly auditLog: boolean
  readonly keepData: boolean
  readonly detached: boolean
  /** The process that started it. */
  readonly owner: number
  readonly binaries: Binaries
  readonly node?: NodeAccess
  readonly emulatedVersion?: string
}

/** What the API server needs for a node beside it. */
export interface NodeAccess {
  /** Address of this machine that the node and its pods reach. */
  readonly address: string
  readonly serviceRange: string
  readonly nodeName: string
  /** Client certificate, with its key, for calls to the kubelet. */
  readonly kubeletCertificate: { readonly certFile: string; readonly keyFile: string }
}

/** The users that the programs of a node act as, with their groups; the roles of Kubernetes cover them. */
const nodeUsers = ({ nodeName }: NodeAccess) => [
  { name: `system:node:${nodeName}`, groups: 'system:nodes' },
  { name: 'system:kube-scheduler', groups: '' },
  { name: 'system:kube-proxy', groups: '' },
]

/** The folders of a control plane, made where they are missing, by their real names. */
export async function makePlaces(options: Partial<Places> & Pick<Places, 'directory'>): Promise<Places> {
  const make = async (path: string) => {
    await mkdir(path, { recursive: true })
    return realpath(path)
  }
  const directory = await make(options.directory)
  return {
    directory,
    logDirectory: await make(options.logDirectory ?? directory),
    pidDirectory: await make(options.pidDirectory ?? directory),
  }
}

/** The paths in the directory of a control plane. */
export function pathsIn(directory: string) {
  const at = (name: string) => join(directory, name)
  return {
    settings: at('control-plane.json'),
    lock: at('control-plane.lock'),
    etcdData: at('etcd-data'),
    certificates: at('certificates'),
    ca: at('certificates/apiserver.crt'),
    privateKey: at('service-accounts.key'),
    publicKey: at('service-accounts.pub'),
    tokens: at('tokens.csv'),
    kubeconfig: at('admin.kubeconfig'),
    auditPolicy: at('audit-policy.yaml'),
    audit: at('audit.log'),
  }
}

/** The log file and the pid file of one process. */
export function filesOf(name: ProcessName, places: Places): { logFile: string; pidFile: string } {
  return {
    logFile: join(places.logDirectory, `${name}.log`),
    pidFile: join(places.pidDirectory, `${name}.pid`),
  }
}

/** What the last start in this directory wrote down. */
export async function readSettings(directory: string): Promise<Settings | undefined> {
  try {
    // Only `writeSettings` writes it, and by a rename: it is whole or absent.
    const settings = JSON.parse(await readFile(pathsIn(directory).settings, 'utf8')) as Settings
    return { ...settings, directory }
  } catch {
    return undefined
  }
}

export async function writeSettings(settings: Settings): Promise<void> {
  await writePrivately(pathsIn(settings.directory).settings, JSON.stringify(settings, undefined, 2))
}

/** Resources of one API group. */
export interface GroupResources {
  readonly group: string
  readonly resources: readonly string[]
}

/** The policy of the audit log; for writes of `bodiesOf`, the log holds the bodies of requests too. */
function auditPolicy(bodiesOf: readonly GroupResources[]) {
  return {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived', 'ResponseStarted'],
    rules: [
      { level: 'None', users: ['system:apiserver'] },
      { level: 'None', nonResourceURLs: ['/healthz*', '/livez*', '/readyz*'] },
      ...(bodiesOf.length > 0
        ? [{ level: 'Request', verbs: ['create', 'update', 'patch'], resources: bodiesOf }]
        : []),
      { level: 'Metadata' },
    ],
  }
}

/** Writes what the processes read when they start; a token and keys that exist already are kept. */
export async function writeInputs(
  directory: string,
  {
    node,
    auditBodiesOf = [],
  }: { readonly node?: NodeAccess; readonly auditBodiesOf?: readonly GroupResources[] },
): Promise<void> {
  const paths = pathsIn(directory)
  await writeFile(paths.auditPolicy, stringify(auditPolicy(auditBodiesOf)))
  if (!(await readAdminToken(directory))) {
    const users = [{ name: 'admin', groups: 'system:masters' }, ...(node ? nodeUsers(node) : [])]
    const lines = users.map(
      ({ name, groups }) => `${randomBytes(24).toString('hex')},${name},${name},"${groups}"\n`,
    )
    await writePrivately(paths.tokens, lines.join(''))
  }
  const privateKey = (await readFile(paths.privateKey, 'utf8').catch(() => '')) || (await newPrivateKey())
  await writePrivately(paths.privateKey, privateKey)
  await writeFile(paths.publicKey, createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }))
}

async function newPrivateKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2_048 })
  return privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
}

/** The token of the one who may do everything, or nothing before the first start. */
export async function readAdminToken(directory: string): Promise<string> {
  return readToken(directory, 'admin')
}

/** The token of a user, or nothing where the user has none. */
export async function readToken(directory: string, user: string): Promise<string> {
  const lines = await readFile(pathsIn(directory).tokens, 'utf8').catch(() => '')
  const fields = lines.split('\n').map((line) => line.split(','))
  return fields.find(([, name]) => name === user)?.[0] ?? ''
}

/** Writes the kubeconfig of the administrator. */
export async function writeAdminKubeconfig(settings: Settings): Promise<void> {
  const { ca, kubeconfig } = pathsIn(settings.directory)
  const token = await readAdminToken(settings.directory)
  await writePrivately(kubeconfig, formatKubeconfig(urlOf(settings), await readFile(ca), token))
}

/** A kubeconfig, as YAML, that needs no other file. */
export function formatKubeconfig(server: string, ca: Buffer | undefined, token: string): string {
  const name = 'quartermaster'
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      // Without an authority, a server with a public certificate.
      clusters: [{ name, cluster: { server, 'certificate-authority-data': ca?.toString('base64') } }],
      users: [{ name, user: { token } }],
      contexts: [{ name, context: { cluster: name, user: name } }],
      'current-context': name,
    },
    { lineWidth: 0 },
  )
}

export function urlOf({ apiServerPort, node }: Pick<Settings, 'apiServerPort' | 'node'>): string {
  return `https://${node?.address ?? loopback}:${apiServerPort}`
}

export function etcdUrlOf({ etcdPort }: Pick<Settings, 'etcdPort'>): string {
  return `http://127.0.0.1:${etcdPort}`
}

/** Writes a file that only this user reads, by a rename: it is whole or absent. */
export async function writePrivately(path: string, text: string): Promise<void> {
  const partial = `${path}.partial`
  await rm(partial, { force: true })
  await writeFile(partial, text, { mode: 0o600 })
  await rename(partial, path)
}
