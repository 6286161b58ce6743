import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { parseJson } from '../../domain/base/json.ts'
import type { Credentials } from './credentials.ts'

/** A server and the credentials for it, of the current context of a kubeconfig. */
export interface Kubeconfig {
  readonly server: string
  credentials(): Promise<Credentials>
}

/** Any part of a kubeconfig. */
type Part = Readonly<Record<string, unknown>>

interface Cluster {
  readonly server: string
  readonly 'certificate-authority'?: string
  readonly 'certificate-authority-data'?: string
  readonly 'insecure-skip-tls-verify'?: boolean
  readonly 'tls-server-name'?: string
}

interface User {
  readonly token?: string
  readonly tokenFile?: string
  readonly 'client-certificate'?: string
  readonly 'client-certificate-data'?: string
  readonly 'client-key'?: string
  readonly 'client-key-data'?: string
  readonly username?: string
  readonly password?: string
}

/** The fields that this file reads; `exec` and others need the Kubernetes library. */
const clusterFields: ReadonlySet<string> = new Set<keyof Cluster>([
  'server',
  'certificate-authority',
  'certificate-authority-data',
  'insecure-skip-tls-verify',
  'tls-server-name',
])
const userFields: ReadonlySet<string> = new Set<keyof User>([
  'token',
  'tokenFile',
  'client-certificate',
  'client-certificate-data',
  'client-key',
  'client-key-data',
  'username',
  'password',
])

/** Fields that no reader supports: without them, requests would take another way or have the rights of another user. */
const unsupportedFields = ['proxy-url', 'as-uid', 'as-groups', 'as-user-extra']

const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The credentials of the pod's ServiceAccount. */
export function podKubeconfig(server: string, directory = serviceAccount): Kubeconfig {
  const cluster = { server, 'certificate-authority': 'ca.crt' }
  return kubeconfigOf(cluster, { tokenFile: 'token' }, directory)
}

/** Reads a kubeconfig; undefined when its current context needs more than files and values. Throws for an unsupported field. */
export async function readKubeconfig(path: string): Promise<Kubeconfig | undefined> {
  const text = await readFile(path, 'utf8')
  const content = (parseJson(text) ?? (await import('./parse-yaml.ts')).parseYaml(text)) as Part | null // checked below
  const context = entryOf(content, 'context', content?.['current-context'])
  const cluster = entryOf(content, 'cluster', context?.['cluster'])
  const user = entryOf(content, 'user', context?.['user'])
  if (!cluster || !user || typeof cluster['server'] !== 'string') return undefined
  refuseUnsupported({ ...cluster, ...user })
  const isPlain = (entry: object, known: ReadonlySet<string>) =>
    Object.keys(entry).every((field) => known.has(field))
  if (!isPlain(cluster, clusterFields) || !isPlain(user, userFields)) return undefined
  return kubeconfigOf(cluster as unknown as Cluster, user, dirname(path)) // it has a server
}

/** Throws for a setting of a cluster or user that is not supported. */
export function refuseUnsupported(settings: Part): void {
  const found = unsupportedFields.find((field) => settings[field] !== undefined)
  if (found !== undefined) throw new Error(`the kubeconfig has '${found}', which is not supported`)
}

/** The part `field` of the entry with this name, in the list of these entries. */
function entryOf(content: Part | null | undefined, field: string, name: unknown): Part | undefined {
  const entries = content?.[`${field}s`]
  if (!Array.isArray(entries)) return undefined
  return entries.find((each: { readonly name?: unknown } | null) => each?.name === name)?.[field] ?? undefined
}

function kubeconfigOf(cluster: Cluster, user: User, directory: string): Kubeconfig {
  const read = (file: string | undefined, data?: string) => {
    if (data) return Buffer.from(data, 'base64').toString()
    return file ? readFile(resolve(directory, file), 'utf8') : undefined
  }
  return {
    server: cluster.server.replace(/\/$/, ''),
    async credentials() {
      const [ca, cert, key, token] = await Promise.all([
        read(cluster['certificate-authority'], cluster['certificate-authority-data']),
        read(user['client-certificate'], user['client-certificate-data']),
        read(user['client-key'], user['client-key-data']),
        user.tokenFile ? readToken(resolve(directory, user.tokenFile)) : user.token,
      ])
      const rejectUnauthorized = cluster['insecure-skip-tls-verify'] === true ? false : undefined
      const servername = cluster['tls-server-name']
      return {
        headers: authorizationOf(user, token),
        tls: { ca, cert, key, rejectUnauthorized, servername },
      }
    },
  }
}

/** Without a token, the requests would be those of an anonymous user. */
async function readToken(file: string): Promise<string> {
  const token = await readFile(file, 'utf8')
  if (token.trim() === '') throw new Error(`the file '${file}' is empty`)
  return token
}

function authorizationOf(
  { username, password = '' }: User,
  token: string | undefined,
): Record<string, string> {
  if (token) return { authorization: `Bearer ${token.trim()}` }
  if (!username) return {}
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
}
