import type { Environment } from '../../api/environment.ts'
import type { Workload, WorkloadEnvironment } from '../../api/workload.ts'
import { Mismatch, Stalled, Waiting } from '../../domain/base/errors.ts'
import { compareText, ownValue, sameJson } from '../../domain/base/json.ts'
import type { SetContent } from '../../domain/delta/delta.ts'
import { contextOf } from '../../domain/resource/identity.ts'
import { type ConvertedScore, sameShared } from '../../domain/score/convert-score.ts'
import { usersOfShared } from '../../domain/score/shared-users.ts'
import { moduleIdOf } from '../../domain/workload/content.ts'
import type { OwnedModule } from '../../domain/workload/fold-workloads.ts'
import { isTarget } from '../../domain/workload/targets.ts'
import type { Store } from '../../kube/cache/store.ts'
import { entryFor, workloadContent, workloadsBeside } from '../../planning/owners.ts'
import type { Planning } from '../../planning/planning.ts'
import { expanderFor, partsOfOthers } from '../../planning/workloads.ts'
import { waitForDeployment } from '../shared/unfinished-deployments.ts'
import type { RefusedDeployments } from './refused-deployments.ts'
import {
  deploymentOfOthers,
  isFolding,
  progressOf,
  type ResourcesById,
  resourcesOf,
} from './workload-status.ts'

const missingSetRetrySeconds = 5

/** What the controller of Workloads depends on. */
export interface WorkloadTools {
  readonly store: Store
  readonly planning: Planning
  readonly refusals: Pick<RefusedDeployments, 'get' | 'subscribe'>
  /** Milliseconds since 1970 by the clock of the API server, which sets the times of deletion. */
  readonly serverNow: () => number
}

/** What it takes to find what a Workload has. */
export interface FindTools extends WorkloadTools {
  /** The resources of an environment, by its key. */
  readonly resourcesIn: (environmentKey: string) => ResourcesById
}

/** What a Workload has in one environment. */
export interface Found {
  /** The entry of the status; absent where the Workload owns nothing. */
  readonly entry?: WorkloadEnvironment | undefined
  readonly problem?: Error
}

/** What a Workload has in an environment: what the status says next, and why it is not ready. */
export function findIn(environment: Environment, workload: Workload, tools: FindTools): Found {
  const { environmentId } = contextOf(environment)
  const known = entryFor(workload, environmentId)
  const isWanted = isTarget(workload, environment)
  if (!isWanted && !known) return {}
  const deployed = tools.planning.deployedSet(environment)
  if (!deployed) return { entry: known, problem: setMissing(environment) }
  if (!isWanted) return { entry: known && remaining(environment, workload, known, deployed, tools) }
  const said = workloadContent(workload, environmentId)
  if ('problem' in said) return { entry: known, problem: new Stalled('InvalidWorkload', said.problem) }
  const { content, hash } = said
  const other = known?.contentHash === hash ? undefined : deploymentOfOthers(environment, tools.store)
  // What it brings belongs to its client, and is not in the deployed set yet.
  if (other)
    return { entry: known && { ...known, state: 'pending' }, problem: waitForDeployment(other.metadata.name) }
  if (
    !known &&
    !workload.spec.adopt &&
    partsOfOthers(tools.store, environment, deployed).hasModule(content.id, content.module)
  )
    return { problem: taken(environment, content) }
  return recordOf(environment, said, known, deployed, tools)
}

/** What the status says next of the content of a Workload. */
function recordOf(
  environment: Environment,
  { content, hash }: { readonly content: ConvertedScore; readonly hash: string },
  known: WorkloadEnvironment | undefined,
  deployed: SetContent,
  tools: FindTools,
): Found {
  const sharedIds = ownedShared(environment, content, known, deployed, tools)
  const entry = {
    environmentId: contextOf(environment).environmentId,
    state: 'pending' as const,
    ...known,
    contentHash: hash,
    sharedIds: sharedIds.length > 0 ? sharedIds : undefined,
  }
  const isSameContent = known?.contentHash === hash
  const progress = progressOf(environment, content, entry, isSameContent, tools)
  const { message, resources, url, ...rest } = entry
  const shown =
    progress.state === 'pending' ? { resources, url } : resourcesOf(environment, content, tools.resourcesIn)
  const result = withoutUndefined({ ...rest, deploymentName: undefined, ...progress, ...shown })
  const problem = isSameContent ? conflictIn(environment, content, deployed, tools) : undefined
  return { entry: result, ...(problem ? { problem } : {}) }
}

