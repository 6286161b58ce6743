import type { Kind, ObjectOf, StoredObject } from '../../api/kind.ts'
import { annotations, labels } from '../../api/names.ts'
import type { ResourceQuota } from '../../domain/base/quota.ts'
import type { Cache, IndexFunction } from './cache.ts'
import type { Reflector } from './reflector-options.ts'

/** An organization: a namespace whose label repeats its name. */
export interface Organization {
  readonly id: string
  readonly displayName: string
  readonly createdAt: string
}

/** The objects of our kinds, kept up to date by watches. */
export interface Store {
  get<K extends Kind>(kind: K, namespace: string, name: string): ObjectOf<K> | undefined
  list<K extends Kind>(kind: K, namespace: string): readonly ObjectOf<K>[]
  byIndex<K extends Kind>(kind: K, index: string, value: string): readonly ObjectOf<K>[]
  cacheOf<K extends Kind>(kind: K): Cache<ObjectOf<K>>
  readonly namespaces: Cache
  /** The ResourceQuotas of all namespaces. */
  readonly quotas: Cache<ResourceQuota>
  organizations(): readonly Organization[]
  organization(id: string): Organization | undefined
  isOrganization(namespace: string): boolean
  /** Whether every cache has held a complete list. */
  readonly synced: boolean
  /** Whether the watch of a kind has reported all that was written up to this version, of an object of any of our kinds. */
  reflects(kind: Kind, version: bigint): boolean
  /** The watches that fill it. */
  readonly watches: readonly Pick<Reflector, 'resource' | 'silentMs'>[]
  /** Milliseconds since the last line of the watch that is silent longest. */
  silentMs(): number
  /** Milliseconds since the last line or refusal of the watch for which there was none for the longest time. */
  unansweredMs(): number
}

/** A kind to keep in the store, with its indexes. */
export interface StoredKind<K extends Kind = Kind> {
  readonly kind: K
  readonly indexes?: Readonly<Record<string, IndexFunction<ObjectOf<K>>>>
}

/** An entry of the list of kinds, its indexes typed by the kind. */
export function stored<K extends Kind>(
  kind: K,
  indexes: Readonly<Record<string, IndexFunction<ObjectOf<K>>>> = {},
): StoredKind {
  return { kind, indexes } as StoredKind // the list holds kinds of all types
}

const reservedNames = new Set(['quartermaster', 'humanitec', 'default'])

/** A store over caches that reflectors fill; not synced before `markSynced`. */
export function createStore(
  caches: ReadonlyMap<string, Cache>,
  { namespaces, quotas }: Pick<Store, 'namespaces' | 'quotas'>,
  reflectors: readonly Reflector[],
) {
  let synced = false
  function cacheOf<K extends Kind>(kind: K): Cache<ObjectOf<K>> {
    const cache = caches.get(kind.kind)
    if (!cache) throw new Error(`kind '${kind.kind}' is not in this store`)
    return cache as unknown as Cache<ObjectOf<K>> // its reflector reads this kind
  }
  return {
    markSynced() {
      synced = true
    },
    cacheOf,
    namespaces,
    quotas,
    get<K extends Kind>(kind: K, namespace: string, name: string) {
      return cacheOf(kind).get(namespace, name)
    },
    list<K extends Kind>(kind: K, namespace: string) {
      return cacheOf(kind).inNamespace(namespace)
    },
    byIndex<K extends Kind>(kind: K, index: string, value: string) {
      return cacheOf(kind).byIndex(index, value)
    },
    organizations() {
      return [...namespaces.all()].filter(isOrganization).map(organizationOf)
    },
    organization(id: string) {
      const object = namespaces.get('', id)
      return object && isOrganization(object) ? organizationOf(object) : undefined
    },
    isOrganization(namespace: string) {
      const object = namespaces.get('', namespace)
      return object !== undefined && isOrganization(object)
    },
    get synced() {
      return synced
    },
    reflects(kind: Kind, version: bigint) {
      const { position } = reflectors.find(({ resource }) => resource === kind.plural) ?? {}
      return position !== undefined && BigInt(position) >= version
    },
    watches: reflectors,
    silentMs: () => Math.max(...reflectors.map((each) => each.silentMs())),
    unansweredMs: () => Math.max(...reflectors.map((each) => each.unansweredMs())),
  }
}

/** Calls the handler with each namespace that becomes an organization, also when its label comes back. */
export function onOrganization(
  { namespaces }: Pick<Store, 'namespaces'>,
  handler: (namespace: string) => void,
): void {
  namespaces.subscribe(({ before, after }) => {
    if (after && isOrganization(after) && !(before && isOrganization(before))) handler(after.metadata.name)
  })
}

function isOrganization({ metadata }: StoredObject): boolean {
  return metadata.labels?.[labels.organization] === metadata.name && !reservedNames.has(metadata.name)
}

function organizationOf({ metadata }: StoredObject): Organization {
  const { name, annotations: given, creationTimestamp } = metadata
  return { id: name, displayName: given?.[annotations.displayName] ?? name, createdAt: creationTimestamp }
}
