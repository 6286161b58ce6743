import type { Environment } from '../api/environment.ts'
import { Workload, type WorkloadEnvironment } from '../api/workload.ts'
import { Problem } from '../domain/base/errors.ts'
import { sameJson } from '../domain/base/json.ts'
import { type SetContent, setId } from '../domain/delta/delta.ts'
import { contextOf } from '../domain/resource/identity.ts'
import type { ConvertedScore } from '../domain/score/convert-score.ts'
import { contentOf, hashOfContent, moduleIdOf } from '../domain/workload/content.ts'
import { type Folded, foldWorkloads } from '../domain/workload/fold-workloads.ts'
import type { Owner } from '../domain/workload/ownership.ts'
import { isTarget } from '../domain/workload/targets.ts'
import { scoped } from '../kube/cache/kinds-in-store.ts'
import type { Store } from '../kube/cache/store.ts'
import { createMemo, isSameSpec } from './memo.ts'

/** What a Workload says for an environment, and its hash; or what is wrong with its document. */
export type WorkloadContent =
  | { readonly content: ConvertedScore; readonly hash: string }
  | { readonly problem: string }

/** Converted documents: an object of the cache never changes. */
const converted = new WeakMap<object, Map<string, WorkloadContent>>()

/** What a Workload says for an environment. */
export function workloadContent(workload: Workload, environmentId: string): WorkloadContent {
  const known = converted.get(workload.spec) ?? new Map<string, WorkloadContent>()
  converted.set(workload.spec, known)
  const result = known.get(environmentId) ?? convert(workload, environmentId)
  known.set(environmentId, result)
  return result
}

function convert(workload: Workload, environmentId: string): WorkloadContent {
  try {
    const content = contentOf(workload, environmentId)
    return { content, hash: hashOfContent(content) }
  } catch (error) {
    if (error instanceof Problem) return { problem: error.message }
    throw error
  }
}

/** The entry of an environment in the status of a Workload: the Workload owns its module there. */
export function entryFor({ status }: Pick<Workload, 'status'>, environmentId: string) {
  return status?.environments?.find((each) => each.environmentId === environmentId)
}

/** Whether two statuses record the same content; what differs otherwise can be written later. */
export function sameRecords(
  before: readonly WorkloadEnvironment[],
  after: readonly WorkloadEnvironment[],
): boolean {
  const recordOf = ({ environmentId, contentHash, sharedIds }: WorkloadEnvironment) => ({
    environmentId,
    contentHash,
    sharedIds,
  })
  return sameJson(before.map(recordOf), after.map(recordOf))
}

/** The Workloads of the application of an environment. */
export function workloadsBeside(store: Store, environment: Environment): readonly Workload[] {
  return store.byIndex(Workload, 'application', scoped(environment, environment.spec.applicationName))
}

/** The Workloads that own a module in an environment, and what they say. */
export function ownersIn(store: Store, environment: Environment): Owner[] {
  const { environmentId } = contextOf(environment)
  return workloadsBeside(store, environment).flatMap((workload): Owner[] => {
    const entry = entryFor(workload, environmentId)
    if (!entry) return []
    const owner = {
      id: moduleIdOf(workload),
      workloadName: workload.metadata.name,
      sharedIds: entry.sharedIds ?? [],
    }
    if (workload.metadata.deletionTimestamp || !isTarget(workload, environment))
      return [{ ...owner, content: 'remove' }]
    const said = workloadContent(workload, environmentId)
    // What the status does not record yet would be left behind after a crash.
    if ('problem' in said || said.hash !== entry.contentHash) return [{ ...owner, content: 'keep' }]
    return [{ ...owner, content: said.content }]
  })
}

/** A folded set, with its id, which is made when it is asked for. */
export interface FoldedSet extends Folded {
  id(): string
}

/** Owners of modules, kept while nothing changes: a thousand Workloads of an environment ask for the same. */
export interface Owners {
  /** The Workloads that own a module in an environment, and what they say. */
  ownersIn(environment: Environment): readonly Owner[]
  /** The set with the Workloads of the environment folded into it. */
  foldInto(environment: Environment, base: SetContent): FoldedSet
}

/** How types are read; `versionOf` changes when another type could be meant. */
interface TypeRules {
  expandType(organization: string, type: string): string
  versionOf(organization: string): readonly unknown[]
}

interface KnownFold {
  readonly base: SetContent
  readonly version: readonly unknown[]
  readonly folded: FoldedSet
}

/** Creates the owners of a process. */
export function createOwners(store: Store, { expandType, versionOf }: TypeRules): Owners {
  const ofApplication = createMemo(
    store.cacheOf(Workload),
    { keysOf: (each) => [scoped(each, each.spec.applicationName)], isSame: isAlike, most: 1000 },
    () => new WeakMap<Environment, readonly Owner[]>(),
  )
  const folds = new WeakMap<readonly Owner[], KnownFold>()

  function ownersOf(environment: Environment): readonly Owner[] {
    const known = ofApplication(scoped(environment, environment.spec.applicationName))
    const owners = known.get(environment) ?? ownersIn(store, environment)
    known.set(environment, owners)
    return owners
  }

  return {
    ownersIn: ownersOf,
    foldInto(environment, base) {
      const { namespace } = environment.metadata
      const owners = ownersOf(environment)
      const version = versionOf(namespace)
      const known = folds.get(owners)
      const isCurrent = known?.base === base && version.every((each, index) => each === known.version[index])
      if (known && isCurrent) return known.folded
      const folded = withId(foldWorkloads(base, owners, (type) => expandType(namespace, type)))
      folds.set(owners, { base, version, folded })
      return folded
    },
  }
}

function withId(folded: Folded): FoldedSet {
  let known: string | undefined
  return {
    ...folded,
    id() {
      known ??= setId(folded.set)
      return known
    },
  }
}

/** Whether two versions of a Workload say the same and own the same. */
function isAlike(before: Workload, after: Workload): boolean {
  return (
    isSameSpec(before, after) &&
    sameRecords(before.status?.environments ?? [], after.status?.environments ?? [])
  )
}
