import type { Reason } from '../../api/reasons/reasons.ts'
import type { ResourceDefinition } from '../../api/resource-definition.ts'
import type { DriverDescriptor } from '../resource/driver.ts'
import { impossibleCriteria } from './impossible-criteria.ts'
import { unreadInputs } from './unread-inputs.ts'

/** What a definition says without effect, as warnings, with the reason of the first. */
export interface Doubts {
  readonly reason: Extract<Reason, `Doubtful${string}`>
  readonly warnings: readonly string[]
}

/** The doubts about a definition whose driver may be unknown; `ofDriver` are those of the driver itself. */
export function doubtsAbout(
  { driverType, driverInputs = {}, criteria }: ResourceDefinition['spec'],
  descriptor: DriverDescriptor | undefined,
  ofDriver: readonly string[] = [],
): Doubts {
  const ofInputs = [...(descriptor ? unreadInputs(driverType, descriptor, driverInputs) : []), ...ofDriver]
  const reason = ofInputs.length > 0 ? 'DoubtfulInputs' : 'DoubtfulCriteria'
  return { reason, warnings: [...ofInputs, ...impossibleCriteria(criteria)] }
}
