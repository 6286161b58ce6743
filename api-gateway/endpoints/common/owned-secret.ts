import type { KubeObject, Manifest, ObjectOf } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { isObject, sameJson } from '../../../operator/domain/base/json.ts'
import {
  formerSecretAnnotation,
  isOutdated,
  pendingSecretAnnotation,
  pendingSecretKey,
  pendingSecretsIn,
  type SecretOwnerKind,
} from '../../../operator/domain/secret/pending-secrets.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import { isAlreadyExists } from '../../../operator/kube/client/api-error.ts'
import { isReady } from '../../../operator/kube/loop/outcome.ts'
import type { Gateway } from '../../endpoint.ts'
import { patchObject } from './change.ts'
import { createdBy, refuseTaken } from './find.ts'
import { retryUntilAnswered, withRollback } from './rollback.ts'
import { inputsSecret, randomLength, type SecretData } from './secret-refs.ts'
import { TargetEnds } from './target.ts'

/** A new Secret for an object that references it. */
export interface OwnedSecret {
  readonly name: string
  readonly data: SecretData
}

/** A new object with the Secret that it references, if any. */
interface Creation<K extends SecretOwnerKind> {
  readonly kind: K
  readonly wanted: Manifest<K>
  readonly secret: OwnedSecret | undefined
  /** Name of the object in error messages. */
  readonly what: string
}

/**
 * Creates an object and its Secret and runs `finish`, or leaves nothing behind. The owner is created first, so
 * that no Secret is without an owner. If a process dies in between, the same request of the same user completes
 * the creation.
 */
export async function createWithSecret<K extends SecretOwnerKind>(
  creation: Creation<K>,
  { cluster, log }: Pick<Gateway, 'cluster' | 'log'>,
  finish: (owner: ObjectOf<K>) => Promise<unknown> = async () => {},
): Promise<ObjectOf<K>> {
  const { kind, secret, what } = creation
  const { owner, isNew } = await createOrFindOwner(creation, cluster)
  const complete = async () => {
    const name = incompleteSecretName(owner, creation) ?? secret?.name
    if (secret && name !== undefined) {
      const isOwn = name === secret.name
      if (!(await createSecret(cluster, inputsSecret(owner, name, secret.data), isOwn))) return false
    }
    await finish(owner)
    return true
  }
  // Others may use an existing object, unless it ends with what it belongs to. Two equal requests must not leave it behind.
  const isReverted = (error: unknown) => isNew || error instanceof TargetEnds
  const isMade = await withRollback(log, () => cluster.remove(kind, owner), complete, isReverted)
  // The object is already complete, possibly because another request just completed it.
  if (!isMade) throw new Problem('Conflict', `${what} already exists`)
  return owner
}

/** Throws Conflict if an ID is taken, except by an incomplete object of the same request. */
export async function refuseTakenUnlessIncomplete<K extends SecretOwnerKind>(
  creation: Creation<K>,
  cluster: Cluster,
  known: ObjectOf<K> | undefined = cachedObject(creation, cluster),
): Promise<void> {
  if (known && incompleteSecretName(known, creation) === undefined)
    await refuseTaken(cluster, creation.kind, known, creation.what)
}

/**
 * Creates a Secret for a change of its owner. The owner announces it first, so that the operator can find a
 * Secret whose change was not completed, at a time of the API server: the clocks of gateways differ. The change must start
 * from the returned object and apply `withNewSecret`.
 */
export async function addSecret<K extends SecretOwnerKind>(
  kind: K,
  owner: ObjectOf<K>,
  { name, data }: OwnedSecret,
  { cluster, serverNow }: Pick<Gateway, 'cluster' | 'serverNow'>,
): Promise<ObjectOf<K>> {
  const { metadata } = owner
  // Before that the status may not have the names of its Secrets, although the operator has begun.
  const pending = isReady(owner) ? pendingSecretsIn(metadata.annotations) : []
  const outdated = pending.filter((each) => isOutdated(each, serverNow()))
  const announced = await patchObject(cluster, kind, owner, {
    metadata: {
      annotations: {
        ...Object.fromEntries(outdated.map(({ key }) => [key, null])),
        ...pendingSecretAnnotation(name, serverNow()),
      },
    },
  })
  const isMade = await createSecret(cluster, inputsSecret(owner, name, data), true)
  if (!isMade) throw new Error(`the Secret '${name}' already exists`)
  return announced
}

