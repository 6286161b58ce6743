import type { Features } from '../../features.ts'
import type { Processes } from '../../process/processes.ts'
import type { User } from '../user.ts'
import type { Act } from './act.ts'
import { bindingActs, deletionActs, finalizerActs, releaseActs, rivalActs } from './clients.ts'
import { customActs, typeActs, wrapperActs } from './customs.ts'
import { definitionActs, namespaceActs, resourceActs } from './definitions.ts'
import { deploymentActs, environmentActs, podActs } from './deployments.ts'
import { limitActs } from './limits.ts'
import { objectActs, placeActs } from './objects.ts'
import { clockActs, operationActs, quotaActs } from './operations.ts'
import { equalActs } from './rivals.ts'
import { secretActs } from './secrets.ts'
import { upgradeActs } from './upgrades.ts'
import { imageActs, workloadActs } from './workloads.ts'

/** All that can happen in a run with these features. */
export function actsOf(features: Features, processes: Processes): readonly Act[] {
  return [
    ...deploymentActs,
    ...environmentActs,
    ...definitionActs,
    ...resourceActs,
    ...secretActs,
    ...objectActs,
    ...operationActs(processes),
    ...(features.namespaces ? namespaceActs : []),
    ...(features.custom ? customActs : []),
    ...(features.workloads ? workloadActs : []),
    ...(features.images ? imageActs : []),
    ...(features.places ? placeActs : []),
    ...(features.quotas ? quotaActs : []),
    ...laterActsOf(features, processes),
  ]
}

function laterActsOf(features: Features, processes: Processes): readonly Act[] {
  return [
    ...(features.wrappers ? wrapperActs : []),
    ...(features.types ? typeActs : []),
    ...(features.finalizers ? finalizerActs : []),
    ...(features.rights ? bindingActs : []),
    ...(features.deletions ? deletionActs : []),
    ...(features.settings ? releaseActs : []),
    ...(features.neighbours && features.places ? rivalActs : []),
    ...(features.upgrades ? upgradeActs(processes) : []),
    ...(features.equals ? equalActs : []),
    ...(features.limits ? limitActs : []),
    ...(features.clocks ? clockActs : []),
    ...(features.pods ? podActs : []),
  ]
}

/** Does one of the acts. */
export function actOnce(user: User, acts: readonly Act[]): void {
  const total = acts.reduce((sum, { weight }) => sum + weight, 0)
  let rest = (user.surroundings.random.below(1e6) / 1e6) * total
  const chosen = acts.find(({ weight }) => {
    rest -= weight
    return rest <= 0
  })
  if (chosen) user.does(chosen.what, () => chosen.act(user))
}
