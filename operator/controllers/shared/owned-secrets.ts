import { ActiveResource } from '../../api/active-resource.ts'
import type { ObjectOf, StoredObject } from '../../api/kind.ts'
import {
  isFormer,
  type PendingSecret,
  pendingSecretsIn,
  type SecretOwnerKind,
} from '../../domain/secret/pending-secrets.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { scoped } from '../../kube/cache/kinds-in-store.ts'
import { isSecretName, readSecretMetadata, removeSecret } from '../../kube/cache/secret-metadata.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { hasFinalizer, isOwnedBy } from '../../kube/client/resource.ts'
import type { WorkContext } from '../../kube/loop/controller.ts'
import type { OngoingStarts } from './ongoing-starts.ts'

/** Secrets that objects of a kind own. A new credential is a new Secret, and the old one must be deleted. */
export interface OwnedSecrets<K extends SecretOwnerKind> {
  /** Deletes the owner's Secrets that its spec no longer names; returns the names for its status. */
  removeUnused(
    owner: ObjectOf<K>,
    context: Pick<WorkContext<K>, 'releaseWorker'>,
  ): Promise<{ readonly secretNames?: string[] }>
}

/** A change completes or fails within this time after it has announced its Secret. */
const changeWithinMs = 600_000

/**
 * Finds the Secrets of the objects of a kind; `namedBy` lists those that a spec names. An announced Secret is kept until
 * the deadline of the write that needs it, which this process counts by `now` since it first saw the announcement. `starts` is
 * for Secrets that active resources name.
 */
export function createOwnedSecrets<K extends SecretOwnerKind>(
  cluster: Cluster,
  kind: K,
  namedBy: (owner: ObjectOf<K>) => readonly string[],
  {
    now = () => performance.now(),
    starts,
  }: { readonly now?: () => number; readonly starts?: Pick<OngoingStarts, 'over'> } = {},
): OwnedSecrets<K> {
  const missedNames = trackMissedNames(cluster, kind, namedBy)
  const isExpired = trackPendingSecrets(cluster, kind, now)
  return {
    async removeUnused(owner, { releaseWorker }) {
      const { uid, namespace } = owner.metadata
      const announced = pendingSecretsIn(owner.metadata.annotations)
      const current = announced.filter((each) => !isExpired(owner, each)).map(({ secretName }) => secretName)
      const named = [...namedBy(owner), ...current].filter(isSecretName)
      const former = new Set([
        ...(owner.status?.secretNames ?? []),
        ...(missedNames.get(uid) ?? []),
        ...announced.map(({ secretName }) => secretName),
      ])
      const isNamedAgain = (name: string) => {
        const current = cluster.store.get(kind, namespace, owner.metadata.name)
        return current?.metadata.uid === uid && namedBy(current).includes(name)
      }
      const waitForStarts = starts && (() => releaseWorker(() => starts.over(namespace)))
      const kept: string[] = []
      for (const name of former) {
        const isOver =
          named.includes(name) ||
          (await removeSecretOf(owner, name, { cluster, waitForStarts, isNamedAgain }))
        if (!isOver) kept.push(name)
        else missedNames.get(uid)?.delete(name)
      }
      const secretNames = [...new Set([...named, ...kept])].sort()
      return secretNames.length > 0 ? { secretNames } : {}
    },
  }
}

/** Names that a spec had between two reconciles, by the uid of the owner; no status records them. */
function trackMissedNames<K extends SecretOwnerKind>(
  { store }: Cluster,
  kind: K,
  namedBy: (owner: ObjectOf<K>) => readonly string[],
): ReadonlyMap<string, Set<string>> {
  const missedNames = new Map<string, Set<string>>()
  const namesOf = (owner: ObjectOf<K>) => [
    ...namedBy(owner),
    ...pendingSecretsIn(owner.metadata.annotations).map(({ secretName }) => secretName),
  ]
  store.cacheOf(kind).subscribe(({ before, after }) => {
    if (!before) return
    const { uid } = before.metadata
    if (!after) {
      missedNames.delete(uid)
      return
    }
    const names = namesOf(after)
    const removed = namesOf(before).filter((name) => !names.includes(name))
    if (removed.length > 0) missedNames.set(uid, new Set([...(missedNames.get(uid) ?? []), ...removed]))
  })
  return missedNames
}

/** Returns whether the change of a pending Secret must be over; the time of the announcement is by another clock. */
function trackPendingSecrets<K extends SecretOwnerKind>(
  { store }: Cluster,
  kind: K,
  now: () => number,
): (owner: ObjectOf<K>, pending: PendingSecret) => boolean {
  /** When this process first saw each announcement. */
  const seen = new Map<string, number>()
  const keyOf = ({ metadata }: ObjectOf<K>, { secretName, time }: PendingSecret) =>
    `${metadata.uid} ${time} ${secretName}`
  const keysOf = (owner: ObjectOf<K>) =>
    pendingSecretsIn(owner.metadata.annotations).map((each) => keyOf(owner, each))
  store.cacheOf(kind).subscribe(({ before, after }) => {
    const kept = after ? keysOf(after) : []
    for (const key of before ? keysOf(before) : []) if (!kept.includes(key)) seen.delete(key)
  })
  return (owner, pending) => {
    if (isFormer(pending)) return true
    const key = keyOf(owner, pending)
    const first = seen.get(key) ?? now()
    seen.set(key, first)
    return now() - first >= changeWithinMs
  }
}

interface RemovalTools {
  readonly cluster: Cluster
  /** Waits for the deployments that were planned before the change: they write resources that name this Secret. */
  readonly waitForStarts: (() => Promise<void>) | undefined
  readonly isNamedAgain: (name: string) => boolean
}

/** Deletes a Secret of the owner; returns false for one that must be kept for now. */
async function removeSecretOf(
  owner: ObjectOf<SecretOwnerKind>,
  name: string,
  { cluster: { store, client }, waitForStarts, isNamedAgain }: RemovalTools,
): Promise<boolean> {
  let secret = await readSecretOf(owner, name, client)
  if (secret && waitForStarts) {
    await waitForStarts()
    secret = await readSecretOf(owner, name, client)
  }
  if (!secret) return true
  if (isNamedAgain(name)) return false
  // With our finalizer the Secret stays readable until no resource needs it; without, it would be gone at once.
  const isNeeded = store.cacheOf(ActiveResource).anyByIndex('secret', scoped(owner, name))
  if (isNeeded && !hasFinalizer(secret)) return false
  await removeSecret(client, secret)
  return true
}

/** Reads a Secret that the owner has and that is not being deleted. */
async function readSecretOf(
  owner: ObjectOf<SecretOwnerKind>,
  name: string,
  client: KubeClient,
): Promise<StoredObject | undefined> {
  const secret = await readSecretMetadata(client, owner.metadata.namespace, name)
  return secret && !secret.metadata.deletionTimestamp && isOwnedBy(secret, owner) ? secret : undefined
}
