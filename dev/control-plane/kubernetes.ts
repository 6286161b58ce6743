import { readFile } from 'node:fs/promises'
import { request as requestPlainly } from 'node:http'
import { request as requestSecurely } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseAllDocuments } from 'yaml'

/** What a call to an API server needs; `adminToken` may be replaced by the token of another identity. */
export type ApiAccess = {
  /** With `http`, of a proxy that signs in itself. */
  readonly url: string
  readonly caFile?: string
  readonly adminToken: string
  /** How long a request may stay without an answer; 30 s by default. */
  readonly timeoutMilliseconds?: number
}

export type ApiResponse<Body> = { readonly status: number; readonly ok: boolean; readonly body: Body }

/** Any Kubernetes object, as far as setup code looks into it. */
export type Manifest = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly generation?: number }
  readonly status?: {
    readonly observedGeneration?: number
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
}

type ResourceList = {
  readonly resources: readonly {
    readonly name: string
    readonly kind: string
    readonly namespaced: boolean
  }[]
}

const setupManager = 'quartermaster-development'
const appliedWithinMilliseconds = 30_000

/** The API server says so for a moment after a kind is established: it answers reads of it before it applies it. */
const notYetServed = 'delay between when CustomResourceDefinitions are created and when they are available'
const servedWithinMilliseconds = 30_000

/** One request to the API server, with any answer; for setup code, not for load. */
export async function apiRequest<Body = unknown>(
  access: ApiAccess,
  method: string,
  path: string,
  body?: unknown,
  contentType = 'application/json',
): Promise<ApiResponse<Body>> {
  const deadline = performance.now() + servedWithinMilliseconds
  let { status, text } = await send(access, method, path, body, contentType)
  while (status === 503 && text.includes(notYetServed) && performance.now() < deadline) {
    await sleep(200)
    ;({ status, text } = await send(access, method, path, body, contentType))
  }
  // The caller names the type that it expects of this path; nothing here could check it.
  const parsed = (text.startsWith('{') ? JSON.parse(text) : text) as Body
  return { status, ok: status >= 200 && status < 300, body: parsed }
}

/** One request to the API server that must succeed. */
export async function apiCall<Body = unknown>(
  access: ApiAccess,
  method: string,
  path: string,
  body?: unknown,
  contentType?: string,
): Promise<Body> {
  const response = await apiRequest<Body>(access, method, path, body, contentType)
  if (response.ok) return response.body
  throw new Error(`${method} '${path}' answered ${response.status}: ${JSON.stringify(response.body)}`)
}

async function send(
  access: ApiAccess,
  method: string,
  path: string,
  body: unknown,
  contentType: string,
): Promise<{ status: number; text: string }> {
  const ca = access.caFile === undefined ? undefined : await readFile(access.caFile)
  const request = access.url.startsWith('https:') ? requestSecurely : requestPlainly
  const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const headers = {
    ...(access.adminToken === '' ? {} : { authorization: `Bearer ${access.adminToken}` }),
    accept: 'application/json',
    ...(payload === undefined
      ? {}
      : { 'content-type': contentType, 'content-length': Buffer.byteLength(payload) }),
  }
  return new Promise((resolve, reject) => {
    // A connection per call: the server may have been killed and started again since the last one.
    const timeout = access.timeoutMilliseconds ?? 30_000
    const outgoing = request(new URL(path, access.url), {
      method,
      headers,
      ca,
      agent: false,
      timeout,
    })
    outgoing.on('error', reject)
    outgoing.on('timeout', () => {
      outgoing.destroy(new Error(`${method} '${path}' got no answer within ${timeout / 1_000} s`))
    })
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('error', reject)
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
      })
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    })
    outgoing.end(payload)
  })
}

/** Repeats `check` until it returns a value, with pauses that grow with the wait; an error counts as not ready. */
export async function eventually<Result>(
  what: string,
  withinMilliseconds: number,
  check: () => Promise<Result | undefined>,
): Promise<Result> {
  const begun = Date.now()
  let last = ''
  for (let waited = 0; waited < withinMilliseconds; waited = Date.now() - begun) {
    try {
      const result = await check()
      if (result !== undefined) return result
    } catch (error) {
      last = `: ${error instanceof Error ? error.message : String(error)}`
    }
    await sleep(Math.min(1000, Math.max(25, waited / 8)))
  }
  throw new Error(`${what}: not ready within ${withinMilliseconds / 1_000} s${last}`)
}

