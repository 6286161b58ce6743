import { ActiveResource } from '../../api/active-resource.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { wildcardOver } from '../../domain/resource/claim.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { keyOf } from '../../kube/client/resource.ts'

/** Names that one organization of the cluster alone may hold; whoever came first keeps them. */
export interface HostReservations {
  /** Takes the names for the resource, before its status says so; Stalled when another organization holds any. */
  take(resource: ActiveResource, names: readonly string[]): void
  /** Takes those of the names that nobody else holds, for what stands with them already, and answers them. */
  keep(resource: ActiveResource, names: readonly string[]): string[]
  /** Hears of resources, as `namespace/GUResID`, that wanted a name which is free again. */
  onFreed(handler: (key: string) => void): void
}

/** The claims of all organizations; the leading process makes one. */
export function createHostReservations({ store }: Pick<Cluster, 'store'>): HostReservations {
  const cache = store.cacheOf(ActiveResource)
  /** Who, as `namespace/GUResID`, took a name that is not yet in a status. */
  const taken = new Map<string, Set<string>>()
  const waiting = new Map<string, Set<string>>()
  const handlers: ((key: string) => void)[] = []

  cache.subscribe(({ before, after }) => {
    const resource = after ?? before
    if (!resource) return
    const now = after?.status?.claims ?? []
    // Whatever was taken is in the status now, or it is gone with the resource.
    const settled = after ? now : namesTakenBy(keyOf(resource))
    for (const name of settled) letGo(name, keyOf(resource))
    for (const name of new Set([...(before?.status?.claims ?? []), ...settled]))
      if (!now.includes(name)) wakeThoseWaitingFor(name)
  })

  function namesTakenBy(key: string): string[] {
    return [...taken].flatMap(([name, keys]) => (keys.has(key) ? [name] : []))
  }

  function letGo(name: string, key: string) {
    const keys = taken.get(name)
    keys?.delete(key)
    if (keys?.size === 0) taken.delete(name)
  }

  function wakeThoseWaitingFor(name: string) {
    const keys = waiting.get(name) ?? []
    waiting.delete(name)
    for (const key of keys) for (const handler of handlers) handler(key)
  }

  /** The organizations that hold a name. */
  function holdersOf(name: string): string[] {
    const pending = [...(taken.get(name) ?? [])].map((key) => key.slice(0, key.indexOf('/')))
    return [...pending, ...cache.byIndex('claim', name).map(({ metadata }) => metadata.namespace ?? '')]
  }

  function isElsewhere(name: string, organization: string): boolean {
    return holdersOf(name).some((holder) => holder !== organization)
  }

  /** The name of another organization that stands in the way. */
  function obstacleTo(name: string, organization: string): string | undefined {
    const holders = holdersOf(name)
    if (holders.some((holder) => holder !== organization)) return name
    // What an organization has already it keeps, whatever overlaps with it.
    if (holders.length > 0) return undefined
    return overlapping(name).find((each) => isElsewhere(each, organization))
  }

  /** The wildcard over a name, or the names that are held below a wildcard. */
  function overlapping(name: string): string[] {
    const wildcard = wildcardOver(name)
    if (wildcard !== undefined) return [wildcard]
    const known = cache.byIndex('wildcardOverClaim', name).flatMap(({ status }) => status?.claims ?? [])
    return [...taken.keys(), ...known].filter((each) => wildcardOver(each) === name)
  }

  function add(name: string, key: string) {
    taken.set(name, (taken.get(name) ?? new Set()).add(key))
  }

  return {
    take(resource, names) {
      const own = keyOf(resource)
      for (const name of namesTakenBy(own)) {
        if (names.includes(name)) continue
        letGo(name, own)
        wakeThoseWaitingFor(name)
      }
      for (const name of names) {
        const obstacle = obstacleTo(name, resource.metadata.namespace ?? '')
        if (obstacle === undefined) continue
        waiting.set(obstacle, (waiting.get(obstacle) ?? new Set()).add(own))
        const what = obstacle === name ? 'is taken by' : 'overlaps with a host of'
        throw new Stalled('Conflict', `${name.replace('/', " '")}' ${what} another organization`)
      }
      for (const name of names) add(name, own)
    },
    keep(resource, names) {
      const kept = names.filter((name) => !isElsewhere(name, resource.metadata.namespace ?? ''))
      for (const name of kept) add(name, keyOf(resource))
      return kept
    },
    onFreed(handler) {
      handlers.push(handler)
    },
  }
}
