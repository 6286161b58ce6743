import { Environment } from '../../api/environment.ts'
import type { DeploymentProblem, EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { Stalled, Waiting } from '../../domain/base/errors.ts'
import { isStartRemembered } from '../../domain/deployment/deployment.ts'
import { alreadyRan, isLastPlanned, isRemembered, recall } from '../../domain/deployment/run-memory.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { keyOf } from '../../kube/client/resource.ts'
import { isStalled } from '../../kube/loop/outcome.ts'
import type { Observed } from '../../kube/loop/status.ts'
import { failure } from './deployment-failure.ts'

type Seen = Observed<typeof EnvironmentDeployment>

/** The environment writes its status at once; if it cannot, the deployment says that it waits. */
const mostMs = 5000

/** A deployment that waits until its environment remembers it. */
interface Listener {
  readonly deployment: EnvironmentDeployment
  done(isRemembered: boolean): void
}

/**
 * Waits until the environment remembers the set of a deployment as planned last. Only then are resources written: what
 * the environment is meant to be outlives the deployment.
 */
export function createMemoryWait({
  store,
}: Pick<Cluster, 'store'>): (deployment: EnvironmentDeployment) => Promise<void> {
  const listeners = new Map<string, Listener>()
  store.cacheOf(Environment).subscribe(({ before, after }) => {
    const environment = after ?? before
    const listener = environment && listeners.get(keyOf(environment))
    if (!listener) return
    if (!after || after.metadata.deletionTimestamp) listener.done(false)
    else if (isLastPlanned(after, listener.deployment)) listener.done(true)
  })
  return async (deployment) => {
    const { environmentName } = deployment.spec
    const { namespace = '' } = deployment.metadata
    const environment = store.get(Environment, namespace, environmentName)
    if (environment && isLastPlanned(environment, deployment)) return
    const key = `${namespace}/${environmentName}`
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => resolve(false), mostMs)
    listeners.set(key, { deployment, done: resolve })
    const isKnown = await promise.finally(() => {
      clearTimeout(timer)
      listeners.delete(key)
    })
    if (isKnown) return
    throw new Waiting(
      'NotRemembered',
      `waiting for the environment '${environmentName}' to record the set`,
      1,
    )
  }
}

/** The end of a deployment that must not run, by what its environment remembers; undefined for any other. */
export function recalledEnd(environment: Environment, deployment: EnvironmentDeployment): Seen | undefined {
  const { name } = deployment.metadata
  if (deployment.status?.startTime) return undefined
  const outcome = recall(environment, deployment)
  if (outcome === 'run') return undefined
  if (outcome === 'full') throw failure({ problems: [noRoom(environment)] })
  const message = `deployment '${name}' ${pastTense[outcome]}; to run it again, give it another name`
  const conditions = [{ type: alreadyRan, status: 'True', reason: alreadyRan, message }] as const
  if (outcome === 'succeeded') return { conditions }
  throw new Stalled(alreadyRan, message, { conditions })
}

const pastTense = {
  succeeded: 'already succeeded',
  failed: 'already failed',
  superseded: 'was deleted before it finished, and another one was planned since',
}

function noRoom({ metadata }: Environment): DeploymentProblem {
  const message = `the environment '${metadata.name}' has no room to remember more deleted deployments: deploy over REST`
  return { object: '', reason: 'TooManyDeployments', message }
}

/** Lets a deployment go once its environment remembers that it ran, and other environments what they start from. */
export async function endDeployment(
  { store }: Pick<Cluster, 'store'>,
  deployment: EnvironmentDeployment,
): Promise<void> {
  const { namespace = '', name } = deployment.metadata
  const starting = store.byIndex(Environment, 'start', `${namespace}/${name}`)
  const forgetful = starting.find((each) => !isStalled(each) && !isStartRemembered(each, deployment))
  if (forgetful) {
    const which = forgetful.metadata.name
    throw new Waiting('StartRemains', `waiting for the environment '${which}' to note what it starts from`, 1)
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
