import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment, pipelineStepSchema } from '../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { baseOf, isFinished, nextDeploymentNumber } from '../../../operator/domain/deployment/deployment.ts'
import { deploymentObjectName } from '../../../operator/domain/resource/identity.ts'
import { authorize, type Caller } from '../../authenticate.ts'
import type { Gateway } from '../../endpoint.ts'
import { fromWire } from '../../request/wire.ts'
import { type EnvironmentPath, findEnvironment, held, newToldMetadata, refresh } from '../common/find.ts'
import { type NewDeployment, wantedSet } from './deployment-request.ts'
import { deploymentsTo } from './deployment-shape.ts'
import { keepSet } from './set-shape.ts'

/** A request to deploy that may be granted, `besideOthers` even while one is under way: what would be deployed. */
export async function preparedDeployment(
  path: EnvironmentPath,
  request: NewDeployment,
  caller: Caller,
  { cluster }: Gateway,
  { besideOthers = false } = {},
) {
  const { store } = cluster
  // A client that saw a deployment end builds on it: ask, since the watch of environments may be behind.
  await refresh(cluster, Environment, findEnvironment(store, path))
  const environment = findEnvironment(store, path)
  const { name } = environment.metadata
  const target = { applicationId: path.app_id, environmentType: environment.spec.typeName }
  authorize(caller, { application: 'developer', deployer: true }, target)
  if (environment.metadata.deletionTimestamp)
    throw new Problem('Conflict', 'the environment is being deleted')
  const earlier = deploymentsTo(store, path.org_id, name)
  if (!besideOthers) refuseSecond(earlier)
  const base = baseOf(environment, (id) => store.get(EnvironmentDeployment, path.org_id, id))
  return { environment, earlier, base, content: wantedSet(store, path, request, base) }
}

function refuseSecond(deployments: readonly EnvironmentDeployment[]): void {
  const running = deployments.find((each) => !isFinished(each))
  if (running)
    throw new Problem(
      'Conflict',
      `deployment '${running.metadata.name}' of this environment has not finished`,
    )
}

/** What a request says that its deployment keeps as it is. */
function keptOf({ comment, mode, pipeline, value_set_version_id: version }: NewDeployment) {
  return {
    ...(comment === undefined ? {} : { comment }),
    ...(mode === undefined ? {} : { mode }),
    ...(pipeline ? { pipeline: fromWire(pipelineStepSchema, pipeline) } : {}),
    ...(version === undefined ? {} : { valueSetVersionId: version }),
  }
}

/** Writes a deployment, with such annotations besides. */
export async function startDeployment(
  path: EnvironmentPath,
  request: NewDeployment,
  prepared: Awaited<ReturnType<typeof preparedDeployment>>,
  caller: Caller,
  { cluster }: Gateway,
  marks: Readonly<Record<string, string>> = {},
): Promise<EnvironmentDeployment> {
  const { environment, earlier, base, content } = prepared
  const { name } = environment.metadata
  const setName = await keepSet(cluster, path.org_id, path.app_id, content, caller)
  // Two requests that race take the same number, and the second one collides.
  const id = deploymentObjectName(name, nextDeploymentNumber(environment, earlier))
  const metadata = held(newToldMetadata(path.org_id, id, caller))
  const wanted = newObject(
    EnvironmentDeployment,
    { ...metadata, annotations: { ...metadata.annotations, ...marks } },
    {
      environmentName: name,
      setName,
      ...(request.delta_id === undefined ? {} : { deltaName: request.delta_id }),
      ...(base ? { fromDeploymentName: base.deploymentName } : {}),
      ...keptOf(request),
    },
  )
  return cluster.create(EnvironmentDeployment, wanted)
}
