import { ActiveResource } from '../../api/active-resource.ts'
import { Application } from '../../api/application.ts'
import { Environment } from '../../api/environment.ts'
import { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { Workload, type WorkloadEnvironment } from '../../api/workload.ts'
import { Mismatch, ReferenceNotFound, Stalled, Waiting } from '../../domain/base/errors.ts'
import { compareText, sameJson } from '../../domain/base/json.ts'
import { emptySet, type SetContent } from '../../domain/delta/delta.ts'
import { isFinished } from '../../domain/deployment/deployment.ts'
import { contextOf, environmentObjectName, workloadOf } from '../../domain/resource/identity.ts'
import type { ConvertedScore } from '../../domain/score/convert-score.ts'
import { moduleIdOf } from '../../domain/workload/content.ts'
import { isTarget } from '../../domain/workload/targets.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { scoped } from '../../kube/cache/kinds-in-store.ts'
import type { Store } from '../../kube/cache/store.ts'
import { keyOf } from '../../kube/client/resource.ts'
import { type Controller, type ReconcileContext, type Watch, watchKind } from '../../kube/loop/controller.ts'
import { isStalled, stateOf } from '../../kube/loop/outcome.ts'
import type { Observed } from '../../kube/loop/status.ts'
import type { Planning } from '../../planning/planning.ts'
import { entryFor, foldInto, ownersIn, workloadContent } from '../../planning/workloads.ts'
import { watchLifecycle } from '../shared/watch-lifecycle.ts'
import { isDeploying, isFolding, progressOf, resourcesOf } from './workload-status.ts'

interface Tools {
  readonly cluster: Cluster
  readonly planning: Planning
}

/** What a reconcile found in one environment. */
interface Found {
  readonly entry?: WorkloadEnvironment | undefined
  readonly problem?: Error
}

/**
 * Records which modules a Workload owns, and what is deployed. The task of `startWorkloadDeployments` deploys what the
 * status records, so that a crash leaves no module without an owner.
 */
export function workloadController(tools: Tools): Controller<typeof Workload> {
  const { store } = tools.cluster
  return {
    kind: Workload,
    watches: watchesOf(store),
    reconcile: (workload, context) => reconcile(workload, context, tools),
    finalize: (workload) => finalize(workload, tools),
  }
}

function watchesOf(store: Store): Watch[] {
  const besides = (object: { readonly metadata: { namespace: string } }, application: string) =>
    store.byIndex(Workload, 'application', `${object.metadata.namespace}/${application}`).map(keyOf)
  return [
    watchLifecycle(store.cacheOf(Application), (each) => besides(each, each.metadata.name)),
    watchKind(store.cacheOf(Environment), ({ before, after }) => {
      const environment = after ?? before
      return environment ? besides(environment, environment.spec.applicationName) : []
    }),
    watchKind(store.cacheOf(EnvironmentDeployment), ({ before, after }) => {
      const deployment = after ?? before
      if (!deployment || (before && after && isFinished(before) === isFinished(after))) return []
      return besides(deployment, deployment.spec.environmentName.split('.')[0] ?? '')
    }),
    // Another Workload may give up what this one conflicts with.
    watchKind(store.cacheOf(Workload), ({ before, after }) => {
      const workload = after ?? before
      const isSame = before?.metadata.generation === after?.metadata.generation && before && after
      if (!workload || isSame) return []
      return store
        .byIndex(Workload, 'application', scoped(workload, workload.spec.applicationName))
        .filter((each) => each.metadata.name !== workload.metadata.name && isStalled(each))
        .map(keyOf)
    }),
    watchKind(store.cacheOf(ActiveResource), ({ before, after }) => {
      const isSame =
        before &&
        after &&
        stateOf(before) === stateOf(after) &&
        before.status?.outputs?.['host'] === after.status?.outputs?.['host']
      // A deployment reports all resources when it ends.
      if (!after || isSame || isDeploying(after, store)) return []
      const [application = ''] = after.spec.environmentName.split('.')
      const owner = workloadOf(after.spec.resourceId)
      if (owner === undefined) return besides(after, application)
      const name = `${application}.${owner}`
      return store.get(Workload, after.metadata.namespace, name)
        ? [`${after.metadata.namespace}/${name}`]
        : []
    }),
  ]
}

/**
 * 1. findIn: for each environment, what the status says and what is wrong.
 * 2. report: records what the Workload owns before it is deployed.
 * 3. throwOutcome: throws what keeps the Workload from being ready.
 */
async function reconcile(
  workload: Workload,
  context: ReconcileContext<typeof Workload>,
  tools: Tools,
): Promise<Observed<typeof Workload>> {
  const { store } = tools.cluster
  const environments = store.byIndex(
    Environment,
    'application',
    scoped(workload, workload.spec.applicationName),
  )
  const present = environments.filter(({ metadata }) => !metadata.deletionTimestamp)
  const found = present.map((each) => findIn(each, workload, tools))
  const entries = found
    .flatMap(({ entry }) => entry ?? [])
    .sort((left, right) => compareText(left.environmentId, right.environmentId))
  const observed = { environments: entries.length > 0 ? entries : undefined }
  if (!sameRecords(workload.status?.environments ?? [], entries))
    await context.report(observed, 'waiting for its deployment')
  const said = workloadContent(workload, '')
  if ('problem' in said) throw new Stalled('InvalidWorkload', said.problem, observed)
  throwOutcome(workload, present, found, observed, store)
  return observed
}

/** Whether two statuses record the same content; what differs otherwise can be written later. */
function sameRecords(before: readonly WorkloadEnvironment[], after: readonly WorkloadEnvironment[]): boolean {
  const recordOf = ({ environmentId, contentHash, sharedIds }: WorkloadEnvironment) => ({
    environmentId,
    contentHash,
    sharedIds,
  })
  return sameJson(before.map(recordOf), after.map(recordOf))
}

function findIn(environment: Environment, workload: Workload, tools: Tools): Found {
  const { environmentId } = contextOf(environment)
  const known = entryFor(workload, environmentId)
  const deployed = tools.planning.deployedSet(environment) ?? emptySet
  if (!isTarget(workload, environment))
    return { entry: known && remaining(environment, workload, known, deployed, tools) }
  const said = workloadContent(workload, environmentId)
  if ('problem' in said) return { entry: known, problem: new Stalled('InvalidWorkload', said.problem) }
  const { content, hash } = said
  if (!known && !workload.spec.adopt && Object.hasOwn(deployed.modules, content.id))
    return { problem: taken(environment, content) }
  const sharedIds = ownedShared(environment, content, known, deployed, tools.cluster.store)
  const entry = {
    environmentId,
    state: 'pending' as const,
    ...known,
    contentHash: hash,
    sharedIds: sharedIds.length > 0 ? sharedIds : undefined,
  }
  const isSameContent = known?.contentHash === hash
  const progress = progressOf(environment, content, entry, isSameContent, {
    ...tools,
    store: tools.cluster.store,
  })
  const { message, resources, url, ...rest } = entry
  const shown =
    progress.state === 'pending' ? { resources, url } : resourcesOf(environment, content, tools.cluster.store)
  const result = withoutUndefined({ ...rest, deploymentName: undefined, ...progress, ...shown })
  const problem = isSameContent ? conflictIn(environment, content, deployed, tools.cluster.store) : undefined
  return { entry: result, ...(problem ? { problem } : {}) }
}

function withoutUndefined(
  entry: { [K in keyof WorkloadEnvironment]: WorkloadEnvironment[K] | undefined },
): WorkloadEnvironment {
  return Object.fromEntries(
    Object.entries(entry).filter(([, value]) => value !== undefined),
  ) as WorkloadEnvironment // the required fields are present
}

function taken(environment: Environment, { id }: ConvertedScore): Error {
  return new Mismatch(
    'ModuleTaken',
    `a delta deployed the module '${id}' to '${environment.metadata.name}'; set 'adopt' to take it over, or remove it by a delta`,
  )
}

/** Shared dependencies that exist, or will exist, because of Workloads. */
function ownedShared(
  environment: Environment,
  content: ConvertedScore,
  known: WorkloadEnvironment | undefined,
  deployed: SetContent,
  store: Store,
): string[] {
  const owned = new Set(ownersIn(store, environment).flatMap(({ sharedIds }) => sharedIds))
  const wanted = Object.keys(content.shared).filter(
    (key) => !Object.hasOwn(deployed.shared, key) || owned.has(key),
  )
  // A former dependency is owned until a deployment removed it, so that it is removed.
  const former = (known?.sharedIds ?? []).filter((key) => Object.hasOwn(deployed.shared, key))
  return [...new Set([...wanted, ...former])].sort(compareText)
}

function conflictIn(
  environment: Environment,
  { id }: ConvertedScore,
  deployed: SetContent,
  store: Store,
): Error | undefined {
  const key = foldInto(store, environment, deployed).conflicts.get(id)
  if (key === undefined) return undefined
  const where = environment.metadata.name
  return new Mismatch(
    'SharedConflict',
    `another workload in '${where}' needs the shared resource '${key}' with another type, class or params`,
  )
}

/** The entry of an environment that the Workload left, until its module is gone from there. */
function remaining(
  environment: Environment,
  workload: Workload,
  known: WorkloadEnvironment,
  deployed: SetContent,
  { cluster }: Tools,
): WorkloadEnvironment | undefined {
  const { sharedIds = [] } = known
  const isDeployed =
    Object.hasOwn(deployed.modules, moduleIdOf(workload)) ||
    isAlone(sharedIds, workload, environment, deployed, cluster.store)
  return isDeployed || isFolding(environment, cluster.store) ? { ...known, state: 'pending' } : undefined
}

/** Whether a shared dependency is still deployed, and no other Workload owns it. */
function isAlone(
  sharedIds: readonly string[],
  workload: Workload,
  environment: Environment,
  deployed: SetContent,
  store: Store,
): boolean {
  const others = ownersIn(store, environment).filter(
    ({ workloadName }) => workloadName !== workload.metadata.name,
  )
  return sharedIds.some(
    (key) => Object.hasOwn(deployed.shared, key) && !others.some((each) => each.sharedIds.includes(key)),
  )
}

function throwOutcome(
  { spec, metadata }: Workload,
  present: readonly Environment[],
  found: readonly Found[],
  observed: Observed<typeof Workload>,
  store: Store,
): void {
  const problem =
    found.find((each) => each.problem instanceof Stalled && !(each.problem instanceof Mismatch))?.problem ??
    found.find((each) => each.problem)?.problem
  if (problem instanceof Mismatch) throw new Mismatch(problem.reason, problem.message, observed)
  if (problem instanceof Stalled) throw new Stalled(problem.reason, problem.message, observed)
  if (!store.get(Application, metadata.namespace, spec.applicationName))
    throw new ReferenceNotFound(
      'ApplicationNotFound',
      `waiting for the application '${spec.applicationName}'`,
      undefined,
      observed,
    )
  const names = new Set(present.map((each) => each.metadata.name))
  const missing = (spec.environmentIds ?? [])
    .map((each) => environmentObjectName(spec.applicationName, each))
    .find((name) => !names.has(name))
  if (missing !== undefined)
    throw new ReferenceNotFound(
      'EnvironmentNotFound',
      `waiting for the environment '${missing}'`,
      undefined,
      observed,
    )
  const entries = observed.environments ?? []
  const failed = entries.find(({ state }) => state === 'failed')
  if (failed)
    throw new Stalled(
      'DeploymentFailed',
      `the deployment '${failed.deploymentName}' failed: ${failed.message ?? ''}`,
      observed,
    )
  const pending = entries.find(({ state }) => state === 'pending')
  if (pending)
    throw new Waiting(
      'Progressing',
      `waiting for its deployment to '${pending.environmentId}'`,
      undefined,
      observed,
    )
}

/** Throws Waiting until no environment has the module any more. */
async function finalize(workload: Workload, { cluster, planning }: Tools): Promise<void> {
  for (const { environmentId } of workload.status?.environments ?? []) {
    const name = environmentObjectName(workload.spec.applicationName, environmentId)
    const environment = cluster.store.get(Environment, workload.metadata.namespace, name)
    if (!environment || environment.metadata.deletionTimestamp) continue
    const known = entryFor(workload, environmentId)
    const deployed = planning.deployedSet(environment) ?? emptySet
    if (known && remaining(environment, workload, known, deployed, { cluster, planning }))
      throw new Waiting('ModuleRemains', `waiting for a deployment that removes the module from '${name}'`)
  }
}
