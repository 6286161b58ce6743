import { ActiveResource } from '../../api/active-resource.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { wildcardOver } from '../../domain/resource/host.ts'
import type { Cache, Change } from '../../kube/cache/cache.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { keyOf } from '../../kube/client/resource.ts'

/**
 * Reserves host names for one organization of the cluster each: the first to ask keeps the name. Only the leading process
 * creates one. Keys are those of resources, as `namespace/GUResID`.
 */
export class HostReservations {
  readonly #cache: Cache<ActiveResource>
  /** Resources with a reservation that their status does not name yet, by host. */
  readonly #pending = new KeysByHost()
  /** Resources that want a host of another organization, by the host that conflicts. */
  readonly #waiting = new KeysByHost()
  readonly #handlers: ((key: string) => void)[] = []

  constructor({ store }: Pick<Cluster, 'store'>) {
    this.#cache = store.cacheOf(ActiveResource)
    this.#cache.subscribe((change) => this.#update(change))
  }

  /** Reserves the hosts before the status names them; throws Stalled when another organization has one. */
  reserve(resource: ActiveResource, hosts: readonly string[]): void {
    const key = keyOf(resource)
    for (const host of this.#pending.hostsOf(key)) {
      if (hosts.includes(host)) continue
      this.#pending.remove(host, key)
      this.#notifyWaiting(host)
    }
    for (const host of hosts) {
      const conflict = this.#conflictWith(host, resource.metadata.namespace)
      if (conflict === undefined) continue
      this.#waiting.add(conflict, key)
      const what = conflict === host ? 'is reserved by' : 'overlaps with a host of'
      throw new Stalled('Conflict', `host '${host}' ${what} another organization`)
    }
    for (const host of hosts) this.#pending.add(host, key)
  }

  /** Calls the handler with the key of each resource whose wanted host is free again. */
  onFreed(handler: (key: string) => void): void {
    this.#handlers.push(handler)
  }

  #update({ before, after }: Change<ActiveResource>): void {
    const resource = after ?? before
    if (!resource) return
    const key = keyOf(resource)
    const now = after?.status?.reservedHosts ?? []
    // A reservation that the status names is no longer pending; a deleted resource has none.
    const recorded = after ? now : this.#pending.hostsOf(key)
    for (const host of recorded) this.#pending.remove(host, key)
    for (const host of new Set([...(before?.status?.reservedHosts ?? []), ...recorded]))
      if (!now.includes(host)) this.#notifyWaiting(host)
  }

  #notifyWaiting(host: string): void {
    for (const key of this.#waiting.take(host)) for (const handler of this.#handlers) handler(key)
  }

  /** The reserved host of another organization that conflicts with this one. */
  #conflictWith(host: string, organization: string): string | undefined {
    const owners = this.#ownersOf(host)
    if (owners.some((owner) => owner !== organization)) return host
    // An organization keeps the hosts that it has, also where a wildcard overlaps.
    if (owners.length > 0) return undefined
    return this.#overlapping(host).find((each) =>
      this.#ownersOf(each).some((owner) => owner !== organization),
    )
  }

  #ownersOf(host: string): string[] {
    const pending = this.#pending.keysOf(host).map((key) => key.slice(0, key.indexOf('/')))
    const recorded = this.#cache.byIndex('reservedHost', host)
    return [...pending, ...recorded.map(({ metadata }) => metadata.namespace)]
  }

  /** The wildcard that covers a host, or the reserved hosts that a wildcard covers. */
  #overlapping(host: string): string[] {
    const wildcard = wildcardOver(host)
    if (wildcard !== undefined) return [wildcard]
    const recorded = this.#cache.byIndex('wildcardOverHost', host)
    const hosts = [...this.#pending.hosts(), ...recorded.flatMap(({ status }) => status?.reservedHosts ?? [])]
    return hosts.filter((each) => wildcardOver(each) === host)
  }
}

class KeysByHost {
  readonly #keys = new Map<string, Set<string>>()

  hosts(): string[] {
    return [...this.#keys.keys()]
  }

  keysOf(host: string): string[] {
    return [...(this.#keys.get(host) ?? [])]
  }

  hostsOf(key: string): string[] {
    return [...this.#keys].flatMap(([host, keys]) => (keys.has(key) ? [host] : []))
  }

  add(host: string, key: string): void {
    this.#keys.set(host, (this.#keys.get(host) ?? new Set()).add(key))
  }

  remove(host: string, key: string): void {
    const keys = this.#keys.get(host)
    keys?.delete(key)
    if (keys?.size === 0) this.#keys.delete(host)
  }

  /** Returns the keys of a host, and removes them. */
  take(host: string): string[] {
    const keys = this.keysOf(host)
    this.#keys.delete(host)
    return keys
  }
}
