import { ActiveResource } from '../../api/active-resource.ts'
import { Environment } from '../../api/environment.ts'
import { ReconcileError, Stalled } from '../../domain/base/errors.ts'
import { withDependents } from '../../domain/resource/removal.ts'
import { environmentKeyOf } from '../../kube/cache/kinds-in-store.ts'
import type { Store } from '../../kube/cache/store.ts'
import { hasFinalizer, keyOf } from '../../kube/client/resource.ts'
import { nextTurn } from '../../kube/loop/pace.ts'
import type { ObjectReference } from '../../kube/objects/objects.ts'
import { isDeletedWith, isWatchable, type ObjectKind, textOfKind } from '../objects/applied-object.ts'
import type { Inventory } from '../objects/inventory.ts'
import { isTerminating } from '../organization/organization-queue.ts'
import { dependenciesOf } from '../shared/dependents.ts'
import { recordedInstances } from './instances/recorded-instances.ts'
import type { OrganizationDrivers } from './organization-drivers.ts'

/**
 * How a resource is removed: `alone`, with each of its objects, after its dependents; `together` with the namespace of its
 * terminating environment, which the cluster deletes with all objects in it; `later`, when the environment decides, or while others
 * are removed alone.
 */
export type Removal = 'alone' | 'together' | 'later'

/** How long others wait for the resources that are removed alone, before they are removed alone too. */
const mostTogetherMs = 30_000

/** Resources to look at before other work of the process gets a turn. */
const mostPerTurn = 500

interface Decision {
  readonly environmentUid: string | undefined
  /** UIDs of the resources that the decision is about: a late request can create one of the same name. */
  readonly uids: ReadonlySet<string>
  /** Whether the API server had no other ones, and no deployment could add one. */
  readonly sawAll: () => boolean
  /** Names of those that are removed alone and still exist. */
  readonly alone: Set<string>
  /** Which of the others are removed now; none while resources are left that are removed alone. */
  due: 'none' | 'without hosts' | 'all'
  /** When the resources that are removed alone hold up the others no longer, by the clock of `performance`. */
  readonly separateAt: number
  /** The kinds of the objects that are deleted with the namespace, except Secrets. */
  readonly kinds: readonly ObjectKind[]
  /** Whether the namespace was gone after the last resource. */
  isFinished: boolean
}

interface Tools {
  readonly store: Store
  readonly drivers: Pick<OrganizationDrivers, 'find' | 'forInstance'>
  readonly inventory: Pick<Inventory, 'objectsOf'>
  /** 30 seconds by default. */
  readonly mostTogetherMs?: number
}

/** Whether the resource reserves hosts. */
export function hasHosts({ status }: ActiveResource): boolean {
  return (status?.reservedHosts?.length ?? 0) > 0
}

/** Decides how the resources of terminating environments are removed. A new process decides again. */
export class Removals {
  readonly #tools: Tools
  readonly #decisions = new Map<string, Decision>()
  readonly #resourceHandlers: ((keys: readonly string[]) => void)[] = []
  readonly #environmentHandlers: ((key: string) => void)[] = []

