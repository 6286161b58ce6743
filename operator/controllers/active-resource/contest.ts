import type { ActiveResource } from '../../api/active-resource.ts'
import { fieldManager } from '../../api/names.ts'
import { conditionOf } from '../../kube/loop/outcome.ts'
import type { ObjectReference, Objects } from '../../kube/objects/objects.ts'
import type { Inventory } from '../objects/inventory.ts'
import { repairPauseSeconds } from '../objects/repair-pace.ts'
import type { ResourceStatus } from './resource-tools.ts'

interface Tools {
  readonly inventory: Pick<Inventory, 'contested'>
  readonly objects: Pick<Objects, 'read'>
}

/** Adds a warning while another client changes an object of the resource again and again. */
export async function withContest(
  resource: ActiveResource,
  status: ResourceStatus,
  { inventory, objects }: Tools,
): Promise<ResourceStatus> {
  const contested = inventory.contested(resource)
  if (!contested) return status
  const { kind, namespace, name } = contested
  const fullName = namespace === undefined ? name : `${namespace}/${name}`
  const begin = `another client changes the ${kind} '${fullName}' again and again`
  const before = conditionOf(resource, 'Warning')
  // After a repair, the object says no longer who changed it.
  const message = before?.message.startsWith(begin)
    ? before.message
    : `${begin}${await lastWriter(contested, objects)}; it is repaired every ${repairPauseSeconds} seconds`
  const warning = { type: 'Warning', status: 'True', reason: 'ChangedByOthers', message } as const
  return { ...status, conditions: [...(status.conditions ?? []), warning] }
}

/** Who wrote the object last, as its managed fields say. */
async function lastWriter(reference: ObjectReference, objects: Tools['objects']): Promise<string> {
  const object = await objects.read(reference).catch(() => undefined)
  const [last] = (object?.metadata.managedFields ?? [])
    .filter(({ manager, subresource }) => manager !== fieldManager && subresource !== 'status')
    .sort((left, right) => (right.time ?? '').localeCompare(left.time ?? ''))
  if (last?.manager !== undefined) return ` (the last one is '${last.manager}')`
  // What admission changes counts as ours.
  return object ? ' (its fields name no other one: an admission policy may change it)' : ''
}
