import { DeploymentDelta } from '../../api/deployment-delta.ts'
import { Environment } from '../../api/environment.ts'
import { type DeploymentProblem, EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { annotations } from '../../api/names.ts'
import { Stalled, Waiting } from '../../domain/base/errors.ts'
import { isStartRemembered } from '../../domain/deployment/deployment-base.ts'
import {
  alreadyRan,
  decideRun,
  isLastPlanned,
  isRemembered,
} from '../../domain/deployment/deployment-history.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import type { Store } from '../../kube/cache/store.ts'
import { keyOf } from '../../kube/client/resource.ts'
import { isStalled } from '../../kube/loop/outcome.ts'
import type { Observed } from '../../kube/loop/status.ts'
import type { Dispatcher } from '../webhook/dispatcher.ts'
import { failure } from './deployment-failure.ts'

type DeploymentStatus = Observed<typeof EnvironmentDeployment>

/** The environment normally writes its status at once. */
const maxWaitMs = 5000

/** A deployment that waits until its environment records it. */
interface Listener {
  readonly deployment: EnvironmentDeployment
  readonly setName: string | undefined
  done(isRecorded: boolean): void
}

/**
 * Returns a function that waits until the environment records the set of a deployment as its last planned one. Resources
 * are written after that: the wanted state of the environment must outlive the deployment.
 */
export function createRecordWait({
  store,
}: Pick<Cluster, 'store'>): (
  deployment: EnvironmentDeployment,
  setName: string | undefined,
) => Promise<void> {
  const listeners = new Map<string, Listener>()
  store.cacheOf(Environment).subscribe(({ before, after }) => {
    const environment = after ?? before
    const listener = environment && listeners.get(keyOf(environment))
    if (!listener) return
    if (!after || after.metadata.deletionTimestamp) listener.done(false)
    else if (isRecordedIn(after, listener)) listener.done(true)
  })
  return async (deployment, setName) => {
    const { environmentName } = deployment.spec
    const { namespace } = deployment.metadata
    const environment = store.get(Environment, namespace, environmentName)
    if (environment && isRecordedIn(environment, { deployment, setName })) return
    const key = `${namespace}/${environmentName}`
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => resolve(false), maxWaitMs)
    listeners.set(key, { deployment, setName, done: resolve })
    const isRecorded = await promise.finally(() => {
      clearTimeout(timer)
      listeners.delete(key)
    })
    if (isRecorded) return
    throw new Waiting(
      'NotRemembered',
      `waiting for the environment '${environmentName}' to record the set`,
      1,
    )
  }
}

function isRecordedIn(
  environment: Environment,
  { deployment, setName }: Pick<Listener, 'deployment' | 'setName'>,
): boolean {
  return isLastPlanned(environment, deployment) && environment.status?.lastPlanned?.setName === setName
}

/**
 * Returns or throws the end of a deployment that must not run again, as its environment records it; undefined for a
 * deployment that may run.
 */
export function endOfEarlierRun(
  environment: Environment,
  deployment: EnvironmentDeployment,
): DeploymentStatus | undefined {
  const { name } = deployment.metadata
  if (deployment.status?.startTime) return undefined
  const outcome = decideRun(environment, deployment)
  if (outcome === 'run') return undefined
  if (outcome === 'full') throw failure({ problems: [tooManyDeployments(environment)] })
  const message = `deployment '${name}' ${pastTense[outcome]}; to run it again, create it under another name`
  const conditions = [{ type: alreadyRan, status: 'True', reason: alreadyRan, message }] as const
  if (outcome === 'succeeded') return { conditions }
  throw new Stalled(alreadyRan, message, { conditions })
}

const pastTense = {
  succeeded: 'already succeeded',
  failed: 'already failed',
  superseded: 'was deleted before it finished, and a later deployment was planned',
}

function tooManyDeployments({ metadata }: Environment): DeploymentProblem {
  const message = `the environment '${metadata.name}' cannot record more deleted deployments: deploy over REST`
  return { object: '', reason: 'TooManyDeployments', message }
}

/**
 * Writes the calls of webhooks for the events of the deployment. Throws Waiting until the environment records that it ran,
 * and each environment that starts from it records its set. Deletes the delta of an automatic deployment.
 */
export async function finalizeDeployment(
  deployment: EnvironmentDeployment,
  {
    cluster,
    dispatcher,
  }: {
    readonly cluster: Pick<Cluster, 'store' | 'remove'>
    readonly dispatcher: Pick<Dispatcher, 'notifyDeleted'>
  },
): Promise<void> {
  await dispatcher.notifyDeleted(deployment)
  awaitRecords(deployment, cluster.store)
  await removeAutomaticDelta(deployment, cluster)
}

/** The operator made the delta for this deployment. It stays while another deployment names it. */
async function removeAutomaticDelta(
  { metadata, spec }: EnvironmentDeployment,
  cluster: Pick<Cluster, 'store' | 'remove'>,
): Promise<void> {
  const { namespace, uid } = metadata
  const { environmentName, deltaName } = spec
  const isAutomatic = metadata.annotations?.[annotations.artefactVersions] !== undefined
  if (!isAutomatic || metadata.name !== `${environmentName}.${deltaName}`) return
  const { store } = cluster
  const delta = store.get(DeploymentDelta, namespace, deltaName ?? '')
  const isNamed = store
    .cacheOf(EnvironmentDeployment)
    .anyIn(namespace, (each) => each.metadata.uid !== uid && each.spec.deltaName === deltaName)
  if (delta && !isNamed) await cluster.remove(DeploymentDelta, delta)
}

function awaitRecords(deployment: EnvironmentDeployment, store: Store): void {
  const { namespace, name } = deployment.metadata
  const starting = store.byIndex(Environment, 'start', `${namespace}/${name}`)
  const unrecorded = starting.find((each) => !isStalled(each) && !isStartRemembered(each, deployment))
  if (unrecorded) {
    const which = unrecorded.metadata.name
    throw new Waiting(
      'StartRemains',
      `waiting for the environment '${which}' to record what it starts from`,
      1,
    )
  }
  const environment = store.get(Environment, namespace, deployment.spec.environmentName)
  if (!environment || environment.metadata.deletionTimestamp) return
  if (isRemembered(environment, deployment)) return
  throw new Waiting(
    'NotRemembered',
    `waiting for the environment '${environment.metadata.name}' to record how the deployment ended`,
    1,
  )
}
