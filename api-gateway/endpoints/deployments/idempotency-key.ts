import { hash } from 'node:crypto'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { annotations } from '../../../operator/api/names.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { canonicalJson } from '../../../operator/domain/base/json.ts'
import { withLock } from '../../../operator/domain/base/keyed-mutex.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import { isAlreadyExists } from '../../../operator/kube/client/api-error.ts'
import type { Caller } from '../../authenticate.ts'
import type { Gateway } from '../../endpoint.ts'
import { type EnvironmentPath, organizationKey } from '../common/find.ts'
import { deploymentsTo } from './deployment-shape.ts'

/** What a deployment stores of its request: hashes of the user with the key, and of the body. */
interface RequestHash {
  readonly key: string
  readonly body: string
}

type ApplicationPath = Omit<EnvironmentPath, 'env_id'>
type Annotations = Readonly<Record<string, string>>

/** The two steps of a request whose key is not known yet. */
interface Steps<T> {
  /** Reads what the cache may lack: the environment and its latest deployments. */
  read(): Promise<T>
  /** Creates the deployment with the given annotations. */
  deploy(target: T, annotations: Annotations): Promise<EnvironmentDeployment>
}

/** Returns the deployment of an earlier request of the user with the same key, otherwise a new one. */
export async function deployIdempotently<T>(
  path: ApplicationPath,
  request: { readonly key: string; readonly body: unknown; readonly caller: Caller },
  { cluster, idempotencyLocks }: Pick<Gateway, 'cluster' | 'idempotencyLocks'>,
  { read, deploy }: Steps<T>,
): Promise<EnvironmentDeployment> {
  const hash = {
    key: hashOf(`${request.caller.userName}\0${request.key}`),
    body: hashOf(canonicalJson(request.body)),
  }
  return withLock(idempotencyLocks, organizationKey(path.org_id, `${path.app_id} ${hash.key}`), async () => {
    const findCached = () => findByRequest(cachedDeployments(cluster, path), hash)
    const cached = findCached()
    if (cached) return cached
    const target = await read()
    // Another gateway may have created the deployment, and the operator may have ended it.
    const known = findCached()
    if (known) return known
    try {
      return await deploy(target, { [annotations.idempotencyKey]: textOf(hash) })
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      // Another gateway may have created the deployment at the same time.
      const same = findByRequest(await currentDeployments(cluster, path), hash)
      if (same) return same
      throw error
    }
  })
}

function hashOf(text: string): string {
  return hash('sha256', text)
}

function textOf({ key, body }: RequestHash): string {
  return `${key}/${body}`
}

/** Returns the deployment of an earlier request with the key; throws Unprocessable if its body was different. */
function findByRequest(
  deployments: readonly EnvironmentDeployment[],
  hash: RequestHash,
): EnvironmentDeployment | undefined {
  const storedHash = ({ metadata }: EnvironmentDeployment) =>
    metadata.annotations?.[annotations.idempotencyKey]
  const found = deployments.find((each) => storedHash(each)?.startsWith(textOf({ ...hash, body: '' })))
  if (!found || storedHash(found) === textOf(hash)) return found
  throw new Problem(
    'Unprocessable',
    `the 'Idempotency-Key' was used for another request, which created deployment '${found.metadata.name}'`,
  )
}

function cachedDeployments({ store }: Cluster, { org_id, app_id }: ApplicationPath): EnvironmentDeployment[] {
  return store
    .byIndex(Environment, 'application', organizationKey(org_id, app_id))
    .flatMap(({ metadata }) => deploymentsTo(store, org_id, metadata.name))
}

async function currentDeployments(
  cluster: Cluster,
  { org_id, app_id }: ApplicationPath,
): Promise<EnvironmentDeployment[]> {
  const all = await cluster.readAll(EnvironmentDeployment, org_id)
  return all.filter(({ spec }) => spec.environmentName.startsWith(`${app_id}.`))
}
