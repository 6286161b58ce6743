import type { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { object, oneOf, string, time } from '../../../operator/api/schema.ts'
import { byAge } from '../../../operator/domain/deployment/deployment.ts'
import { baseOf, rememberedStart } from '../../../operator/domain/deployment/deployment-base.ts'
import { isLastPlanned, isRepetition } from '../../../operator/domain/deployment/deployment-history.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { objectName } from '../../request/parameters.ts'
import { named } from '../../response/shapes.ts'
import { statusMessageField, statusMessageOf } from '../active-resources/status-message.ts'
import { createdAt, createdBy, environmentIdOf, lifecycleOf, resourcesOf } from '../common/find.ts'
import {
  deploymentShape,
  deploymentsTo,
  toDeployment,
  toPastDeployment,
} from '../deployments/deployment-shape.ts'
import { setIdOf } from '../deployments/set-shape.ts'

/** Environment in responses. */
export const environmentShape = named(
  'Environment',
  object(
    {
      id: objectName('Environment ID.'),
      name: string('Display name.'),
      type: string('Environment type.'),
      created_at: time('Time when it was created.'),
      created_by: string(
        'ID of the user who created it through the REST API. Empty if it was created in another way.',
      ),
      status: oneOf(['active', 'deleting'], 'Whether it is being deleted.'),
      status_changed_at: time('Time when `status` last changed.'),
    },
    {
      ...statusMessageField,
      from_deploy: deploymentShape,
      last_deploy: deploymentShape,
      base_set_id: string(
        'ID of the deployment set that the next delta changes; of the empty set before the first deployment. Absent if the deployment that the environment starts from is deleted and its set is unknown.',
      ),
    },
    'An environment of an application.',
  ),
)

/** Converts an environment for a response. */
export function toEnvironment(store: Store, environment: Environment) {
  const { metadata, spec } = environment
  const { namespace } = metadata
  const from = startDeploymentOf(store, environment)
  const last = lastDeploymentOf(environment, deploymentsTo(store, namespace, metadata.name))
  return {
    id: environmentIdOf(environment),
    name: spec.displayName ?? environmentIdOf(environment),
    type: spec.typeName,
    created_at: createdAt(environment),
    created_by: createdBy(environment),
    ...lifecycleOf(environment),
    ...statusMessageOf(environment, () => resourcesOf(store, environment)),
    from_deploy: from,
    last_deploy: last && toDeployment(last),
    base_set_id: baseSetIdOf(store, environment),
  }
}

/** Returns the ID of the set that the next delta changes. */
function baseSetIdOf(store: Store, environment: Environment): string | undefined {
  const { namespace } = environment.metadata
  return setIdOf(baseOf(environment, (name) => store.get(EnvironmentDeployment, namespace, name)))
}

/** Returns the newest deployment. A repetition of an earlier deployment counts only if its set was planned last. */
function lastDeploymentOf(environment: Environment, deployments: readonly EnvironmentDeployment[]) {
  return deployments
    .filter((each) => !isRepetition(each) || isLastPlanned(environment, each))
    .sort(byAge)
    .at(-1)
}

/** Returns the deployment that an environment starts from, or what the environment stores of a deleted one. */
function startDeploymentOf(store: Store, environment: Environment) {
  const { namespace } = environment.metadata
  const { fromDeploymentName: name } = environment.spec
  const present = name === undefined ? undefined : store.get(EnvironmentDeployment, namespace, name)
  const remembered = rememberedStart(environment, present)
  if (remembered && remembered.deploymentUid !== present?.metadata.uid) return toPastDeployment(remembered)
  return present && toDeployment(present)
}
