import {
  createOrganizationDrivers,
  type DriverFactories,
} from '../../../operator/controllers/active-resource/organization-drivers.ts'
import type { ResourceTools } from '../../../operator/controllers/active-resource/resource-tools.ts'
import type { Inventory } from '../../../operator/controllers/objects/inventory.ts'
import { WorkloadPods } from '../../../operator/controllers/rollout/workload-pods.ts'
import { HostReservations } from '../../../operator/controllers/shared/host-reservations.ts'
import type { Installation } from '../../../operator/controllers/shared/installation-key.ts'
import { NewResources } from '../../../operator/controllers/shared/new-resources.ts'
import { Renewals } from '../../../operator/controllers/shared/renewals.ts'
import type { SecretFinalizers } from '../../../operator/controllers/shared/secret-finalizers.ts'
import { canonicalJson } from '../../../operator/domain/base/json.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import type { Objects } from '../../../operator/kube/objects/objects.ts'
import { silentLog } from '../../../operator/log.ts'
import { createPlanning } from '../../../operator/planning/planning.ts'

const notHere = () => {
  throw new Error('no driver of an organization is in this test')
}

/** Dependencies of the controller of active resources without objects and secrets. */
export function resourceTools(
  cluster: Cluster,
  builtIn: readonly Driver[],
  factories: DriverFactories = { remote: notHere, wrapping: notHere },
): ResourceTools {
  const vendors = ['quartermaster']
  const catalogue = builtIn.map(({ descriptor }) => descriptor)
  const planning = createPlanning(cluster.store, { catalogue, vendors, log: silentLog })
  return {
    cluster,
    planning,
    vendors,
    log: silentLog,
    deadlineSeconds: 10,
    drivers: createOrganizationDrivers({ store: cluster.store, planning, builtIn, vendors, factories }),
    hostReservations: new HostReservations(cluster),
    objects: { read: async () => undefined } as Partial<Objects> as Objects, // no object is made
    inventory: {
      watchKinds() {},
      onEnqueue() {},
      consumeDrift: () => false,
      contested: () => undefined,
      unrecorded: async () => [],
      async enqueueOnChange() {},
      apply: async () => ({ applied: [], live: [] }),
      removeOthers: async () => {},
      removeAll: async () => {},
      applyAgain: async () => {},
      objectsOf: async () => [],
      foreignIn: async () => [],
    } satisfies Inventory,
    installation: { isSigned: () => true, hash: canonicalJson } as unknown as Installation, // nothing is secret
    driverCalls: { ended() {} },
    renewals: new Renewals(cluster.store),
    newResources: new NewResources(),
    rollouts: {
      pods: new WorkloadPods(cluster.client, silentLog),
      policy: 'applied',
      schedulingSeconds: 30,
      serverNow: Date.now,
    },
    removals: { of: () => 'alone', isWithEnvironment: () => false, onEnqueue() {} },
    secretFinalizers: {
      addFinalizers: async () => [],
      removeFinalizers: async () => {},
      releaseAll: async () => {},
    } satisfies SecretFinalizers,
  }
}
