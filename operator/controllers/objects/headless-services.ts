import type { ActiveResource } from '../../api/active-resource.ts'
import type { KubeObject } from '../../api/kind.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { isObject } from '../../domain/base/json.ts'
import type { Objects } from '../../kube/objects.ts'
import { referenceTo } from './applied-object.ts'
import type { DriftDetector } from './drift.ts'
import { isOwn } from './foreign-objects.ts'

/** The cluster never gives an address to a headless Service, nor takes one away: it keeps the old form, or refuses the new one. */
export function keepsForm(wanted: KubeObject, answer: KubeObject): boolean {
  return isService(wanted) && isHeadless(wanted) !== isHeadless(answer)
}

/** Whether the cluster refuses the address of a Service, or that it has none. */
export function isAddressRefused(wanted: KubeObject, error: unknown): boolean {
  return (
    isService(wanted) && error instanceof Stalled && error.message.includes('spec.clusterIPs[0]: Invalid')
  )
}

/** Deletes the Service of the resource if it is headless and must not be, or the reverse; returns whether it did. */
export async function removeOtherForm(
  resource: ActiveResource,
  wanted: KubeObject,
  { objects, drift }: { readonly objects: Objects; readonly drift: DriftDetector },
): Promise<boolean> {
  const reference = referenceTo(wanted)
  const existing = await objects.read(reference)
  if (!existing || !isOwn(resource, existing) || !keepsForm(wanted, existing)) return false
  drift.noteDeleting(existing.metadata.uid)
  return objects.remove(reference, existing.metadata.uid)
}

function isService({ apiVersion, kind }: KubeObject): boolean {
  return apiVersion === 'v1' && kind === 'Service'
}

function isHeadless({ spec }: KubeObject): boolean {
  if (!isObject(spec)) return false
  const { clusterIP, clusterIPs } = spec
  return clusterIP === 'None' || (Array.isArray(clusterIPs) && clusterIPs[0] === 'None')
}
