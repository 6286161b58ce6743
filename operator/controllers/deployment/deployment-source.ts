import { DeploymentDelta } from '../../api/deployment-delta.ts'
import { DeploymentSet } from '../../api/deployment-set.ts'
import type { Environment } from '../../api/environment.ts'
import { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { newObject } from '../../api/kind.ts'
import type { Reason } from '../../api/reasons/reasons.ts'
import { applyDelta, deltaContent, emptySet, type SetContent, setId } from '../../domain/delta/delta.ts'
import { type Base, baseCalled, baseOf } from '../../domain/deployment/deployment.ts'
import { isLastPlanned } from '../../domain/deployment/run-memory.ts'
import { planningFault } from '../../domain/graph/guard.ts'
import { setObjectName } from '../../domain/resource/identity.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { isAlreadyThere } from '../../kube/client/client.ts'
import type { Observed } from '../../kube/loop/status.ts'
import { failure } from './deployment-failure.ts'

/** The set that a deployment is about, and where it comes from. */
export type Source = { readonly set: SetContent } & Observed<typeof EnvironmentDeployment>

/** Something that a deployment names is not there, or not yet. */
export class Missing extends Error {
  readonly reason: Reason
  constructor(reason: Reason, what: string) {
    super(what)
    this.reason = reason
  }
}

/** Finds the set of a deployment: the one it names, or the base folded with its delta, which is then kept. */
export function createSources(cluster: Cluster): {
  /** Throws Missing when there is not all that it takes. */
  of(deployment: EnvironmentDeployment, environment: Environment): Promise<Source>
} {
  const { store } = cluster
  return { of: setFor }

  async function setFor(deployment: EnvironmentDeployment, environment: Environment): Promise<Source> {
    const { namespace = '' } = deployment.metadata
    const { setName, deltaName } = deployment.spec
    const find = (name: string) => store.get(EnvironmentDeployment, namespace, name)
    const named = deployment.status?.fromDeploymentName ?? deployment.spec.fromDeploymentName
    const base = named === undefined ? baseOf(environment, find) : baseCalled(environment, named, find)
    const source = {
      ...(base ? { fromDeploymentName: base.deploymentName } : {}),
      ...(environment.spec.fromDeploymentName
        ? { environmentFromName: environment.spec.fromDeploymentName }
        : {}),
    }
    // One that was deleted on its way and is created again goes on with the set that it was planned with.
    const planned = isLastPlanned(environment, deployment) ? environment.status?.lastPlanned : undefined
    const recorded = setName ?? deployment.status?.setName ?? planned?.setName
    if (recorded) return { ...source, setName: recorded, set: setCalled(namespace, recorded) }
    const baseSet = base ? setOf(namespace, base) : emptySet
    const set = deltaName ? fold(baseSet, deltaCalled(namespace, deltaName)) : baseSet
    return { ...source, set, setName: await keepSet(deployment, environment, set) }
  }

  function setOf(namespace: string, { deploymentName, setName }: Base): SetContent {
    if (setName) return setCalled(namespace, setName)
    throw new Missing('BaseNotFound', `the set of the deployment '${deploymentName}', on which it builds,`)
  }

  function setCalled(namespace: string, name: string): SetContent {
    const set = store.get(DeploymentSet, namespace, name)
    if (!set) throw new Missing('SetNotFound', `the deployment set '${name}'`)
    return set.spec
  }

  function deltaCalled(namespace: string, name: string): DeploymentDelta {
    const delta = store.get(DeploymentDelta, namespace, name)
    if (!delta) throw new Missing('DeltaNotFound', `the delta '${name}'`)
    return delta
  }

  async function keepSet(
    deployment: EnvironmentDeployment,
    environment: Environment,
    set: SetContent,
  ): Promise<string> {
    const { namespace = '' } = deployment.metadata
    const { applicationName } = environment.spec
    const name = setObjectName(applicationName, setId(set))
    if (store.get(DeploymentSet, namespace, name)) return name
    const { modules, shared } = set
    try {
      await cluster.create(
        DeploymentSet,
        newObject(DeploymentSet, { name, namespace }, { applicationName, modules, shared }),
        EnvironmentDeployment.kind,
      )
    } catch (error) {
      if (!isAlreadyThere(error)) throw error
    }
    return name
  }
}

function fold(base: SetContent, delta: DeploymentDelta): SetContent {
  try {
    return applyDelta(base, deltaContent(delta.spec))
  } catch (error) {
    const message = `the delta '${delta.metadata.name}' does not apply: ${planningFault(error).message}`
    throw failure({ problems: [{ object: '', reason: 'IncompatibleDelta', message }] })
  }
}
