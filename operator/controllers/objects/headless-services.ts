import type { ActiveResource } from '../../api/active-resource.ts'
import type { KubeObject } from '../../api/kind.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { isObject } from '../../domain/base/json.ts'
import type { Objects } from '../../kube/objects/objects.ts'
import { referenceTo, remaining } from './applied-object.ts'
import type { DriftDetector } from './drift.ts'
import { isOwn } from './foreign-objects.ts'

/** The cluster never gives an address to a headless Service, nor takes one away: it keeps the old form, or refuses the new one. */
export function keepsForm(wanted: KubeObject, answer: KubeObject): boolean {
  return isService(wanted) && isHeadless(wanted) !== isHeadless(answer)
}

/**
 * Whether the cluster refuses the address of a Service, or that it has none, and nothing else of it: with several causes, which
 * the message lists in brackets, it would refuse the new Service too.
 */
export function isAddressRefused(wanted: KubeObject, error: unknown): boolean {
  const cause = 'is invalid: spec.clusterIPs[0]: Invalid'
  return isService(wanted) && error instanceof Stalled && error.message.includes(cause)
}

/**
 * Deletes the Service of the resource if it is headless and must not be, or the reverse; returns whether it did. Throws Waiting
 * while a finalizer keeps it, as that of a load balancer does.
 */
export async function removeOtherForm(
  resource: ActiveResource,
  wanted: KubeObject,
  {
    objects,
    drift,
    serverNow,
  }: { readonly objects: Objects; readonly drift: DriftDetector; readonly serverNow: () => number },
): Promise<boolean> {
  const reference = referenceTo(wanted)
  const existing = await objects.read(reference)
  if (!existing || !isOwn(resource, existing) || !keepsForm(wanted, existing)) return false
  const { uid, deletionTimestamp, finalizers } = existing.metadata
  drift.noteDeleting(uid)
  if (deletionTimestamp || !(await objects.remove(reference, uid)))
    throw remaining([{ ...reference, finalizers }], deletionTimestamp, serverNow)
  return true
}

function isService({ apiVersion, kind }: KubeObject): boolean {
  return apiVersion === 'v1' && kind === 'Service'
}

function isHeadless({ spec }: KubeObject): boolean {
  if (!isObject(spec)) return false
  const { clusterIP, clusterIPs } = spec
  return clusterIP === 'None' || (Array.isArray(clusterIPs) && clusterIPs[0] === 'None')
}
