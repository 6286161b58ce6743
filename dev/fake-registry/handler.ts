// The part of the OCI distribution specification 1.1 with which images are pulled.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Blob } from '../image/archive.ts'
import { type Accounts, type Credentials, credentialsIn } from './accounts.ts'
import type { Content } from './content.ts'
import type { Rules } from './rules.ts'

/** A call as it arrived, and how it was answered. */
export interface RegistryCall {
  readonly method: string
  readonly path: string
  readonly credentials: Credentials | undefined
  /** 0 where the connection was closed without an answer. */
  readonly status: number
}

/** What the registry remembers. */
export interface Memory {
  readonly content: Content
  readonly accounts: Accounts
  readonly rules: Rules
  readonly calls: RegistryCall[]
}

interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Buffer
}

const name = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/
const digest = /^sha256:[a-f0-9]{64}$/
const tag = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/

/** Answers one call and writes it down. */
export function serve(memory: Memory, request: IncomingMessage, response: ServerResponse): void {
  const { method = 'GET', url = '/', headers } = request
  const path = url.replace(/\?.*$/s, '')
  const credentials = credentialsIn(headers.authorization)
  const rule = memory.rules.next(path)
  const write = (status: number) => memory.calls.push({ method, path, credentials, status })
  request.resume()
  if (rule?.do === 'reset') {
    write(0)
    request.socket.destroy()
    return
  }
  const answer = rule
    ? failure(rule.status ?? 503, 'UNAVAILABLE', 'service unavailable')
    : answerTo(memory, method, path, credentials)
  write(answer.status)
  response.writeHead(answer.status, { 'content-length': answer.body.length, ...answer.headers })
  response.end(method === 'HEAD' ? undefined : answer.body)
}

function answerTo(
  { content, accounts }: Memory,
  method: string,
  path: string,
  credentials: Credentials | undefined,
): Answer {
  const account = accounts.find(credentials)
  if (!account)
    return failure(401, 'UNAUTHORIZED', 'authentication required', {
      'www-authenticate': 'Basic realm="images"',
    })
  if (path === '/v2/') return { status: 200, headers: { 'content-type': 'application/json' }, body: json({}) }
  const [, repository = '', kind, reference = ''] =
    /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(path) ?? []
  if (kind === undefined) return failure(404, 'UNSUPPORTED', `nothing is at '${path}'`)
  if (method !== 'GET' && method !== 'HEAD') return failure(405, 'UNSUPPORTED', 'images can only be pulled')
  if (!name.test(repository)) return failure(400, 'NAME_INVALID', 'invalid repository name')
  if (!repository.startsWith(account.repositories)) return failure(403, 'DENIED', 'access is denied')
  if (!content.has(repository)) return failure(404, 'NAME_UNKNOWN', 'repository name not known to registry')
  return kind === 'manifests'
    ? answerWithManifest(content, repository, reference)
    : answerWithBlob(content, repository, reference)
}

function answerWithManifest(content: Content, repository: string, reference: string): Answer {
  if (!tag.test(reference) && !digest.test(reference))
    return failure(400, 'MANIFEST_INVALID', 'a manifest has a tag or a digest')
  const manifest = content.manifest(repository, reference)
  if (!manifest) return failure(404, 'MANIFEST_UNKNOWN', 'manifest unknown to registry')
  return answerWith(manifest, manifest.mediaType)
}

function answerWithBlob(content: Content, repository: string, reference: string): Answer {
  if (!digest.test(reference)) return failure(400, 'DIGEST_INVALID', 'a blob has a digest')
  const blob = content.blob(repository, reference)
  return blob
    ? answerWith(blob, 'application/octet-stream')
    : failure(404, 'BLOB_UNKNOWN', 'blob unknown to registry')
}

function answerWith(blob: Blob, type: string): Answer {
  const headers = { 'content-type': type, 'docker-content-digest': blob.digest }
  return { status: 200, headers, body: blob.content }
}

function failure(
  status: number,
  code: string,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Answer {
  const body = json({ errors: [{ code, message }] })
  return { status, headers: { 'content-type': 'application/json', ...headers }, body }
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}
