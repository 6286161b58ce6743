import { DeploymentDelta } from '../../../operator/api/deployment-delta.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment, pipelineStepSchema } from '../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { isFinished, nextDeploymentNumber } from '../../../operator/domain/deployment/deployment.ts'
import { type Base, baseOf } from '../../../operator/domain/deployment/deployment-base.ts'
import {
  deploymentObjectName,
  environmentObjectName,
  setObjectName,
} from '../../../operator/domain/resource/identity.ts'
import { type Cluster, refreshNamed } from '../../../operator/kube/cache/cluster.ts'
import { ApiError, isAlreadyExists } from '../../../operator/kube/client/api-error.ts'
import { hasFinalizer } from '../../../operator/kube/client/resource.ts'
import { ownershipProblems } from '../../../operator/planning/workloads.ts'
import { authorize, type Caller } from '../../authenticate.ts'
import type { Call, Gateway } from '../../endpoint.ts'
import { canBeObjectName } from '../../request/parameters.ts'
import { fromWire } from '../../request/wire.ts'
import {
  type EnvironmentPath,
  findApplication,
  findEnvironment,
  newTriggeredMetadata,
  withFinalizer,
} from '../common/find.ts'
import { withRollback } from '../common/rollback.ts'
import { environmentTarget, requirePresent, type Target } from '../common/target.ts'
import { type NewDeployment, wantedSet } from './deployment-request.ts'
import { deploymentsTo, refuseUnfinished } from './deployment-shape.ts'
import { createSet, readMissingSets, setIdOf } from './set-shape.ts'

/** The environment that a request deploys to. */
export interface DeploymentTarget {
  readonly path: EnvironmentPath
  readonly environment: Environment
}

/**
 * Reads the environment and the delta, because the cache may not contain them as another gateway has answered them, and
 * the latest deployments of the environment, whose end the client may have seen.
 */
export async function currentTarget(
  path: EnvironmentPath,
  request: Pick<NewDeployment, 'delta_id'>,
  cluster: Cluster,
): Promise<DeploymentTarget> {
  findApplication(cluster.store, path)
  await Promise.all([
    refreshNamed(cluster, Environment, path.org_id, environmentObjectName(path.app_id, path.env_id)),
    refreshDelta(cluster, path.org_id, request),
  ])
  const environment = findEnvironment(cluster.store, path)
  await refreshLatestDeployments(cluster, environment)
  return { path, environment }
}

async function refreshDelta(
  cluster: Cluster,
  organization: string,
  { delta_id: id }: Pick<NewDeployment, 'delta_id'>,
): Promise<void> {
  if (id !== undefined && canBeObjectName(id)) await refreshNamed(cluster, DeploymentDelta, organization, id)
}

/** Reads the latest deployments by number that the cache lacks or has as unfinished, up to one that is over or deleted. */
async function refreshLatestDeployments(cluster: Cluster, { metadata, status }: Environment): Promise<void> {
  const { namespace, name } = metadata
  for (let number = status?.lastDeploymentNumber ?? 0; number > 0; number -= 1) {
    const id = deploymentObjectName(name, number)
    const known = cluster.store.get(EnvironmentDeployment, namespace, id)
    if (known && isFinished(known)) return
    const current = await refreshNamed(cluster, EnvironmentDeployment, namespace, id)
    if (!current || (known && !isFinished(current))) return
  }
}

/** Throws Forbidden unless the caller may deploy to the environment. */
export function authorizeDeployment({ path, environment }: DeploymentTarget, caller: Caller): void {
  const target = { applicationId: path.app_id, environmentType: environment.spec.typeName }
  authorize(caller, { application: 'developer', deployer: true }, target)
}

/**
 * Checks whether a request may deploy and returns what it would deploy. `allowUnfinished` allows an unfinished
 * deployment.
 */
