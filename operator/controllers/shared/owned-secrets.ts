import { ActiveResource } from '../../api/active-resource.ts'
import type { ObjectOf } from '../../api/kind.ts'
import type { ResourceAccount } from '../../api/resource-account.ts'
import type { ResourceDefinition } from '../../api/resource-definition.ts'
import type { SharedValue } from '../../api/shared-value.ts'
import type { Webhook } from '../../api/webhook.ts'
import { announcementsIn } from '../../domain/secret/announced-secrets.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { scoped } from '../../kube/cache/kinds-in-store.ts'
import { isSecretName, readSecretMetadata, removeSecret } from '../../kube/cache/secret-metadata.ts'
import { hasFinalizer } from '../../kube/client/resource.ts'

type OwnerKind = typeof ResourceAccount | typeof ResourceDefinition | typeof SharedValue | typeof Webhook

/** Secrets that objects of a kind own: a new credential is a new Secret, and the old one has to go. */
interface OwnedSecrets<K extends OwnerKind> {
  /** Removes the owner's Secrets that its spec names no more; answers what is to stand in its status. */
  tidy(owner: ObjectOf<K>): Promise<{ readonly secretNames?: string[] }>
}

/**
 * Looks after the Secrets of the objects of a kind; `namedBy` lists those that a spec names. One that is announced is let
 * be until the change that it is for must be over.
 */
export function createOwnedSecrets<K extends OwnerKind>(
  { store, client }: Cluster,
  kind: K,
  namedBy: (owner: ObjectOf<K>) => readonly string[],
): OwnedSecrets<K> {
  // Two changes may come faster than one look: names that no status ever held, by the uid of the owner.
  const passedBy = new Map<string, Set<string>>()
  store.cacheOf(kind).subscribe(({ before, after }) => {
    const { uid = '' } = before?.metadata ?? {}
    if (!before || uid !== after?.metadata.uid) {
      passedBy.delete(uid)
      return
    }
    const known = knownBy(after)
    const gone = knownBy(before).filter((name) => !known.includes(name))
    if (gone.length > 0) passedBy.set(uid, new Set([...(passedBy.get(uid) ?? []), ...gone]))
  })

  function knownBy(owner: ObjectOf<K>): string[] {
    const announced = announcementsIn(owner.metadata.annotations, Date.now())
    return [...namedBy(owner), ...announced.map(({ secretName }) => secretName)]
  }

  async function stillStands(owner: ObjectOf<K>, name: string): Promise<boolean> {
    const { namespace = '', uid } = owner.metadata
    const secret = await readSecretMetadata(client, namespace, name)
    if (!secret || secret.metadata.deletionTimestamp) return false
    if (!secret.metadata.ownerReferences?.some((each) => each.uid === uid)) return false
    // One that is held stays readable until the last resource lets go of it; any other would be gone at once.
    const isNeeded = store.byIndex(ActiveResource, 'secret', scoped(owner, name)).length > 0
    if (isNeeded && !hasFinalizer(secret)) return true
    await removeSecret(client, secret)
    return false
  }

  return {
    async tidy(owner) {
      const { uid = '' } = owner.metadata
      const announced = announcementsIn(owner.metadata.annotations, Date.now())
      const underWay = announced.filter(({ isPast }) => !isPast).map(({ secretName }) => secretName)
      const named = [...namedBy(owner), ...underWay].filter(isSecretName)
      const former = new Set([
        ...(owner.status?.secretNames ?? []),
        ...(passedBy.get(uid) ?? []),
        ...announced.map(({ secretName }) => secretName),
      ])
      const standing: string[] = []
      for (const name of former) {
        if (!named.includes(name) && (await stillStands(owner, name))) standing.push(name)
        else passedBy.get(uid)?.delete(name)
      }
      const secretNames = [...new Set([...named, ...standing])].sort()
      return secretNames.length > 0 ? { secretNames } : {}
    },
  }
}
