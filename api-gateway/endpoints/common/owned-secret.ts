import type { KubeObject, ObjectOf } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import type { ResourceAccount } from '../../../operator/api/resource-account.ts'
import type { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import type { SharedValue } from '../../../operator/api/shared-value.ts'
import type { Webhook } from '../../../operator/api/webhook.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { isObject, sameJson } from '../../../operator/domain/base/json.ts'
import {
  announcementKey,
  announcementOf,
  announcementsIn,
} from '../../../operator/domain/secret/announced-secrets.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import { isAlreadyThere } from '../../../operator/kube/client/client.ts'
import type { Gateway } from '../../endpoint.ts'
import { createdBy, refuseTaken } from './find.ts'
import { untilAnswered, withRollback } from './rollback.ts'
import { inputsSecret, randomLength, type SecretData } from './secret-refs.ts'

type OwnerKind = typeof ResourceAccount | typeof ResourceDefinition | typeof SharedValue | typeof Webhook

/** A Secret to be made for an object that names it. */
export interface OwnedSecret {
  readonly name: string
  readonly data: SecretData
}

/** An object to be made, with the Secret that it names, if any. */
interface Creation<K extends OwnerKind> {
  readonly kind: K
  readonly wanted: ObjectOf<K>
  readonly secret: OwnedSecret | undefined
  /** What the object is called in a refusal. */
  readonly what: string
}

/**
 * Makes an object and the Secret that it owns, and does what else belongs to it, or nothing of all that; the owner comes
 * first, so that a Secret never stays without one. Where a process died in between, the same request of the same user
 * brings the rest.
 */
export async function createWithSecret<K extends OwnerKind>(
  creation: Creation<K>,
  { cluster, log }: Pick<Gateway, 'cluster' | 'log'>,
  finish: (owner: ObjectOf<K>) => Promise<unknown> = async () => {},
): Promise<ObjectOf<K>> {
  const { kind, secret, what } = creation
  const { owner, isNew } = await ownerOf(creation, cluster)
  const complete = async () => {
    const name = halfMadeName(owner, creation) ?? secret?.name
    if (
      secret &&
      name !== undefined &&
      !(await createSecret(cluster, inputsSecret(owner, name, secret.data)))
    )
      return false
    await finish(owner)
    return true
  }
  // What was there before is not taken away: somebody may use it.
  const isMade = isNew
    ? await withRollback(log, () => cluster.remove(kind, owner), complete)
    : await complete()
  // It is whole, be it since another request brought the rest a moment ago.
  if (!isMade) throw new Problem('Conflict', `${what} already exists`)
  return owner
}

/** Refuses an id that is taken, unless by what may be the first half of this very creation. */
export async function refuseOtherThan<K extends OwnerKind>(
  creation: Creation<K>,
  cluster: Cluster,
  known: ObjectOf<K> | undefined = knownOf(creation, cluster),
): Promise<void> {
  if (known && halfMadeName(known, creation) === undefined)
    await refuseTaken(cluster, creation.kind, known, creation.what)
}

/**
 * Makes a Secret for a change of its owner, and announces it there first: what comes of a change that does not end is
 * found by that. The change has to begin with the answer, and to end with `withoutAnnouncement`.
 */
export async function addSecret<K extends OwnerKind>(
  kind: K,
  owner: ObjectOf<K>,
  { name, data }: OwnedSecret,
  { cluster, now }: Pick<Gateway, 'cluster' | 'now'>,
): Promise<ObjectOf<K>> {
  const { uid, annotations: marks } = owner.metadata
  const past = announcementsIn(marks, now()).filter(({ isPast }) => isPast)
  const announced = await cluster.patch(kind, owner, {
    metadata: {
      uid,
      annotations: {
        ...Object.fromEntries(past.map(({ key }) => [key, null])),
        ...announcementOf(name, now()),
      },
    },
  })
  const isMade = await createSecret(cluster, inputsSecret(owner, name, data))
  if (!isMade) throw new Error(`the Secret '${name}' already exists`)
  return announced
}

/** The object without the announcement of a Secret that it names now. */
export function withoutAnnouncement<T extends KubeObject>(object: T, secretName: string): T {
  const { [announcementKey(secretName)]: announcement, ...others } = object.metadata.annotations ?? {}
  if (announcement === undefined) return object
  return { ...object, metadata: { ...object.metadata, annotations: others } }
}

function knownOf<K extends OwnerKind>({ kind, wanted: { metadata } }: Creation<K>, { store }: Cluster) {
  return store.get(kind, metadata.namespace ?? '', metadata.name)
}

/** The new object, or the one that is there and may be half made. */
async function ownerOf<K extends OwnerKind>(
  creation: Creation<K>,
  cluster: Cluster,
): Promise<{ owner: ObjectOf<K>; isNew: boolean }> {
  try {
    return { owner: await cluster.create(creation.kind, creation.wanted), isNew: true }
  } catch (error) {
    const existing = isAlreadyThere(error) ? knownOf(creation, cluster) : undefined
    if (!existing || halfMadeName(existing, creation) === undefined) throw error
    return { owner: existing, isNew: false }
  }
}

/** Makes a Secret of a random name; false when another request made it. */
function createSecret(cluster: Cluster, secret: KubeObject): Promise<boolean> {
  return untilAnswered(async (isRepeated) => {
    try {
      await cluster.createSecret(secret)
      return true
    } catch (error) {
      if (!isAlreadyThere(error)) throw error
      // The answer was lost, not the Secret.
      return isRepeated
    }
  })
}

/**
 * The name that an object of the same user, equal but for the name of its Secret, gives that; undefined for any other.
 * Whether the Secret is there only its creation can tell: the gateway reads none.
 */
function halfMadeName<K extends OwnerKind>(
  existing: KubeObject & { readonly spec: unknown },
  { wanted, secret }: Creation<K>,
): string | undefined {
  const isTrial = [existing, wanted].some(({ metadata }) => metadata.annotations?.[annotations.trialUntil])
  if (!secret || isTrial || existing.metadata.deletionTimestamp) return undefined
  if (existing.metadata.name !== wanted.metadata.name || createdBy(existing) !== createdBy(wanted))
    return undefined
  const { name } = secret
  const prefix = name.slice(0, -randomLength)
  const theirs = textsIn(existing.spec).find((text) => text.length === name.length && text.startsWith(prefix))
  if (theirs === undefined) return undefined
  return sameJson(replaced(existing.spec, theirs, name), wanted.spec) ? theirs : undefined
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return isObject(value) ? Object.values(value).flatMap(textsIn) : []
}

function replaced(value: unknown, from: string, to: string): unknown {
  if (value === from) return to
  if (Array.isArray(value)) return value.map((each) => replaced(each, from, to))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, replaced(each, from, to)]))
}
