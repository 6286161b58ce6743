import type { ActiveResource, AppliedObject } from '../../api/active-resource.ts'
import type { KubeObject, StoredObject } from '../../api/kind.ts'
import { type KeyedMutex, withLocks } from '../../domain/base/keyed-mutex.ts'
import { isConflict } from '../../kube/client/api-error.ts'
import { inParallel } from '../../kube/client/parallel.ts'
import { keyOf } from '../../kube/client/resource.ts'
import type { Objects } from '../../kube/objects/objects.ts'
import { isSame, isWatchable, marked, referenceTo, remaining, textOf } from './applied-object.ts'
import type { ApplyOutcome, DriftDetector } from './drift.ts'
import type { ForeignObjects } from './foreign-objects.ts'
import { isAddressRefused, keepsForm, removeOtherForm } from './headless-services.ts'
import type { UnseenObjects } from './unseen-objects.ts'

/** What an apply depends on. */
export interface ApplyTools {
  readonly objects: Objects
  readonly drift: DriftDetector
  readonly unseen: UnseenObjects
  readonly foreign: ForeignObjects
  /** The objects that are about to be applied for the first time, by their text. */
  readonly applying: KeyedMutex
  /** Milliseconds since 1970 by the clock of the API server. */
  readonly serverNow: () => number
}

/** A recorded object is gone, or another one has its name. */
class Lost extends Error {
  readonly object: KubeObject
  constructor(object: KubeObject) {
    super(`another object has the place of ${object.kind} '${object.metadata.name}'`)
    this.object = object
  }
}

/**
 * Applies the objects, or none when one of them belongs to another owner. Throws Waiting for one that is being deleted. Of
 * resources that want an object at the same time, the others look for its owner after one has applied it.
 */
export async function applyAll(
  resource: ActiveResource,
  wanted: readonly KubeObject[],
  tools: ApplyTools,
  lost: readonly KubeObject[] = [],
): Promise<ApplyOutcome> {
  const uids = new Map<KubeObject, string>()
  for (const each of wanted) {
    const uid = lost.includes(each) ? undefined : await uidOf(resource, each, tools)
    if (uid !== undefined) uids.set(each, uid)
  }
  const unknown = wanted.filter((each) => !uids.has(each))
  try {
    return await withLocks(
      tools.applying,
      unknown.map((each) => textOf(referenceTo(each))),
      async () => {
        await inParallel(unknown, (each) => tools.foreign.refuse(resource, each))
        const applied: AppliedObject[] = []
        const live: StoredObject[] = []
        let isChanged = false
        for (const each of wanted) {
          const before = await seenVersion(each, tools)
          const answer = lost.includes(each)
            ? await applyOne(resource, each, undefined, tools)
            : await applyInForm(resource, each, uids.get(each), tools)
          applied.push(recordOf(answer))
          live.push(answer)
          isChanged ||= isWatchable(each) && before !== answer.metadata.resourceVersion
        }
        return { applied, live, isChanged }
      },
    )
  } catch (error) {
    if (!(error instanceof Lost)) throw error
    return applyAll(resource, wanted, tools, [...lost, error.object])
  }
}

/** The uid of an object that the resource owns, as far as its status and the watch say. */
async function uidOf(
  { status }: ActiveResource,
  object: KubeObject,
  { objects }: ApplyTools,
): Promise<string | undefined> {
  const uid = status?.objects?.find((each) => isSame(each, object))?.uid
  if (!uid) return undefined
  if (!isWatchable(object)) return uid
  const { namespace = '', name } = object.metadata
  const seen = (await objects.watch(object)).get(namespace, name)
  return seen?.metadata.uid === uid ? uid : undefined
}

/** The version of an object that its watch shows; undefined without a watch. */
async function seenVersion(object: KubeObject, { objects }: ApplyTools): Promise<string | undefined> {
  if (!isWatchable(object)) return undefined
  const { namespace = '', name } = object.metadata
  return (await objects.watch(object)).get(namespace, name)?.metadata.resourceVersion
}

/** The same as `applyOne`, after the deletion of a Service that must become headless, or no longer be it. */
async function applyInForm(
  resource: ActiveResource,
  wanted: KubeObject,
  uid: string | undefined,
  tools: ApplyTools,
): Promise<StoredObject> {
  const answer = await applyOne(resource, wanted, uid, tools).catch(async (error: unknown) => {
    if (!isAddressRefused(wanted, error) || !(await removeOtherForm(resource, wanted, tools))) throw error
    throw new Lost(wanted)
  })
  if (keepsForm(wanted, answer) && (await removeOtherForm(resource, wanted, tools))) throw new Lost(wanted)
  return answer
}

/** Applies an object; with a uid, only that one. */
async function applyOne(
  resource: ActiveResource,
  wanted: KubeObject,
  uid: string | undefined,
  { objects, drift, unseen, serverNow }: ApplyTools,
): Promise<StoredObject> {
  const object = marked(resource, wanted)
  // Until its watch shows it, another resource must not take it for free.
  if (isWatchable(object) && uid === undefined) unseen.add(keyOf(resource), referenceTo(object))
  try {
    const known = uid === undefined ? object : { ...object, metadata: { ...object.metadata, uid } }
    const answer = await objects.apply(known)
    unseen.noteApplied(keyOf(resource), referenceTo(object), answer.metadata.uid)
    if (isWatchable(object)) drift.noteApplied(answer)
    const { deletionTimestamp, finalizers } = answer.metadata
    if (deletionTimestamp)
      throw remaining([{ ...referenceTo(object), finalizers }], deletionTimestamp, serverNow)
    return answer
  } catch (error) {
    unseen.noteFailed(keyOf(resource), referenceTo(object))
    throw uid !== undefined && isConflict(error) ? new Lost(wanted) : error
  }
}

/** The record of an applied object in a status, with its generation, or its resource version where it has none. */
function recordOf({ apiVersion, kind, metadata }: StoredObject): AppliedObject {
  const { name, namespace, uid, generation, resourceVersion } = metadata
  return {
    apiVersion,
    kind,
    name,
    uid,
    namespace: namespace || undefined,
    generation,
    resourceVersion: generation === undefined ? resourceVersion : undefined,
  }
}
