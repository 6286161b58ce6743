import type { KubeObject, ObjectMeta } from '../../operator/api/kind.ts'
import { finalizer } from '../../operator/api/names.ts'
import { ApiError } from '../../operator/kube/client/api-error.ts'
import type { KubeClient, RequestOptions } from '../../operator/kube/client/client.ts'

/** Secrets of the namespace `acme` in memory, with the rules of the API server on finalizers and versions. */
export interface FakeSecrets {
  readonly client: KubeClient
  /** Every request in order, such as `GET a`. */
  readonly requests: string[]
  put(name: string, metadata?: Partial<ObjectMeta>): void
  get(name: string): KubeObject | undefined
  /** Deletes as another client does. */
  delete(name: string): void
  isHeld(name: string): boolean
  /** Called before each request is carried out. */
  before: (request: string) => void
}

/** No Secrets at all. */
export function createFakeSecrets(): FakeSecrets {
  const secrets = new Map<string, KubeObject>()
  let version = 0

  function keep(name: string, metadata: ObjectMeta): KubeObject {
    version += 1
    const kept = { ...metadata, resourceVersion: String(version) }
    const secret: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata: kept, data: { token: 'eA==' } }
    if (metadata.deletionTimestamp && (metadata.finalizers ?? []).length === 0) secrets.delete(name)
    else secrets.set(name, secret)
    return secret
  }
  function patch({ metadata: before }: KubeObject, { metadata: wanted }: { metadata: ObjectMeta }) {
    if (wanted.resourceVersion !== before.resourceVersion) throw new ApiError(409, 'Conflict', 'modified')
    const isMore = (wanted.finalizers ?? []).some((each) => !before.finalizers?.includes(each))
    if (before.deletionTimestamp && isMore) throw new ApiError(422, 'Invalid', 'no new finalizers')
    return keep(before.name, { ...before, ...wanted })
  }
  function remove({ metadata }: KubeObject, uid?: string) {
    if (uid !== undefined && uid !== metadata.uid) throw new ApiError(409, 'Conflict', 'another uid')
    return keep(metadata.name, { ...metadata, deletionTimestamp: '2026-02-01T00:00:00Z' })
  }

  const fake: FakeSecrets = {
    requests: [],
    before: () => {},
    put(name, metadata = {}) {
      version += 1
      keep(name, { name, namespace: 'acme', uid: `${name}-${version}`, ...metadata })
    },
    get: (name) => secrets.get(name),
    delete(name) {
      const secret = secrets.get(name)
      if (secret) remove(secret)
    },
    isHeld: (name) => secrets.get(name)?.metadata.finalizers?.includes(finalizer) ?? false,
    client: {
      async request(method: string, path: string, { body }: RequestOptions = {}) {
        const name = path.slice('/api/v1/namespaces/acme/secrets/'.length)
        const request = `${method} ${name}`
        fake.requests.push(request)
        await Promise.resolve() // the answer is asynchronous
        fake.before(request)
        const secret = secrets.get(name)
        if (!secret) throw new ApiError(404, 'NotFound', `secrets "${name}" not found`)
        if (method === 'GET') return secret
        if (method === 'PATCH') return patch(secret, body as { metadata: ObjectMeta }) // a merge patch
        return remove(secret, (body as { preconditions: { uid?: string } }).preconditions.uid) // delete options
      },
      watch: () => {
        throw new Error('Secrets are not watched')
      },
      close: async () => {},
    },
  }
  return fake
}
