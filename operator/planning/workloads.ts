import type { Environment } from '../api/environment.ts'
import type { FreeForm } from '../api/schema.ts'
import type { Workload, WorkloadEnvironment } from '../api/workload.ts'
import { ownValue, sameJson } from '../domain/base/json.ts'
import type { SetContent } from '../domain/delta/delta.ts'
import { emptySet } from '../domain/delta/delta.ts'
import { contextOf, environmentObjectName } from '../domain/resource/identity.ts'
import { moduleIdOf } from '../domain/workload/content.ts'
import { type Owner, problemsOfOwners } from '../domain/workload/ownership.ts'
import { isTarget } from '../domain/workload/targets.ts'
import type { Store } from '../kube/cache/store.ts'
import { startOf } from './environment-start.ts'
import { entryFor, workloadContent, workloadsBeside } from './owners.ts'
import type { Planning } from './planning.ts'

/** Where objects are, and how names of types are read. */
interface Tools {
  readonly store: Store
  readonly planning: Pick<Planning, 'expandType' | 'ownersIn'>
}

/** Expands types as the organization of an environment names them. */
export function expanderFor({ metadata }: Environment, planning: Pick<Planning, 'expandType'>) {
  return (type: string) => planning.expandType(metadata.namespace, type)
}

/** Modules and shared dependencies that no Workload brought. */
export interface PartsOfOthers {
  /** Whether it has a module of this id, other than `same`: a Workload owns a module that is all that it says. */
  hasModule(id: string, same?: FreeForm): boolean
  hasShared(key: string): boolean
}

/**
 * What no Workload brought to an environment, of the deployed set or, before the first deployment, of the set that the
 * environment starts with. An unchanged part of that set belongs to a Workload that owns it where the set comes from.
 */
export function partsOfOthers(store: Store, environment: Environment, deployed: SetContent): PartsOfOthers {
  const start = startOf(store, environment)
  const current = start && !environment.status?.lastPlanned ? start.set : deployed
  const isStart = <K extends keyof SetContent>(part: K, key: string) =>
    sameJson(ownValue(current[part], key), start && ownValue(start.set[part], key))
  const isSource = ({ environmentId }: WorkloadEnvironment) =>
    environmentObjectName(environment.spec.applicationName, environmentId) === start?.environmentName
  // A later Workload owns no part of the start: what it has at the source now is not what the environment was given.
  const isLater = ({ metadata }: Workload) =>
    metadata.creationTimestamp > environment.metadata.creationTimestamp
  const isOwned = (isOf: (workload: Workload, entry: WorkloadEnvironment) => boolean) =>
    workloadsBeside(store, environment).some((each) => {
      const entry = isLater(each) ? undefined : each.status?.environments?.find(isSource)
      return entry !== undefined && isOf(each, entry)
    })
  return {
    hasModule: (id, same) =>
      Object.hasOwn(current.modules, id) &&
      !(same && sameJson(current.modules[id], same)) &&
      !(isStart('modules', id) && isOwned((each) => moduleIdOf(each) === id)),
    hasShared: (key) =>
      Object.hasOwn(current.shared, key) &&
      !(isStart('shared', key) && isOwned((_, { sharedIds = [] }) => sharedIds.includes(key))),
  }
}

/** Why a deployment to the environment must not have this set: it changes what Workloads own. */
export function ownershipProblems(
  { store, planning }: Tools,
  environment: Environment,
  deployed: SetContent | undefined,
  next: SetContent,
): { readonly workload: string; readonly message: string }[] {
  const base = deployed ?? emptySet
  // The first delta is applied to the set that the environment starts with.
  const start = environment.status?.lastPlanned ? undefined : startOf(store, environment)
  const others = partsOfOthers(store, environment, base)
  const { environmentId } = contextOf(environment)
  const owners = planning.ownersIn(environment)
  // The name of a new Workload is taken before it is deployed, unless a delta deployed a module of that name.
  const newcomers = workloadsBeside(store, environment).flatMap((workload): Owner[] => {
    const id = moduleIdOf(workload)
    const isNew =
      !entryFor(workload, environmentId) && isTarget(workload, environment) && !others.hasModule(id)
    if (!isNew || workload.metadata.deletionTimestamp) return []
    const said = workloadContent(workload, environmentId)
    const content = 'problem' in said ? 'keep' : said.content
    return [{ id, workloadName: workload.metadata.name, content, sharedIds: [] }]
  })
  const bases = start ? [base, start.set] : [base]
  return problemsOfOwners(bases, next, [...owners, ...newcomers], expanderFor(environment, planning))
}
