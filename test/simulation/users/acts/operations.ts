import { kinds } from '../../../../operator/api/kinds.ts'
import type { Processes } from '../../process/processes.ts'
import { allServed } from '../../server/resources.ts'
import type { Act } from './act.ts'

/** Events of the processes and the API server, which do not wait for a user. */
export function operationActs(processes: Processes): readonly Act[] {
  return [
    { weight: 2, what: 'restarts the operator', act: () => processes.restart() },
    { weight: 1, what: 'cuts the leader off from its lease', act: () => processes.loseLease() },
    {
      weight: 1.5,
      what: 'ends the API server for some seconds',
      act({ surroundings: { clock, faults, random } }) {
        faults.outageUntil = clock.now + random.below(8000)
      },
    },
    {
      weight: 3,
      what: 'holds a watch',
      act(user) {
        const { clock, faults, random } = user.surroundings
        const plurals = [...kinds.map(({ plural }) => plural), 'namespaces', 'configmaps']
        const often = ['activeresources', 'environmentdeployments', 'environments']
        faults.heldWatches.set(user.pick([...plurals, ...often]), clock.now + random.below(40_000))
      },
    },
  ]
}

/** The clocks of the processes are set, forward or back. */
export const clockActs: readonly Act[] = [
  {
    weight: 3,
    what: 'sets the clocks of the processes',
    act({ surroundings: { clock, random } }) {
      clock.offset = random.pick([0, 1000, -1000, 20_000, -20_000, 600_000, -600_000, 3_600_000, -3_600_000])
    },
  },
]

const usualKinds = [
  'ActiveResource',
  'Secret',
  'EnvironmentDeployment',
  'DeploymentSet',
  'WebhookCall',
  'ConfigMap',
]
const allKinds = allServed.filter(({ namespaced }) => namespaced).map(({ kind }) => kind)

export const quotaActs: readonly Act[] = [
  {
    weight: 2,
    what: 'fills quotas for a while',
    act(user) {
      const { clock, faults, random } = user.surroundings
      const kindsOfQuota = user.features.allQuotas ? allKinds : usualKinds
      for (const kind of kindsOfQuota.filter(() => user.chance(0.4)))
        faults.fullQuotas.set(kind, clock.now + random.below(25_000))
    },
  },
]
