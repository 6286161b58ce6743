import { ActiveResource } from '../../api/active-resource.ts'
import { isInUse } from '../../domain/resource/identity.ts'
import { environmentKeyOf, scoped } from '../../kube/cache/kinds-in-store.ts'
import type { Store } from '../../kube/cache/store.ts'
import { keyOf, namespacedName } from '../../kube/client/resource.ts'
import { isReady } from '../../kube/loop/outcome.ts'
import { dependenciesOf, dependentsOf } from './dependents.ts'
import type { SecretReader } from './secrets.ts'

/** A deployment, and the resources that it waits for although their specs are unchanged. */
interface Run {
  readonly uid: string
  /** Whether drivers are called although no input changed. */
  readonly isForced: boolean
  /** Marks by key. A reconcile removes the mark that it began with: a newer one asks for another reconcile. */
  readonly pending: Map<string, symbol>
  /** Reads the Secrets of all resources, for the first reconcile of each. */
  readonly secrets: SecretReader
  /** Keys of the resources whose reconcile has begun. */
  readonly visited: Set<string>
  /** A dependency that each of some resources was last seen to wait for: with many of them, a look at all is expensive. */
  readonly blockers: Map<string, Blocker>
}

interface Blocker {
  readonly dependsOn: readonly string[]
  readonly key: string
}

/** A reconcile of one resource while a deployment runs in its environment. */
export interface Pass {
  readonly resource: ActiveResource
  readonly run: Run
  readonly mark: symbol | undefined
  /** Reads Secrets once for all resources of the run; absent when the resource is not reconciled for the first time. */
  readonly secrets: SecretReader | undefined
}

/**
 * The resources that deployments reconcile although their specs are unchanged, dependencies first: all of them in mode
 * `full`; otherwise those whose inputs come from Secrets, and the dependents of those whose inputs changed. Kept in memory,
 * since a mark on each resource would cost two writes: after a restart, an unfinished deployment starts again with all
 * of its resources.
 */
export class Renewals {
  readonly #store: Store
  /** By key of the environment, in which one deployment runs at a time. */
  readonly #running = new Map<string, Run>()
  readonly #resourceHandlers: ((key: string) => void)[] = []
  readonly #endHandlers: ((environmentKey: string) => void)[] = []

  constructor(store: Store) {
    this.#store = store
    store.cacheOf(ActiveResource).subscribe(({ before, after }) => {
      // One that was unused before may be marked, because the run is about to use it again.
      const isDropped = before && isInUse(before) && after && !isInUse(after)
      if (before && (!after || isDropped)) this.#remove(before)
    })
  }

  /** Marks the resources, which `enqueue` reconciles. An earlier run in the environment ends. */
  start(
    environmentKey: string,
    run: Pick<Run, 'uid' | 'isForced' | 'secrets'>,
    resources: readonly ActiveResource[],
  ): void {
    const pending = new Map(resources.map((each) => [keyOf(each), Symbol()]))
    this.#running.set(environmentKey, { ...run, pending, visited: new Set(), blockers: new Map() })
  }

  /** Enqueues the marked resources that wait for no other one, and whose reconcile has not begun. */
  enqueue(environmentKey: string): void {
    const run = this.#running.get(environmentKey)
    for (const key of run?.pending.keys() ?? []) if (!run?.visited.has(key)) this.#enqueueIfFree(key)
  }