/**
 * Removes the announcement of a Secret that the object references after a change, and marks the ones that it referenced
 * before, unless the operator has recorded them already: no operator may run until the change is over. A change without a new
 * Secret gives a name that one would have.
 */
export function withNewSecret<T extends ObjectOf<SecretOwnerKind>>(before: T, after: T, name: string): T {
  const completed = withoutPendingSecret(after, name)
  const known = new Set([...ownNamesIn(after.spec, name), ...(before.status?.secretNames ?? [])])
  const former = ownNamesIn(before.spec, name).filter((each) => !known.has(each))
  if (former.length === 0) return completed
  const { metadata } = completed
  const marks = Object.assign({}, ...former.map(formerSecretAnnotation))
  return { ...completed, metadata: { ...metadata, annotations: { ...metadata.annotations, ...marks } } }
}

/** Removes the announcement of a Secret. */
export function withoutPendingSecret<T extends KubeObject>(object: T, secretName: string): T {
  const { [pendingSecretKey(secretName)]: pending, ...others } = object.metadata.annotations ?? {}
  if (pending === undefined) return object
  return { ...object, metadata: { ...object.metadata, annotations: others } }
}

function cachedObject<K extends SecretOwnerKind>(
  { kind, wanted: { metadata } }: Creation<K>,
  { store }: Cluster,
) {
  return store.get(kind, metadata.namespace, metadata.name)
}

/** Creates the object, or returns an existing one that may be incomplete. */
async function createOrFindOwner<K extends SecretOwnerKind>(
  creation: Creation<K>,
  cluster: Cluster,
): Promise<{ owner: ObjectOf<K>; isNew: boolean }> {
  try {
    return { owner: await cluster.create(creation.kind, creation.wanted), isNew: true }
  } catch (error) {
    const existing = isAlreadyExists(error) ? cachedObject(creation, cluster) : undefined
    if (!existing || incompleteSecretName(existing, creation) === undefined) throw error
    return { owner: existing, isNew: false }
  }
}

/**
 * Creates a Secret; returns false if another request created it, which no request does if the random name is that of this one.
 */
function createSecret(cluster: Cluster, secret: KubeObject, isOwn: boolean): Promise<boolean> {
  return retryUntilAnswered(async (isRepeated) => {
    try {
      await cluster.createSecret(secret)
      return true
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      // A repeated call may follow one that succeeded without a response.
      return isRepeated && isOwn
    }
  })
}

/**
 * Returns the Secret name in an existing object of the same user that is otherwise equal; undefined if there is
 * none. The gateway cannot read Secrets, so only the creation shows whether that Secret exists.
 */
function incompleteSecretName<K extends SecretOwnerKind>(
  existing: KubeObject & { readonly spec: unknown },
  { wanted, secret }: Creation<K>,
): string | undefined {
  const isTrial = [existing, wanted].some(({ metadata }) => metadata.annotations?.[annotations.trialUntil])
  if (!secret || isTrial || existing.metadata.deletionTimestamp) return undefined
  if (existing.metadata.name !== wanted.metadata.name || createdBy(existing) !== createdBy(wanted))
    return undefined
  const { name } = secret
  const [theirs] = ownNamesIn(existing.spec, name)
  if (theirs === undefined) return undefined
  return sameJson(withReplacedString(existing.spec, theirs, name), wanted.spec) ? theirs : undefined
}

/** The names of Secrets in a spec that are made as this one is. */
function ownNamesIn(spec: unknown, name: string): string[] {
  const prefix = name.slice(0, -randomLength)
  return stringsIn(spec).filter((text) => text.length === name.length && text.startsWith(prefix))
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(stringsIn)
  return isObject(value) ? Object.values(value).flatMap(stringsIn) : []
}

function withReplacedString(value: unknown, from: string, to: string): unknown {
  if (value === from) return to
  if (Array.isArray(value)) return value.map((each) => withReplacedString(each, from, to))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, withReplacedString(each, from, to)]),
  )
}
