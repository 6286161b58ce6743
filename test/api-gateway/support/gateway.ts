import { createHash, generateKeyPairSync } from 'node:crypto'
import { createGateway, type GatewayOptions } from '../../../api-gateway/gateway.ts'
import { AccessToken, Membership, User } from '../../../operator/api/access.ts'
import { Application } from '../../../operator/api/application.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentType } from '../../../operator/api/environment-type.ts'
import { type Kind, newObject } from '../../../operator/api/kind.ts'
import { finalizer, systemNamespace } from '../../../operator/api/names.ts'
import { catalogue } from '../../../operator/drivers/catalogue.ts'
import { silentLog } from '../../../operator/log.ts'
import { checkResponse } from './document-check.ts'
import { createFakeCluster, type FakeCluster } from './fake-cluster.ts'
import { responseText } from './response-text.ts'

/** A request of a test. */
export interface TestRequest {
  /** User whose token is sent; none when null. */
  readonly as?: string | null
  readonly body?: unknown
  /** The body as it is. */
  readonly text?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  /** Ends the connection before the answer. */
  readonly signal?: AbortSignal | undefined
}

/** The response; its body was checked against the OpenAPI document. */
export interface TestResponse {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line no-explicit-any -- each test knows the shape, and the document has checked it
  readonly body: any
}

/** A gateway over a fake cluster, spoken to over HTTP. */
export interface TestGateway {
  readonly cluster: FakeCluster
  readonly url: string
  readonly port: number
  readonly logged: { level: string; message: string; fields: unknown }[]
  /** Sends `GET /path` and the like. */
  send(operation: string, request?: TestRequest): Promise<TestResponse>
  addUser(name: string, spec?: Partial<User['spec']>): void
  addMember(organization: string, name: string, spec: Membership['spec']): void
  /** Forgets everything but two organizations and their administrator. */
  reset(): void
  close(): Promise<void>
}

/** A new key of sessions, as PEM. */
export function newSessionKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

const testKey = newSessionKey()

/** The token of a user of the tests. */
export function tokenOf(user: string): string {
  return `qm_${user}_secret-of-${user}`
}

/** Acts as the operator on an object that is being deleted and has no dependents. */
function letGo<K extends Kind>(cluster: FakeCluster, kind: K): void {
  cluster.store.cacheOf<Kind>(kind).subscribe(({ after }) => {
    const { namespace = '', name, deletionTimestamp, finalizers = [] } = after?.metadata ?? { name: '' }
    if (deletionTimestamp && finalizers.join() === finalizer) cluster.drop(kind, namespace, name)
  })
}

/** Organizations `acme` and `globex`, each with `development` and `production`; `admin` administers both. */
export async function startGateway(
  options: Partial<GatewayOptions> & { readonly port?: number; readonly host?: string } = {},
): Promise<TestGateway> {
  const cluster = createFakeCluster()
  letGo(cluster, Application)
  letGo(cluster, Environment)
  const logged: TestGateway['logged'] = []
  const write = (level: string) => (message: string, fields?: unknown) => {
    logged.push({ level, message, fields })
  }
  const log = { ...silentLog, info: write('info'), warn: write('warn'), error: write('error') }
  const settings = { requestsPerSecond: 100_000, burst: 100_000 }
  const sessionKey = async () => testKey
  const gateway = createGateway({ cluster, log, catalogue, settings, sessionKey, ...options })
  const port = await gateway.listen(options.port ?? 0, options.host ?? '127.0.0.1')
  const url = `http://127.0.0.1:${port}`

  const test: TestGateway = {
    cluster,
    url,
    port,
    logged,
    async send(operation, { as = 'admin', body, text, headers = {}, signal } = {}) {
      const [method = '', path = ''] = operation.split(' ')
      const payload = text ?? (body === undefined ? undefined : JSON.stringify(body))
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(as === null ? {} : { authorization: `Bearer ${tokenOf(as)}` }),
          ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(payload === undefined ? {} : { body: payload }),
        ...(signal ? { signal } : {}),
      })
      const contentType = response.headers.get('content-type') ?? ''
      const content = await responseText(response)
      const isJson = contentType === 'application/json' || contentType.endsWith('+json')
      const parsed = isJson ? JSON.parse(content) : content === '' ? undefined : content
      checkResponse({
        method,
        target: path,
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: parsed,
      })
      return { status: response.status, headers: response.headers, body: parsed }
    },
    addUser(name, spec = {}) {
      cluster.put(User, newObject(User, { namespace: systemNamespace, name }, { type: 'human', ...spec }))
      const sha256 = createHash('sha256').update(tokenOf(name)).digest('hex')
      cluster.put(
        AccessToken,
        newObject(AccessToken, { namespace: systemNamespace, name }, { userName: name, sha256 }),
      )
    },
    addMember(organization, name, spec) {
      cluster.put(Membership, newObject(Membership, { namespace: organization, name }, spec))
    },
    reset() {
      cluster.reset()
      logged.length = 0
      populate(test)
    },
    close: () => gateway.close(),
  }
  populate(test)
  return test
}

/** The first part of a stream, which has no end. */
function populate(test: TestGateway): void {
  const { cluster } = test
  test.addUser('admin')
  for (const organization of ['acme', 'globex']) {
    cluster.addOrganization(organization)
    test.addMember(organization, 'admin', { role: 'administrator' })
    for (const name of ['development', 'production']) {
      cluster.put(EnvironmentType, newObject(EnvironmentType, { namespace: organization, name }, {}))
    }
  }
}
