import { ActiveResource } from '../../api/active-resource.ts'
import { DeploymentDelta } from '../../api/deployment-delta.ts'
import { DeploymentSet } from '../../api/deployment-set.ts'
import { Environment } from '../../api/environment.ts'
import { type DeploymentProblem, EnvironmentDeployment } from '../../api/environment-deployment.ts'
import type { Kind } from '../../api/kind.ts'
import { ResourceAccount } from '../../api/resource-account.ts'
import { ResourceDefinition } from '../../api/resource-definition.ts'
import { ResourceDriver } from '../../api/resource-driver.ts'
import { ResourceType } from '../../api/resource-type.ts'
import { SharedValue } from '../../api/shared-value.ts'
import { Stalled, Waiting } from '../../domain/base/errors.ts'
import type { SetContent } from '../../domain/delta/delta.ts'
import { firstInTurn, isFinished, setNameOf } from '../../domain/deployment/deployment.ts'
import { type Plan, type PlanStep, summarize } from '../../domain/plan/plan.ts'
import { formatDescriptor } from '../../domain/resource/descriptor.ts'
import { createCacheBarrier } from '../../kube/cache/cache-barrier.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import type { Counter } from '../../kube/cache/counter.ts'
import { scoped } from '../../kube/cache/kinds-in-store.ts'
import { isRejected } from '../../kube/client/client.ts'
import { keyOf } from '../../kube/client/resource.ts'
import { type Controller, type ReconcileContext, watchKind } from '../../kube/loop/controller.ts'
import { conditionOf } from '../../kube/loop/outcome.ts'
import type { Observed } from '../../kube/loop/status.ts'
import type { Planning } from '../../planning/planning.ts'
import type { Installation } from '../shared/installation.ts'
import { inParallel } from '../shared/parallel.ts'
import { type Progress, progressOf } from '../shared/progress.ts'
import { DeploymentDeadlines } from './deployment-deadline.ts'
import { awaited, failure, finishedAs, refusal } from './deployment-failure.ts'
import { createMemoryWait, endDeployment, recalledEnd } from './deployment-memory.ts'
import { createSources, Missing } from './deployment-source.ts'
import { createResourceWriter } from './resource-writing.ts'

type Seen = Observed<typeof EnvironmentDeployment>

/** What the controller of deployments works with. */
export interface DeploymentTools {
  readonly cluster: Cluster
  readonly installation: Installation
  readonly progress: Counter<Progress>
  readonly planning: Planning
  readonly attempts: number
  readonly timeoutSeconds: number
  readonly settleSeconds: number
}

/** What a plan is made from, besides what it deploys and what there is. */
const plannedFrom: readonly Kind[] = [
  ResourceDefinition,
  ResourceType,
  ResourceAccount,
  ResourceDriver,
  SharedValue,
]

/** A deployment on its way: its resources are written, and only their progress is looked at. */
interface Running {
  readonly uid: string
  readonly seen: Seen
}

