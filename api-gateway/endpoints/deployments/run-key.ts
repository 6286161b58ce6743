import { createHash } from 'node:crypto'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { annotations } from '../../../operator/api/names.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { canonicalJson } from '../../../operator/domain/base/json.ts'
import { withLock } from '../../../operator/domain/base/keyed-mutex.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import { isAlreadyThere } from '../../../operator/kube/client/client.ts'
import type { Caller } from '../../authenticate.ts'
import type { Gateway } from '../../endpoint.ts'
import { type EnvironmentPath, inOrganization } from '../common/find.ts'
import { deploymentsTo } from './deployment-shape.ts'

/** What a deployment keeps of its request: a hash of the key, with whose it is, and one of the body. */
interface Mark {
  readonly key: string
  readonly body: string
}

type ApplicationPath = Omit<EnvironmentPath, 'env_id'>
type Marks = Readonly<Record<string, string>>

/**
 * The deployment that an earlier request of the user to the application made with that key; else that of `deploy`, which
 * is given the marks to find it by.
 */
export async function deployOnce(
  path: ApplicationPath,
  request: { readonly key: string; readonly body: unknown; readonly caller: Caller },
  { cluster, runTurns }: Pick<Gateway, 'cluster' | 'runTurns'>,
  deploy: (marks: Marks) => Promise<EnvironmentDeployment>,
): Promise<EnvironmentDeployment> {
  const mark = {
    key: hashOf(`${request.caller.userName}\0${request.key}`),
    body: hashOf(canonicalJson(request.body)),
  }
  return withLock(runTurns, inOrganization(path.org_id, `${path.app_id} ${mark.key}`), async () => {
    const known = findByMark(knownDeployments(cluster, path), mark)
    if (known) return known
    try {
      return await deploy({ [annotations.idempotencyKey]: textOf(mark) })
    } catch (error) {
      if (!isAlreadyThere(error)) throw error
      // Of two that race through two gateways, the second finds what the first made.
      const same = findByMark(await allDeployments(cluster, path), mark)
      if (same) return same
      throw error
    }
  })
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function textOf({ key, body }: Mark): string {
  return `${key}/${body}`
}

/** The deployment that an earlier request with the same key made; refused when that one asked for something else. */
function findByMark(
  deployments: readonly EnvironmentDeployment[],
  mark: Mark,
): EnvironmentDeployment | undefined {
  const kept = ({ metadata }: EnvironmentDeployment) => metadata.annotations?.[annotations.idempotencyKey]
  const found = deployments.find((each) => kept(each)?.startsWith(textOf({ ...mark, body: '' })))
  if (!found || kept(found) === textOf(mark)) return found
  throw new Problem(
    'Unprocessable',
    `the 'Idempotency-Key' was used for another request, which created deployment '${found.metadata.name}'`,
  )
}

function knownDeployments({ store }: Cluster, { org_id, app_id }: ApplicationPath): EnvironmentDeployment[] {
  return store
    .byIndex(Environment, 'application', inOrganization(org_id, app_id))
    .flatMap(({ metadata }) => deploymentsTo(store, org_id, metadata.name))
}

async function allDeployments(
  cluster: Cluster,
  { org_id, app_id }: ApplicationPath,
): Promise<EnvironmentDeployment[]> {
  const all = await cluster.readAll(EnvironmentDeployment, org_id)
  return all.filter(({ spec }) => spec.environmentName.startsWith(`${app_id}.`))
}