  /** Ends the run: its other resources are not reconciled. */
  end(environmentKey: string, uid: string): void {
    if (this.#running.get(environmentKey)?.uid === uid) this.#running.delete(environmentKey)
  }

  /**
   * Begins a reconcile, before it reads any input. Undefined without a run, and for a forced run while one of the
   * dependencies waits to be provisioned.
   */
  begin(resource: ActiveResource): Pass | undefined {
    const run = this.#running.get(environmentKeyOf(resource))
    if (!run || (run.isForced && this.#isBlocked(resource, run))) return undefined
    const key = keyOf(resource)
    const mark = run.pending.get(key)
    // Another attempt must see what a user corrected since.
    const isFirst = mark !== undefined && !run.visited.has(key)
    if (isFirst) run.visited.add(key)
    return { resource, run, mark, secrets: isFirst ? run.secrets : undefined }
  }

  /**
   * Marks a resource that is about to be provisioned: the deployment waits for it, and then for its dependents. One that
   * the deployment no longer uses, as the reconcile has not seen yet, is not marked.
   */
  provisioning(pass: Pass | undefined): Pass | undefined {
    if (!pass || pass.run.isForced || pass.run.pending.has(keyOf(pass.resource))) return pass
    const { namespace, name } = pass.resource.metadata
    const latest = this.#store.get(ActiveResource, namespace, name)
    if (!latest || latest.spec.unusedSince) return pass
    const mark = Symbol()
    pass.run.pending.set(keyOf(pass.resource), mark)
    pass.run.visited.add(keyOf(pass.resource))
    return { ...pass, mark }
  }

  /** Ends a reconcile after its status is written. When the inputs or outputs changed, marks the dependents. */
  complete({ resource, run, mark }: Pass, { isChanged }: { readonly isChanged: boolean }): void {
    if (this.#running.get(environmentKeyOf(resource)) !== run) return
    // A forced run has marked them from the beginning.
    if (isChanged && !run.isForced)
      for (const each of dependentsOf(resource, this.#store))
        if (mayHaveEarlierOutputs(each, resource)) run.pending.set(keyOf(each), Symbol())
    const isCurrent = mark !== undefined && run.pending.get(keyOf(resource)) === mark
    if (isCurrent && !this.#isBlocked(resource, run)) this.#remove(resource)
  }

  /** Whether a run has still to reconcile the resource. */
  isPending(resource: ActiveResource): boolean {
    return this.#running.get(environmentKeyOf(resource))?.pending.has(keyOf(resource)) ?? false
  }

  /** How many resources of the environment a run has still to reconcile. */
  pendingIn(environmentKey: string): number {
    return this.#running.get(environmentKey)?.pending.size ?? 0
  }

  /** Calls the handler with the key of each resource to reconcile. */
  onEnqueue(handler: (key: string) => void): void {
    this.#resourceHandlers.push(handler)
  }

  /** Calls the handler with the key of an environment when a run has reconciled its last resource. */
  onEnd(handler: (environmentKey: string) => void): void {
    this.#endHandlers.push(handler)
  }

  #remove(resource: ActiveResource): void {
    const environmentKey = environmentKeyOf(resource)
    const run = this.#running.get(environmentKey)
    if (!run?.pending.delete(keyOf(resource))) return
    for (const each of dependentsOf(resource, this.#store)) this.#enqueueIfFree(keyOf(each))
    if (run.pending.size === 0) for (const handler of this.#endHandlers) handler(environmentKey)
  }

  /** Whether a dependency of the resource is reconciled first. */
  #isBlocked(resource: ActiveResource, { pending, blockers }: Run): boolean {
    const { dependsOn = [] } = resource.spec
    const known = blockers.get(keyOf(resource))
    if (known && known.dependsOn === dependsOn && pending.has(known.key)) return true
    const name = dependenciesOf(resource, this.#store).find((each) => pending.has(scoped(resource, each)))
    if (name === undefined) blockers.delete(keyOf(resource))
    else blockers.set(keyOf(resource), { dependsOn, key: scoped(resource, name) })
    return name !== undefined
  }

  #enqueueIfFree(key: string): void {
    const resource = this.#store.get(ActiveResource, ...namespacedName(key))
    if (!resource || !this.isPending(resource)) return
    const run = this.#running.get(environmentKeyOf(resource))
    if (!run || this.#isBlocked(resource, run)) return
    for (const handler of this.#resourceHandlers) handler(key)
  }
}

/** Whether a dependent may have been provisioned with outputs from before. One that waits for its first ones has not. */
function mayHaveEarlierOutputs(dependent: ActiveResource, dependency: ActiveResource): boolean {
  return isInUse(dependent) && (dependency.status?.provisionTime !== undefined || isReady(dependent))
}