/** Applies every document of the files by server-side apply and waits until kinds and policies are known. */
export async function applyManifests(access: ApiAccess, files: readonly string[]): Promise<Manifest[]> {
  const manifests = (await Promise.all(files.map(readManifests))).flat()
  const isFoundation = ({ kind }: Manifest) => kind === 'Namespace' || kind === 'CustomResourceDefinition'
  const foundations = await applyAll(access, manifests.filter(isFoundation))
  const rest = await applyAll(
    access,
    manifests.filter((manifest) => !isFoundation(manifest)),
  )
  return [...foundations, ...rest]
}

async function readManifests(file: string): Promise<Manifest[]> {
  return parseAllDocuments(await readFile(file, 'utf8')).flatMap((document) => {
    const [error] = document.errors
    if (error) throw new Error(`'${file}' is not YAML: ${error.message}`)
    const manifest: unknown = document.toJS()
    if (manifest === null) return []
    if (!isManifest(manifest)) throw new Error(`'${file}' holds a document without apiVersion, kind or name`)
    return [manifest]
  })
}

function isManifest(value: unknown): value is Manifest {
  if (typeof value !== 'object' || value === null || !('kind' in value) || !('apiVersion' in value))
    return false
  const metadata = 'metadata' in value ? value.metadata : undefined
  return typeof metadata === 'object' && metadata !== null && 'name' in metadata
}

async function applyAll(access: ApiAccess, manifests: readonly Manifest[]): Promise<Manifest[]> {
  const applied: Manifest[] = []
  const discovered = new Map<string, ResourceList>()
  for (const manifest of manifests) {
    const path = await pathOf(access, manifest, discovered)
    const query = `fieldManager=${setupManager}&force=true`
    applied.push(
      await apiCall<Manifest>(access, 'PATCH', `${path}?${query}`, manifest, 'application/apply-patch+yaml'),
    )
  }
  await Promise.all(applied.map(async (manifest) => untilInForce(access, manifest, discovered)))
  return applied
}

async function pathOf(
  access: ApiAccess,
  manifest: Manifest,
  discovered: Map<string, ResourceList>,
): Promise<string> {
  const { apiVersion, kind, metadata } = manifest
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const resource = await eventually(
    `kind '${kind}' of '${apiVersion}' is served`,
    appliedWithinMilliseconds,
    async () => {
      const list = discovered.get(root) ?? (await apiCall<ResourceList>(access, 'GET', root))
      const found = list.resources.find((each) => each.kind === kind && !each.name.includes('/'))
      if (found) discovered.set(root, list)
      else discovered.delete(root)
      return found
    },
  )
  const scope = resource.namespaced ? `/namespaces/${metadata.namespace ?? 'default'}` : ''
  return `${root}${scope}/${resource.name}/${encodeURIComponent(metadata.name)}`
}

const inForce: Record<string, (manifest: Manifest) => boolean> = {
  CustomResourceDefinition: ({ status }) =>
    (status?.conditions ?? []).some(
      (condition) => condition.type === 'Established' && condition.status === 'True',
    ),
  // Its controller has looked at it. The API server itself may need another second or two to refuse anything.
  ValidatingAdmissionPolicy: ({ status, metadata }) =>
    (status?.observedGeneration ?? 0) >= (metadata.generation ?? 1),
}

async function untilInForce(
  access: ApiAccess,
  manifest: Manifest,
  discovered: Map<string, ResourceList>,
): Promise<void> {
  const check = inForce[manifest.kind]
  if (!check) return
  const path = await pathOf(access, manifest, discovered)
  await eventually(
    `${manifest.kind} '${manifest.metadata.name}' is in force`,
    appliedWithinMilliseconds,
    async () => {
      return check(await apiCall<Manifest>(access, 'GET', path)) || undefined
    },
  )
}