/** Plans a deployment, writes all its resources at once, and ends when they are ready or one failed. */
export function environmentDeploymentController(
  tools: DeploymentTools,
): Controller<typeof EnvironmentDeployment> {
  const { cluster, progress, planning } = tools
  const { store } = cluster
  const running = new Map<string, Running>()
  const runningIn = new Map<string, string>()
  const sources = createSources(cluster)
  // What an environment remembers of earlier deployments must not be out of date either.
  const awaitCache = createCacheBarrier(cluster, [...plannedFrom, Environment])
  const awaitMemory = createMemoryWait(cluster)
  const write = createResourceWriter(tools)
  const environmentOf = (each: EnvironmentDeployment) => scoped(each, each.spec.environmentName)
  const deadlines = new DeploymentDeadlines(tools.timeoutSeconds, (each) =>
    store.byIndex(EnvironmentDeployment, 'environment', environmentOf(each)),
  )
  const unfinishedIn = (environment: string) =>
    store.byIndex(EnvironmentDeployment, 'environment', environment).filter((each) => !isFinished(each))

  function progressWakes(resource: ActiveResource): string[] {
    const environment = scoped(resource, resource.spec.environmentName)
    const deployment = runningIn.get(environment)
    if (!deployment) return []
    const { pending, failed } = progress.of(environment)
    return pending === 0 || failed > 0 ? [deployment] : []
  }

  return {
    kind: EnvironmentDeployment,
    watches: [
      deadlines.watch,
      // Constant work for each event, however many resources a deployment has.
      watchKind(store.cacheOf(ActiveResource), ({ before, after }) => {
        const resource = after ?? before
        return resource ? progressWakes(resource) : []
      }),
      watchKind(store.cacheOf(EnvironmentDeployment), ({ before, after }) => {
        const ended = before && !isFinished(before) && (!after || isFinished(after))
        if (before && !after) forget(before)
        if (ended) return unfinishedIn(environmentOf(before)).map(keyOf)
        // Another one may build on it.
        const hasNews = after && setNameOf(after) && !(before && setNameOf(before))
        return hasNews ? waitingIn(after.metadata.namespace) : []
      }),
      watchKind(store.cacheOf(Environment), ({ before, after }) => {
        const environment = after ?? before
        if (!environment) return []
        const isNews =
          !before || !after || before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp
        const deployments = store.byIndex(EnvironmentDeployment, 'environment', keyOf(environment))
        return deployments
          .filter((each) => each.metadata.deletionTimestamp || (isNews && !isFinished(each)))
          .map(keyOf)
      }),
      watchKind(store.cacheOf(DeploymentDelta), ({ before, after }) =>
        after && !before ? waitingIn(after.metadata.namespace) : [],
      ),
      watchKind(store.cacheOf(DeploymentSet), ({ before, after }) =>
        after && !before ? waitingIn(after.metadata.namespace) : [],
      ),
      // What a plan looks at may come later than the deployment.
      ...plannedFrom.map((kind) =>
        watchKind<Kind>(store.cacheOf<Kind>(kind), ({ before, after }) =>
          waitingIn((after ?? before)?.metadata.namespace),
        ),
      ),
    ],
    async reconcile(deployment, context) {
      if (isFinished(deployment)) return finishedAs(deployment)
      deadlines.start(deployment)
      try {
        const ended = await goOn(deployment, context)
        forget(deployment)
        return ended
      } catch (error) {
        const bounded = deadlines.bounded(deployment, error)
        if (bounded instanceof Stalled) forget(deployment)
        throw bounded
      }
    },
    finalize: (deployment) => endDeployment(cluster, deployment),
  }

  async function goOn(
    deployment: EnvironmentDeployment,
    context: ReconcileContext<typeof EnvironmentDeployment>,
  ): Promise<Seen> {
    const key = keyOf(deployment)
    const environment = environmentFor(deployment)
    const known = running.get(key)
    const isKnown = known !== undefined && known.uid === deployment.metadata.uid
    const recalled = recalledEnd(environment, deployment)
    if (recalled) return recalled
    awaitTurn(deployment)
    const seen = isKnown ? known.seen : await start(deployment, context)
    if (!seen.startTime) return seen
    running.set(key, { uid: deployment.metadata.uid ?? '', seen })
    runningIn.set(environmentOf(deployment), key)
    const ended = outcome(deployment, seen)
    if (ended.problems) throw failure(ended)
    return ended
  }

  function forget(deployment: EnvironmentDeployment) {
    deadlines.stop(deployment)
    running.delete(keyOf(deployment))
    if (runningIn.get(environmentOf(deployment)) === keyOf(deployment))
      runningIn.delete(environmentOf(deployment))
  }

  /** Deployments that have not begun, and may wait for an object that just came. */
  function waitingIn(namespace = ''): string[] {
    if (store.cacheOf(EnvironmentDeployment).size === 0) return []
    return store
      .list(EnvironmentDeployment, namespace)
      .filter((each) => !isFinished(each) && !each.status?.startTime)
      .map(keyOf)
  }

  function environmentFor(deployment: EnvironmentDeployment): Environment {
    const { environmentName } = deployment.spec
    const environment = store.get(Environment, deployment.metadata.namespace ?? '', environmentName)
    if (!environment)
      throw new Waiting('EnvironmentNotFound', `waiting for the environment '${environmentName}'`)
    if (!environment.metadata.deletionTimestamp) return environment
    const message = `the environment '${environmentName}' is being deleted`
    throw failure({ problems: [{ object: '', reason: 'EnvironmentDeleted', message }] })
  }

  function awaitTurn(deployment: EnvironmentDeployment) {
    const first = firstInTurn(store.byIndex(EnvironmentDeployment, 'environment', environmentOf(deployment)))
    if (!first || first.metadata.uid === deployment.metadata.uid) return
    throw new Waiting('DeploymentInProgress', `waiting for the deployment '${first.metadata.name}' to finish`)
  }

  /** Plans, records that it began, and writes the resources; safe to repeat, since everything has its name. */
  async function start(
    deployment: EnvironmentDeployment,
    context: ReconcileContext<typeof EnvironmentDeployment>,
  ): Promise<Seen> {
    // A client that defines and then deploys means what it defined, though we may hear of that later.
    if (!deployment.status?.startTime) await awaitCache(deployment.metadata.namespace ?? '')
    const environment = environmentFor(deployment)
    const recalled = recalledEnd(environment, deployment)
    if (recalled) return recalled
    const { set, ...source } = await sources.of(deployment, environment).catch((error: unknown) => {
      if (error instanceof Missing) throw awaited(deployment, error, tools.settleSeconds)
      return refusedBy('', {})(error)
    })
    const planned = planFor(deployment, environment, set)
    if (planned.problems.length > 0) throw refusal(deployment, planned.problems, source, tools.settleSeconds)
    const seen = {
      ...source,
      // After a restart the plan is made again, and what was written by then is unchanged in it: the first one counts.
      plan: deployment.status?.plan ?? summarize(planned),
      startTime: deployment.status?.startTime ?? new Date().toISOString(),
    }
    // The record comes first: it says what the environment is meant to be, whatever happens to this process next.
    await context.report(seen, 'provisioning').catch(refusedBy('', source))
    await context.releaseWorker(() => awaitMemory(deployment))
    // The one that names the namespace comes first: objects of others would go elsewhere as long as it is not there.
    const [first, others] = [
      planned.steps.filter(namesNamespace),
      planned.steps.filter((each) => !namesNamespace(each)),
    ]
    for (const steps of [first, others]) {
      await inParallel(steps, async (step) => {
        // Deletion wins: nothing new comes into an environment that is going.
        environmentFor(deployment)
        await write(step, deployment).catch(refusedBy(formatDescriptor(step.descriptor), seen))
      })
    }
    return seen
  }

  function planFor({ spec }: EnvironmentDeployment, environment: Environment, set: SetContent): Plan {
    return planning.planFor(environment, set, {
      isTrusted: tools.installation.isSigned,
      isFull: spec.mode === 'full',
    })
  }

  /** What came of it; Waiting as long as that is open. */
  function outcome(deployment: EnvironmentDeployment, seen: Seen): Seen {
    const { pending, failed } = progress.of(environmentOf(deployment))
    const finishTime = new Date().toISOString()
    if (failed > 0) return { ...seen, finishTime, problems: failuresIn(environmentOf(deployment)) }
    if (pending === 0) return { ...seen, finishTime }
    if (deadlines.remaining(deployment) > 0) throw new Waiting('Progressing', 'provisioning', undefined, seen)
    return { ...seen, finishTime, problems: failuresIn(environmentOf(deployment), true) }
  }

  function failuresIn(environment: string, late = false): DeploymentProblem[] {
    return store
      .byIndex(ActiveResource, 'environment', environment)
      .filter((each) => !each.spec.unusedSince)
      .filter((each) => progressOf(each, tools.attempts) === (late ? 'pending' : 'failed'))
      .map((each) => {
        const ready = conditionOf(each, 'Ready')
        return {
          object: formatDescriptor(each.spec),
          reason: ready?.reason ?? 'Pending',
          message: `${ready?.message ?? ''} (definition '${each.spec.definition.definitionName}')`,
        }
      })
  }
}

/** What the API server refuses for good fails the deployment; anything else is tried again. */
function refusedBy(object: string, seen: Seen) {
  return (error: unknown): never => {
    if (!isRejected(error)) throw error
    throw failure({ ...seen, problems: [{ object, reason: 'Rejected', message: error.message }] })
  }
}

function namesNamespace({ descriptor }: PlanStep): boolean {
  return descriptor.type === 'k8s-namespace'
}
