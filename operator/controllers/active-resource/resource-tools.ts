import type { ActiveResource } from '../../api/active-resource.ts'
import type { DriverCalls } from '../../drivers/driver.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import type { Observed } from '../../kube/loop/status.ts'
import type { Objects } from '../../kube/objects/objects.ts'
import type { Log } from '../../log.ts'
import type { Planning } from '../../planning/planning.ts'
import type { Inventory } from '../objects/inventory.ts'
import type { Rollouts } from '../rollout/await-rollout.ts'
import type { HostReservations } from '../shared/host-reservations.ts'
import type { Installation } from '../shared/installation-key.ts'
import type { NewResources } from '../shared/new-resources.ts'
import type { Renewals } from '../shared/renewals.ts'
import type { SecretFinalizers } from '../shared/secret-finalizers.ts'
import type { OrganizationDrivers } from './organization-drivers.ts'
import type { Removals } from './removals.ts'

/** What the controller of active resources depends on. */
export interface ResourceTools {
  readonly cluster: Cluster
  readonly objects: Objects
  readonly inventory: Inventory
  readonly installation: Installation
  readonly drivers: OrganizationDrivers
  readonly hostReservations: HostReservations
  readonly vendors: readonly string[]
  readonly deadlineSeconds: number
  readonly planning: Planning
  readonly secretFinalizers: SecretFinalizers
  readonly renewals: Renewals
  readonly newResources: NewResources
  readonly driverCalls: DriverCalls
  readonly rollouts: Rollouts
  readonly removals: Pick<Removals, 'of' | 'isWithEnvironment' | 'onEnqueue'>
  readonly log: Log
}

/** Status fields that a reconcile of an active resource returns or reports. */
export type ResourceStatus = Observed<typeof ActiveResource>
