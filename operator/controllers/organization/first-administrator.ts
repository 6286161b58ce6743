import { hash, randomBytes } from 'node:crypto'
import { AccessToken, Membership, User } from '../../api/access.ts'
import { newObject } from '../../api/kind.ts'
import { systemNamespace } from '../../api/names.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { isAlreadyExists } from '../../kube/client/api-error.ts'
import { readObject } from '../../kube/client/read-object.ts'
import { secretResource } from '../../kube/client/resource.ts'
import type { Log } from '../../log.ts'
import { createOrganizationQueue, isTerminating } from './organization-queue.ts'

/** Id of the user that the first start creates. */
const adminId = 'admin'
const adminSecretName = 'quartermaster-admin'

/**
 * Creates the first user, with a token in a Secret, at the first start of an installation, and while no human user exists. The
 * user is created last, so that the next start completes one that ended halfway.
 */
export async function ensureAdmin(
  cluster: Cluster,
  { isFirstStart }: { readonly isFirstStart: boolean },
): Promise<void> {
  const { store } = cluster
  // Users of a first start come from manifests, and may have no token.
  if (!isFirstStart && store.list(User, systemNamespace).some(({ spec }) => spec.type === 'human')) return
  const token = (await readToken(cluster)) ?? (await createToken(cluster))
  const [, name] = /^qm_([0-9a-f]+)_/.exec(token) ?? []
  if (name === undefined) return // the Secret is not one of an earlier start
  const metadata = { namespace: systemNamespace }
  const sha256 = hash('sha256', token)
  await unlessThere(
    cluster.create(
      AccessToken,
      newObject(
        AccessToken,
        { ...metadata, name },
        { userName: adminId, sha256, description: 'made at the first start' },
      ),
    ),
  )
  await unlessThere(
    cluster.create(
      User,
      newObject(User, { ...metadata, name: adminId }, { type: 'human', displayName: 'Administrator' }),
    ),
  )
}

/** Reads the token that an earlier start has stored. */
async function readToken({ client }: Cluster): Promise<string | undefined> {
  const secret = await readObject(client, secretResource, systemNamespace, adminSecretName)
  if (!secret) return undefined
  const { token = '' } = (secret['data'] ?? {}) as Record<string, string> // the object is a Secret
  return Buffer.from(token, 'base64').toString()
}

/** Stores a new token. No AccessToken has its hash yet, so a start that ends here leaves no valid token. */
async function createToken(cluster: Cluster): Promise<string> {
  const token = `qm_${randomBytes(8).toString('hex')}_${randomBytes(32).toString('base64url')}`
  await cluster.createSecret({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: systemNamespace, name: adminSecretName },
    stringData: { user: adminId, token },
  })
  return token
}

interface Options {
  readonly log: Log
  readonly isActive: () => boolean
  /** The gateway needs a moment to revert a change that leaves no administrator. */
  readonly pauseMs?: number
}

/** Makes `admin` the administrator of each organization that has none. */
export function startOrganizations(
  cluster: Cluster,
  { log, isActive, pauseMs = 1000 }: Options,
): { stop(): Promise<void> } {
  const { store } = cluster
  const failure = 'could not create the administrator of an organization'
  const queue = createOrganizationQueue({ log, isActive, failure }, async (name) => {
    if (!store.isOrganization(name) || isTerminating(store, name)) return
    if (store.cacheOf(Membership).anyIn(name, ({ spec }) => spec.role === 'administrator')) return
    const spec = { role: 'administrator' } as const
    const existing = await cluster.read(Membership, name, adminId)
    if (!existing) {
      await cluster.create(Membership, newObject(Membership, { name: adminId, namespace: name }, spec))
      return
    }
    const { uid, resourceVersion } = existing.metadata
    await cluster.patch(Membership, existing, { metadata: { uid, resourceVersion }, spec })
  })
  store.namespaces.subscribe(({ after }) => {
    if (after) queue.add(after.metadata.name)
  })
  store.cacheOf(Membership).subscribe(({ before, after }) => {
    if (before?.spec.role === 'administrator' && after?.spec.role !== 'administrator')
      queue.addAfter(before.metadata.namespace, pauseMs)
  })
  for (const { id } of store.organizations()) queue.add(id)
  return { stop: () => queue.stop() }
}

async function unlessThere(creation: Promise<unknown>): Promise<void> {
  try {
    await creation
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}
