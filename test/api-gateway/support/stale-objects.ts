import type { Kind, ObjectOf } from '../../../operator/api/kind.ts'
import { versionOf } from '../../../operator/kube/cache/cache.ts'
import type { TestGateway } from './gateway.ts'

/**
 * Does something to the newest object of a kind that the gateway hears nothing of until it asks the cluster itself;
 * answers what lets it know all again.
 */
export async function behindItsBack(
  gateway: TestGateway,
  kind: Kind,
  work: (namespace: string, name: string) => unknown,
) {
  const newestFirst = Array.from(gateway.cluster.store.cacheOf(kind).all()).sort((left, right) =>
    versionOf(left) < versionOf(right) ? 1 : -1,
  )
  const [known] = newestFirst
  if (!known) throw new Error(`no object of kind '${kind.kind}'`)
  await work(known.metadata.namespace, known.metadata.name)
  return showStale(gateway, kind, known.metadata.name, [known])
}

/**
 * Shows these objects in place of those of a name, until the gateway reads that name; answers what ends it, the last one
 * first.
 */
export function showStale({ cluster }: TestGateway, kind: Kind, name: string, known: ObjectOf<Kind>[]) {
  const { store, read } = cluster
  const { get, byIndex, list } = store
  let isStale = true
  const isShown = (asked: Kind) => isStale && asked === kind
  const outdated = (objects: readonly ObjectOf<Kind>[]) =>
    objects.filter(({ metadata }) => metadata.name !== name).concat(known)
  Object.assign(store, {
    get: (asked: Kind, ...of: [namespace: string, name: string]) =>
      isShown(asked) && of[1] === name ? known[0] : get(asked, ...of),
    byIndex: (asked: Kind, ...of: [index: string, value: string]) =>
      isShown(asked) ? outdated(byIndex(asked, ...of)) : byIndex(asked, ...of),
    list: (asked: Kind, namespace: string) =>
      isShown(asked) ? outdated(list(asked, namespace)) : list(asked, namespace),
  })
  const reading: typeof read = (...given) => {
    if (given[0].kind === kind.kind && given[2] === name) isStale = false
    return read(...given)
  }
  Object.assign(cluster, { read: reading })
  return () => {
    Object.assign(store, { get, byIndex, list })
    Object.assign(cluster, { read })
  }
}