  constructor(tools: Tools) {
    this.#tools = tools
    tools.store.cacheOf(ActiveResource).subscribe(({ before, after }) => {
      if (!before || after) return
      const key = environmentKeyOf(before)
      const decision = this.#decisions.get(key)
      if (decision?.alone.delete(before.metadata.name) && decision.alone.size === 0)
        for (const handler of this.#environmentHandlers) handler(key)
    })
    tools.store.cacheOf(Environment).subscribe(({ before, after }) => {
      if (!before || after) return
      this.#decisions.delete(keyOf(before))
      this.#enqueue(tools.store.byIndex(ActiveResource, 'environment', keyOf(before)))
    })
  }

  of(resource: ActiveResource): Removal {
    const { metadata } = resource
    const environment = this.#terminatingOf(resource)
    if (!environment) return 'alone'
    const decision = this.#decisionOf(environment)
    if (!decision?.uids.has(metadata.uid)) return 'later'
    if (decision.alone.has(metadata.name)) return 'alone'
    const isDue = decision.due === 'all' || (decision.due === 'without hosts' && !hasHosts(resource))
    return isDue ? 'together' : 'later'
  }

  /** Whether all resources of the environment are removed: with it, or with the namespace of the organization. */
  isWithEnvironment(resource: ActiveResource): boolean {
    const { store } = this.#tools
    return isTerminating(store, resource.metadata.namespace) || this.#terminatingOf(resource) !== undefined
  }

  /** Whether all of these resources are decided about. */
  isDecided(environment: Environment, resources: readonly ActiveResource[]): boolean {
    const decision = this.#decisionOf(environment)
    return decision !== undefined && resources.every(({ metadata }) => decision.uids.has(metadata.uid))
  }

  /** Whether all of these resources are removed together, unless one of them changes before they are deleted. */
  async areWithin(resources: readonly ActiveResource[], namespace: string): Promise<boolean> {
    for (const [index, each] of resources.entries()) {
      if (!(await this.#objectsWithin(each, namespace))) return false
      if (index % mostPerTurn === mostPerTurn - 1) await nextTurn()
    }
    return true
  }

  /**
   * Decides about the remaining resources. A resource is removed alone when a driver keeps something outside the cluster for
   * it, when it has objects elsewhere than in `namespace`, when the operator cannot find its objects, or when it depends on such
   * a resource, which must outlive it.
   * `sawAll` says later whether the API server had no other resources, and no deployment could add one.
   */
  async decide(
    environment: Environment,
    resources: readonly ActiveResource[],
    { namespace, sawAll }: { readonly namespace: string | undefined; readonly sawAll: () => boolean },
  ): Promise<void> {
    const outside = new Set<string>()
    const kinds = new Map<string, ObjectKind>()
    for (const [index, each] of resources.entries()) {
      const within = await this.#objectsWithin(each, namespace)
      if (!within) outside.add(each.metadata.name)
      for (const { apiVersion, kind } of within?.filter(isWatchable) ?? [])
        kinds.set(textOfKind({ apiVersion, kind }), { apiVersion, kind })
      if (index % mostPerTurn === mostPerTurn - 1) await nextTurn()
    }
    const { store } = this.#tools
    // Resources may end in the meantime, and are not reported again.
    const isThere = ({ metadata }: ActiveResource) =>
      store.get(ActiveResource, metadata.namespace, metadata.name)?.metadata.uid === metadata.uid
    const present = resources.filter(isThere)
    const alone = present.map(({ metadata }) => metadata.name).filter((name) => outside.has(name))
    const remaining = present.map((each) => ({
      name: each.metadata.name,
      dependsOn: dependenciesOf(each, store),
    }))
    const decision: Decision = {
      environmentUid: environment.metadata.uid,
      uids: new Set(present.map(({ metadata }) => metadata.uid)),
      sawAll,
      alone: withDependents(alone, remaining),
      due: 'none',
      separateAt: performance.now() + (this.#tools.mostTogetherMs ?? mostTogetherMs),
      kinds: [...kinds.values()],
      isFinished: false,
    }
    this.#decisions.set(keyOf(environment), decision)
    this.#enqueue(resources.filter(({ metadata }) => decision.alone.has(metadata.name)))
  }

  /** Whether the decision was about every resource of the environment. */
  sawAll(environment: Environment): boolean {
    return this.#decisionOf(environment)?.sawAll() ?? false
  }

  /** Remembers that nothing is left. */
  finish(environment: Environment): void {
    const decision = this.#decisionOf(environment)
    if (decision) decision.isFinished = true
  }

  /** Whether nothing was left, and no resource has come since. */
  isFinished(environment: Environment, resources: readonly ActiveResource[]): boolean {
    return resources.length === 0 && (this.#decisionOf(environment)?.isFinished ?? false)
  }

  /** Whether resources remain that are removed alone. */
  hasAlone(environment: Environment): boolean {
    return (this.#decisionOf(environment)?.alone.size ?? 0) > 0
  }

  /**
   * Removes the other resources alone too, when those that are removed alone take long: one that cannot be deprovisioned keeps no
   * other. Returns the seconds until then; undefined when no resource is left to remove together.
   */
  separateLate(environment: Environment, resources: readonly ActiveResource[]): number | undefined {
    const decision = this.#decisionOf(environment)
    if (!decision) return undefined
    const { uids, alone, separateAt } = decision
    const others = resources.filter(({ metadata }) => uids.has(metadata.uid) && !alone.has(metadata.name))
    if (others.length === 0) return undefined
    const remainingMs = separateAt - performance.now()
    if (remainingMs > 0) return Math.ceil(remainingMs / 1000)
    for (const { metadata } of others) alone.add(metadata.name)
    this.#enqueue(others)
    return undefined
  }

  /**
   * Enqueues the resources that are removed together, for their removal; while their namespace terminates, only those
   * without hosts: another organization may reserve the hosts as soon as a resource is gone, so its objects must be gone.
   * Returns the kinds of their objects at the first call after the decision, and none later.
   */
  removeTogether(
    environment: Environment,
    resources: readonly ActiveResource[],
    namespace: 'terminating' | 'gone',
  ): readonly ObjectKind[] {
    const decision = this.#decisionOf(environment)
    const due = namespace === 'gone' ? 'all' : 'without hosts'
    if (!decision || decision.due === due) return []
    const kinds = decision.due === 'none' ? decision.kinds : []
    decision.due = due
    this.#enqueue(resources)
    return kinds
  }

  /** Calls the handler with the keys of resources to reconcile. */
  onEnqueue(handler: (keys: readonly string[]) => void): void {
    this.#resourceHandlers.push(handler)
  }

  /** Calls the handler with the key of an environment when the last resource that is removed alone is gone. */
  onLastAlone(handler: (key: string) => void): void {
    this.#environmentHandlers.push(handler)
  }

  #enqueue(resources: readonly ActiveResource[]): void {
    for (const handler of this.#resourceHandlers) handler(resources.map(keyOf))
  }

  #terminatingOf({ metadata, spec }: ActiveResource): Environment | undefined {
    const environment = this.#tools.store.get(Environment, metadata.namespace, spec.environmentName)
    return environment?.metadata.deletionTimestamp && hasFinalizer(environment) ? environment : undefined
  }

  #decisionOf(environment: Environment): Decision | undefined {
    const decision = this.#decisions.get(keyOf(environment))
    return decision?.environmentUid === environment.metadata.uid ? decision : undefined
  }

  /** The objects of a resource that consists of objects in the namespace, and that the cluster deletes without help. */
  async #objectsWithin(
    resource: ActiveResource,
    namespace: string | undefined,
  ): Promise<readonly ObjectReference[] | undefined> {
    if (this.#isOutsideCluster(resource)) return undefined
    try {
      const objects = await this.#tools.inventory.objectsOf(resource)
      return objects.every((each) => isDeletedWith(namespace, each)) ? objects : undefined
    } catch (error) {
      // Its own removal fails too, and its status names the cause.
      if (error instanceof Stalled || error instanceof ReconcileError) return undefined
      throw error
    }
  }

  #isOutsideCluster({ metadata, spec, status }: ActiveResource): boolean {
    const { drivers } = this.#tools
    const { namespace } = metadata
    const instances = recordedInstances({ status })
    try {
      const own = drivers.find(namespace, spec.definition.driverType).driver
      const all = [own, ...instances.map((each) => drivers.forInstance(namespace, each))]
      return all.some(({ descriptor }) => descriptor.remote === true)
    } catch {
      return true // a driver that is not known
    }
  }
}