function withoutUndefined(
  entry: { [K in keyof WorkloadEnvironment]: WorkloadEnvironment[K] | undefined },
): WorkloadEnvironment {
  return Object.fromEntries(
    Object.entries(entry).filter(([, value]) => value !== undefined),
  ) as WorkloadEnvironment // the required fields are present
}

/** The operator restores a deleted set. Until then it is not known what is deployed. */
export function setMissing({ metadata, status }: Environment): Waiting {
  const name = status?.lastPlanned?.setName
  const message = `waiting for the set '${name}', which is deployed to '${metadata.name}'`
  return new Waiting('SetNotFound', message, missingSetRetrySeconds)
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
  tools: WorkloadTools,
): string[] {
  if (Object.keys(content.shared).length === 0 && !known?.sharedIds?.length) return []
  const { store, planning } = tools
  const owners = planning.ownersIn(environment)
  const owned = new Set(owners.flatMap(({ sharedIds }) => sharedIds))
  const others = partsOfOthers(store, environment, deployed)
  const isUnrecorded = !known && isDeployed(content, deployed)
  const brought = isUnrecorded ? broughtShared(environment, content, deployed, owners, tools) : []
  const isOwn = (key: string) => !others.hasShared(key) || owned.has(key) || brought.includes(key)
  const wanted = Object.keys(content.shared).filter(isOwn)
  // A former dependency is owned until a deployment removed it, so that it is removed. One that runs may bring it still.
  const isOwned = (key: string) => Object.hasOwn(deployed.shared, key) || isFolding(environment, store)
  const former = (known?.sharedIds ?? []).filter(isOwned)
  return [...new Set([...wanted, ...former])].sort(compareText)
}

/**
 * The shared dependencies of a Workload that is deployed, and not recorded, which only modules of Workloads read. One of the
 * Workloads that are deployed must say the same of it: params that none of them says are of a delta.
 */
function broughtShared(
  environment: Environment,
  { shared }: ConvertedScore,
  deployed: SetContent,
  owners: readonly OwnedModule[],
  { store, planning }: WorkloadTools,
): string[] {
  const said = deployedContents(environment, deployed, store)
  const ids = new Set([...said, ...owners].map(({ id }) => id))
  const users = usersOfShared(deployed, (id) => !ids.has(id))
  const expandType = expanderFor(environment, planning)
  const isSaid = (key: string) =>
    said.some((each) => sameShared(ownValue(each.shared, key), ownValue(deployed.shared, key), expandType))
  return Object.keys(shared).filter((key) => isSaid(key) && !users.has(key))
}

/** What the Workloads of an environment say whose modules are deployed as they say. */
function deployedContents(environment: Environment, deployed: SetContent, store: Store): ConvertedScore[] {
  return workloadsBeside(store, environment).flatMap((workload) => {
    if (workload.metadata.deletionTimestamp || !isTarget(workload, environment)) return []
    const said = workloadContent(workload, contextOf(environment).environmentId)
    if ('problem' in said) return []
    return isDeployed(said.content, deployed) ? [said.content] : []
  })
}

function isDeployed({ id, module }: ConvertedScore, { modules }: SetContent): boolean {
  return sameJson(ownValue(modules, id), module)
}

function conflictIn(
  environment: Environment,
  { id, shared }: ConvertedScore,
  deployed: SetContent,
  { planning }: WorkloadTools,
): Error | undefined {
  if (Object.keys(shared).length === 0) return undefined
  const key = planning.foldInto(environment, deployed).conflicts.get(id)
  if (key === undefined) return undefined
  const where = environment.metadata.name
  return new Mismatch(
    'SharedConflict',
    `another workload or a delta in '${where}' has the shared resource '${key}' with another type, class or params`,
  )
}

/** The entry of an environment that the Workload left, until its module is gone from there. */
export function remaining(
  environment: Environment,
  workload: Workload,
  known: WorkloadEnvironment,
  deployed: SetContent,
  { store, planning }: WorkloadTools,
): WorkloadEnvironment | undefined {
  const { sharedIds = [] } = known
  const isDeployed =
    Object.hasOwn(deployed.modules, moduleIdOf(workload)) ||
    isAlone(sharedIds, workload, environment, deployed, planning)
  return isDeployed || isFolding(environment, store) ? { ...known, state: 'pending' } : undefined
}

/** Whether a shared dependency is still deployed, and no other Workload owns it. */
function isAlone(
  sharedIds: readonly string[],
  workload: Workload,
  environment: Environment,
  deployed: SetContent,
  planning: Planning,
): boolean {
  const others = planning
    .ownersIn(environment)
    .filter(({ workloadName }) => workloadName !== workload.metadata.name)
  return sharedIds.some(
    (key) => Object.hasOwn(deployed.shared, key) && !others.some((each) => each.sharedIds.includes(key)),
  )
}