export async function prepareDeployment(
  { path, environment }: DeploymentTarget,
  request: NewDeployment,
  { caller, inTurn }: Pick<Call, 'caller' | 'inTurn'>,
  { cluster, planning }: Gateway,
  { allowUnfinished = false } = {},
) {
  const { store } = cluster
  const { name } = environment.metadata
  authorizeDeployment({ path, environment }, caller)
  if (environment.metadata.deletionTimestamp)
    throw new Problem('Conflict', 'the environment is being deleted')
  const earlier = deploymentsTo(store, path.org_id, name)
  if (!allowUnfinished) refuseUnfinished(earlier)
  const base = baseOf(environment, (id) => store.get(EnvironmentDeployment, path.org_id, id))
  refuseOtherBase(base, request)
  await readMissingSets(cluster, path.org_id, [
    request.set_id && setObjectName(path.app_id, request.set_id),
    base?.setName,
    environment.status?.lastPlanned?.setName,
  ])
  const content = await inTurn(() => wantedSet({ store, planning }, path, request, base))
  const [owned] = ownershipProblems(
    { store, planning },
    environment,
    planning.deployedSet(environment),
    content,
  )
  if (owned) throw new Problem('Conflict', owned.message, { workload_id: owned.workload })
  return { environment, earlier, base, content }
}

/** Throws Conflict if the client saw another set deployed. */
function refuseOtherBase(base: Base | undefined, { base_set_id: seen }: NewDeployment): void {
  const current = setIdOf(base)
  if (seen === undefined || seen === current) return
  const message =
    'another deployment has changed the environment since: read it again, and show the plan again'
  throw new Problem('Conflict', message, { base_set_id: current })
}

/** Fields of the request that the deployment stores unchanged. */
function storedFields({ comment, mode, pipeline, value_set_version_id: version }: NewDeployment) {
  return {
    comment,
    mode,
    pipeline: pipeline && fromWire(pipelineStepSchema, pipeline),
    valueSetVersionId: version,
  }
}

/** Creates the deployment, with additional annotations. */
export async function startDeployment(
  path: EnvironmentPath,
  request: NewDeployment,
  prepared: Awaited<ReturnType<typeof prepareDeployment>>,
  caller: Caller,
  { cluster, log, tracing }: Gateway,
  extraAnnotations: Readonly<Record<string, string>> = {},
): Promise<EnvironmentDeployment> {
  const { environment, earlier, base, content } = prepared
  const { name } = environment.metadata
  const target = environmentTarget(environment, path)
  // Without it, the environment may end before the operator has seen the deployment.
  if (!hasFinalizer(environment)) await requirePresent({ cluster }, target)
  const setName = await createSet(cluster, path.org_id, path.app_id, content, caller)
  // Concurrent requests compute the same number, so only one of them can create the object.
  const id = deploymentObjectName(name, nextDeploymentNumber(environment, earlier))
  const metadata = withFinalizer(newTriggeredMetadata(path.org_id, id, caller))
  const traceparent = tracing.current()
  const own = { ...extraAnnotations, ...(traceparent ? { [annotations.traceparent]: traceparent } : {}) }
  const wanted = newObject(
    EnvironmentDeployment,
    { ...metadata, annotations: { ...metadata.annotations, ...own } },
    {
      environmentName: name,
      setName,
      deltaName: request.delta_id,
      fromDeploymentName: base?.deploymentName,
      // A set that the client names does not depend on what was deployed before, unless the client says so.
      failIfBaseChanged: request.set_id === undefined || request.base_set_id !== undefined || undefined,
      ...storedFields(request),
    },
  )
  const made = await cluster.create(EnvironmentDeployment, wanted).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error
    const message = `another request has just started deployment '${id}' of this environment`
    throw new ApiError(409, 'AlreadyExists', message)
  })
  await withdrawFromEnded(made, target, { cluster, log })
  return made
}

/**
 * Withdraws a deployment whose environment has ended, or ends: a later one of the name must not get it. It may run already, so one
 * whose environment cannot be read stays.
 */
async function withdrawFromEnded(
  made: EnvironmentDeployment,
  target: Target<typeof Environment>,
  { cluster, log }: Pick<Gateway, 'cluster' | 'log'>,
): Promise<void> {
  const hasEnded = (error: unknown) => error instanceof Problem
  const withdraw = () => cluster.remove(EnvironmentDeployment, made)
  try {
    await withRollback(log, withdraw, () => requirePresent({ cluster }, target), hasEnded)
  } catch (error) {
    if (hasEnded(error)) throw error
  }
}
