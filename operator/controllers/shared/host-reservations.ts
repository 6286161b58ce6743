import { ActiveResource } from '../../api/active-resource.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { wildcardOver } from '../../domain/resource/host.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { keyOf } from '../../kube/client/resource.ts'

/** Reserves host names for one organization of the cluster each: the first to ask keeps the name. */
export interface HostReservations {
  /** Reserves the hosts for the resource before its status names them; Stalled when another organization has one. */
  reserve(resource: ActiveResource, hosts: readonly string[]): void
  /** Calls the handler with each resource, as `namespace/GUResID`, whose wanted host became free. */
  onFreed(handler: (key: string) => void): void
}

/** Keeps the reservations of all organizations. Only the leading process creates one. */
export function createHostReservations({ store }: Pick<Cluster, 'store'>): HostReservations {
  const cache = store.cacheOf(ActiveResource)
  /** The resources, as `namespace/GUResID`, with a reservation that their status does not name yet, by host. */
  const pending = new Map<string, Set<string>>()
  const waiting = new Map<string, Set<string>>()
  const handlers: ((key: string) => void)[] = []

  cache.subscribe(({ before, after }) => {
    const resource = after ?? before
    if (!resource) return
    const now = after?.status?.reservedHosts ?? []
    // The status names every reservation that the resource keeps.
    const settled = after ? now : pendingOf(keyOf(resource))
    for (const name of settled) removePending(name, keyOf(resource))
    for (const name of new Set([...(before?.status?.reservedHosts ?? []), ...settled]))
      if (!now.includes(name)) notifyWaiting(name)
  })

  function pendingOf(key: string): string[] {
    return [...pending].flatMap(([name, keys]) => (keys.has(key) ? [name] : []))
  }

  function removePending(name: string, key: string) {
    const keys = pending.get(name)
    keys?.delete(key)
    if (keys?.size === 0) pending.delete(name)
  }

  function notifyWaiting(name: string) {
    const keys = waiting.get(name) ?? []
    waiting.delete(name)
    for (const key of keys) for (const handler of handlers) handler(key)
  }

  /** The organizations that reserve a host. */
  function ownersOf(name: string): string[] {
    const early = [...(pending.get(name) ?? [])].map((key) => key.slice(0, key.indexOf('/')))
    return [...early, ...cache.byIndex('reservedHost', name).map(({ metadata }) => metadata.namespace ?? '')]
  }

  function isElsewhere(name: string, organization: string): boolean {
    return ownersOf(name).some((owner) => owner !== organization)
  }

  /** The reserved host of another organization that conflicts with this one. */
  function obstacleTo(name: string, organization: string): string | undefined {
    const owners = ownersOf(name)
    if (owners.some((owner) => owner !== organization)) return name
    // An organization keeps the hosts that it has, also where a wildcard overlaps.
    if (owners.length > 0) return undefined
    return overlapping(name).find((each) => isElsewhere(each, organization))
  }

  /** The wildcard that covers a host, or the reserved hosts that a wildcard covers. */
  function overlapping(name: string): string[] {
    const wildcard = wildcardOver(name)
    if (wildcard !== undefined) return [wildcard]
    const known = cache.byIndex('wildcardOverHost', name).flatMap(({ status }) => status?.reservedHosts ?? [])
    return [...pending.keys(), ...known].filter((each) => wildcardOver(each) === name)
  }

  function add(name: string, key: string) {
    pending.set(name, (pending.get(name) ?? new Set()).add(key))
  }

  return {
    reserve(resource, names) {
      const own = keyOf(resource)
      for (const name of pendingOf(own)) {
        if (names.includes(name)) continue
        removePending(name, own)
        notifyWaiting(name)
      }
      for (const name of names) {
        const obstacle = obstacleTo(name, resource.metadata.namespace ?? '')
        if (obstacle === undefined) continue
        waiting.set(obstacle, (waiting.get(obstacle) ?? new Set()).add(own))
        const what = obstacle === name ? 'is taken by' : 'overlaps with a host of'
        throw new Stalled('Conflict', `host '${name}' ${what} another organization`)
      }
      for (const name of names) add(name, own)
    },
    onFreed(handler) {
      handlers.push(handler)
    },
  }
}
