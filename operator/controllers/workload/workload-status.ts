import { ActiveResource } from '../../api/active-resource.ts'
import { DeploymentSet } from '../../api/deployment-set.ts'
import type { Environment } from '../../api/environment.ts'
import { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { mostListed, type WorkloadEnvironment, type WorkloadResource } from '../../api/workload.ts'
import { compareText, isObject } from '../../domain/base/json.ts'
import { truncate } from '../../domain/base/size-limits.ts'
import type { SetContent } from '../../domain/delta/delta.ts'
import {
  byAge,
  type DeploymentState,
  isFinished,
  stateOfDeployment,
} from '../../domain/deployment/deployment.ts'
import { lastToRun } from '../../domain/deployment/deployment-order.ts'
import { moduleRoots } from '../../domain/placeholder/link.ts'
import { findPlaceholders } from '../../domain/placeholder/placeholder.ts'
import { formatDescriptor, splitTypeAndClass } from '../../domain/resource/descriptor.ts'
import {
  isInUse,
  privateResourceId,
  sharedResourceId,
  workloadResourceId,
} from '../../domain/resource/identity.ts'
import type { ConvertedScore } from '../../domain/score/convert-score.ts'
import { holdsContent } from '../../domain/workload/content.ts'
import { environmentKeyOf } from '../../kube/cache/kinds-in-store.ts'
import type { Store } from '../../kube/cache/store.ts'
import { keyOf } from '../../kube/client/resource.ts'
import { conditionOf, stateOf } from '../../kube/loop/outcome.ts'
import { createMemo } from '../../planning/memo.ts'
import type { Planning } from '../../planning/planning.ts'
import { expanderFor } from '../../planning/workloads.ts'
import { unfinishedIn } from '../shared/unfinished-deployments.ts'

const maxMessage = 2000
const mostEnvironmentsKept = 64

type Progress = Pick<WorkloadEnvironment, 'state' | 'deploymentName' | 'message'>

/** How far the content of a Workload is in an environment. `entry` is what the status says so far. */
export function progressOf(
  environment: Environment,
  content: ConvertedScore,
  entry: WorkloadEnvironment,
  isSameContent: boolean,
  tools: { readonly store: Store; readonly planning: Planning },
): Progress {
  const { store, planning } = tools
  const deployed = planning.deployedSet(environment)
  const isExclusive = exclusiveShared(environment, content, entry, planning)
  const expandType = expanderFor(environment, planning)
  const isHeldBy = (set: SetContent) => holdsContent(set, content, isExclusive, expandType)
  if (deployed && isHeldBy(deployed)) {
    const { state, deploymentName } = entry
    // Later deployments of the same content change nothing.
    if (isSameContent && state === 'succeeded') return { state, deploymentName }
    const deployment = lastPlannedOf(environment, store)
    return deployment ? progressWith(deployment) : progressOfDeleted(environment, entry)
  }
  const newest = newestOf(environment, store)
  if (!newest || !isFinished(newest)) return { state: 'pending' }
  const set = store.get(DeploymentSet, environment.metadata.namespace, newest.status?.setName ?? '')
  const isOfContent = set
    ? isHeldBy(set.spec)
    : isSameContent && wasFor(newest, environment, deployed, planning)
  // A failed deployment of other content means nothing for this one.
  return isOfContent ? progressWith(newest) : { state: 'pending' }
}

function lastPlannedOf({ metadata, status }: Environment, store: Store): EnvironmentDeployment | undefined {
  return store.get(EnvironmentDeployment, metadata.namespace, status?.lastPlanned?.deploymentName ?? '')
}

/** The newest deployment of the Workloads of an environment. */
function newestOf(environment: Environment, store: Store): EnvironmentDeployment | undefined {
  return store
    .byIndex(EnvironmentDeployment, 'environment', keyOf(environment))
    .filter(({ spec }) => spec.workloads !== undefined)
    .sort(byAge)
    .at(-1)
}

/** Whether a deployment was for what the Workloads say now. One that failed before it had a set names that by its hash. */
function wasFor(
  { spec }: EnvironmentDeployment,
  environment: Environment,
  deployed: SetContent | undefined,
  planning: Planning,
): boolean {
  return deployed !== undefined && spec.workloads === planning.foldInto(environment, deployed).id()
}

function progressWith(deployment: EnvironmentDeployment): Progress {
  const deploymentName = deployment.metadata.name
  const state = stateOfDeployment(deployment)
  if (state !== 'failed') return { state: state === 'succeeded' ? state : 'pending', deploymentName }
  const message = truncate(conditionOf(deployment, 'Stalled')?.message ?? '', maxMessage)
  return { state, deploymentName, message }
}

const interrupted = 'it was deleted before it ended'
const failuresOfDeleted: { readonly [State in DeploymentState]?: string } = {
  failed: 'it is deleted',
  'in progress': interrupted,
  pending: interrupted,
}

/** The state of content whose deployment is deleted, by the history of the environment. */
function progressOfDeleted({ status }: Environment, entry: WorkloadEnvironment): Progress {
  const { deploymentName = '', hash } = status?.lastPlanned ?? {}
  const past = status?.pastDeployments?.find((each) => each.hash === hash)
  const isKnown = entry.deploymentName === deploymentName
  // The cache of environments may be behind that of deployments.
  if (!past && isKnown) return entry
  const failure = past && failuresOfDeleted[past.state]
  if (failure === undefined) return { state: 'succeeded', deploymentName }
  return { state: 'failed', deploymentName, message: (isKnown && entry.message) || failure }
}

/** Finds the shared dependencies that a Workload owns and no other Workload of the environment needs. */
function exclusiveShared(
  environment: Environment,
  { id }: ConvertedScore,
  { sharedIds = [] }: WorkloadEnvironment,
  planning: Planning,
): (key: string) => boolean {
  if (sharedIds.length === 0) return () => false
  const others = planning.ownersIn(environment).filter((each) => each.id !== id)
  const isNeeded = (key: string) =>
    others.some(({ content, sharedIds: owned }) =>
      typeof content === 'object'
        ? Object.hasOwn(content.shared, key)
        : content === 'keep' && owned.includes(key),
    )
  return (key) => sharedIds.includes(key) && !isNeeded(key)
}

/** The resources of an environment by resource ID. */
export type ResourcesById = ReadonlyMap<string, readonly ActiveResource[]>

/** Returns the resources of an environment by its key: all its Workloads look for theirs when a deployment ends. */
export function createResourcesById(store: Store): (environmentKey: string) => ResourcesById {
  return createMemo(
    store.cacheOf(ActiveResource),
    { keysOf: (each) => [environmentKeyOf(each)], isSame: () => false, most: mostEnvironmentsKept },
    (key) => Map.groupBy(store.byIndex(ActiveResource, 'environment', key), ({ spec }) => spec.resourceId),
  )
}

/** The resources of a Workload in an environment, with the outputs that its placeholders read, and its address. */
export function resourcesOf(
  environment: Environment,
  content: ConvertedScore,
  resourcesIn: (environmentKey: string) => ResourcesById,
): Pick<WorkloadEnvironment, 'resources' | 'url'> {
  const wanted = outputsRead(content)
  const known = resourcesIn(keyOf(environment))
  const ids = new Set([...wanted.keys()].map((key) => key.split(' ')[0] ?? ''))
  const resources: WorkloadResource[] = []
  let url: string | undefined
  for (const each of [...ids].flatMap((id) => known.get(id) ?? [])) {
    const { resourceId, class: resourceClass, type } = each.spec
    const outputs = wanted.get(`${resourceId} ${resourceClass}`) ?? wanted.get(resourceId)
    if (!outputs || !isInUse(each)) continue
    const object = formatDescriptor(each.spec)
    const state = stateOf(each)
    resources.push({
      object,
      state,
      ...(outputs.size > 0 ? { outputs: [...outputs].sort(compareText).slice(0, mostListed) } : {}),
    })
    if (type === 'dns' || type.endsWith('/dns')) url ??= addressOf(each)
  }
  resources.sort((left, right) => compareText(left.object, right.object))
  return { resources: resources.slice(0, mostListed), url }
}

/** An output is in the status of a resource only if it is not secret. */
function addressOf({ status }: ActiveResource): string | undefined {
  const { host, tls_secret_name: tls } = status?.outputs ?? {}
  if (typeof host !== 'string' || host === '') return undefined
  return truncate(`${tls ? 'https' : 'http'}://${host}`, 1000)
}

/** Outputs that placeholders of the module read, by resource ID, of shared dependencies by resource ID and class. */
function outputsRead({ id, module, shared }: ConvertedScore): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>([[workloadResourceId(id), new Set()]])
  const externals = isObject(module['externals']) ? module['externals'] : {}
  const keys = new Map<string, string>()
  for (const name of Object.keys(externals)) keys.set(`externals ${name}`, privateResourceId(id, name))
  for (const [key, entry] of Object.entries(shared)) keys.set(`shared ${key}`, sharedKeyOf(key, entry))
  for (const key of keys.values()) found.set(key, new Set())
  for (const { path } of findPlaceholders(module, { keys: true, roots: moduleRoots })) {
    const [root, name, output] = path
    const key = keys.get(`${root} ${name}`)
    if (key !== undefined && output !== undefined) found.get(key)?.add(truncate(output, 253))
  }
  return found
}

function sharedKeyOf(
  key: string,
  { id, type, class: resourceClass }: Readonly<Record<string, unknown>>,
): string {
  const resourceId = typeof id === 'string' ? id : sharedResourceId(key)
  const given = resourceClass ?? splitTypeAndClass(String(type)).class ?? 'default'
  return `${resourceId} ${String(given)}`
}

/** Whether a deployment that folds Workloads in runs in the environment. */
export function isFolding(environment: Environment, store: Store): boolean {
  return unfinishedIn(keyOf(environment), store).some(({ spec }) => spec.workloads !== undefined)
}

/** The last of the deployments that run or wait in the environment and do not fold Workloads in. */
export function deploymentOfOthers(
  environment: Environment,
  store: Store,
): EnvironmentDeployment | undefined {
  const unfinished = unfinishedIn(keyOf(environment), store)
  return lastToRun(unfinished.filter(({ spec }) => spec.workloads === undefined))
}

/** Whether a deployment runs in the environment of a resource. */
export function isDeploying(resource: ActiveResource, store: Store): boolean {
  return store
    .byIndex(EnvironmentDeployment, 'environment', environmentKeyOf(resource))
    .some((each) => !isFinished(each))
}
