import { ActiveResource } from '../../../../operator/api/active-resource.ts'
import { finalizer } from '../../../../operator/api/names.ts'
import type { FreeForm } from '../../../../operator/api/schema.ts'
import { isObject } from '../../../../operator/domain/base/json.ts'
import type { Processes } from '../../process/processes.ts'
import { servedAs } from '../../server/resources.ts'
import type { User } from '../user.ts'
import type { Act } from './act.ts'

/** Fields of statuses that earlier versions of the operator did not write, by kind. */
const laterFields: Readonly<Record<string, readonly string[]>> = {
  ActiveResource: ['outputsSecretVersion', 'secretOutputPaths', 'provisionTime', 'reservedHosts'],
  Environment: ['lastPlanned', 'start'],
  Webhook: ['signingSecretName'],
  WebhookCall: ['attempts'],
  Workload: ['summary'],
}

/** An operator that takes over what an earlier version stored. */
export function upgradeActs(processes: Processes): readonly Act[] {
  return [
    {
      weight: 4,
      what: 'replaces an earlier version of the operator',
      act(user) {
        processes.crash()
        for (const [kind, fields] of Object.entries(laterFields)) removeFields(user, kind, fields)
        holdCookies(user)
      },
    },
  ]
}

function removeFields(user: User, kind: string, fields: readonly string[]): void {
  const none = Object.fromEntries(fields.map((field) => [field, null]))
  for (const { metadata, status } of user.surroundings.server.storage.list(servedAs(kind), user.organization))
    if (isObject(status) && fields.some((field) => field in status))
      user.patchStatus(kind, metadata.name, none as FreeForm)
}

/** Cookies of resources had a finalizer. */
function holdCookies(user: User): void {
  for (const { metadata } of user.surroundings.server.storage.list(servedAs('Secret'), user.organization)) {
    const [owner] = metadata.ownerReferences ?? []
    if (!owner || user.find(ActiveResource, owner.name)?.metadata.uid !== owner.uid) continue
    const isHeld = !metadata.name.includes('-cookie-') || metadata.finalizers || metadata.deletionTimestamp
    if (!isHeld) user.patch('Secret', metadata.name, { metadata: { finalizers: [finalizer] } })
  }
}
