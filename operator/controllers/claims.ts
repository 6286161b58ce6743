import { ActiveResource } from '../api/active-resource.ts'
import { Stalled } from '../domain/errors.ts'
import type { Cluster } from '../kube/cluster.ts'
import { keyOf } from '../kube/resource.ts'

/** Names that one organization of the cluster alone may hold; whoever came first keeps them. */
export interface Claims {
  /** Takes the names for the resource, before its status says so; Stalled when another organization holds any. */
  take(resource: ActiveResource, names: readonly string[]): void
  /** Hears of resources, as `namespace/GUResID`, that wanted a name which is free again. */
  onFreed(handler: (key: string) => void): void
}

/** The claims of all organizations; the leading process makes one. */
export function createClaims({ store }: Pick<Cluster, 'store'>): Claims {
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

  function isElsewhere(name: string, organization: string): boolean {
    const pending = [...(taken.get(name) ?? [])].some((key) => !key.startsWith(`${organization}/`))
    return pending || cache.byIndex('claim', name).some(({ metadata }) => metadata.namespace !== organization)
  }

  return {
    take(resource, names) {
      const own = keyOf(resource)
      for (const name of namesTakenBy(own)) {
        if (names.includes(name)) continue
        letGo(name, own)
        wakeThoseWaitingFor(name)
      }
      const lost = names.find((name) => isElsewhere(name, resource.metadata.namespace ?? ''))
      if (lost !== undefined) {
        waiting.set(lost, (waiting.get(lost) ?? new Set()).add(own))
        throw new Stalled('Conflict', `${lost.replace('/', " '")}' is taken by another organization`)
      }
      for (const name of names) taken.set(name, (taken.get(name) ?? new Set()).add(own))
    },
    onFreed(handler) {
      handlers.push(handler)
    },
  }
}
