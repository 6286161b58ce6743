import { ActiveResource } from '../../api/active-resource.ts'
import { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { newObject } from '../../api/kind.ts'
import { finalizer } from '../../api/names.ts'
import { Waiting } from '../../domain/base/errors.ts'
import { sameJson } from '../../domain/base/json.ts'
import type { PlanStep } from '../../domain/plan/plan.ts'
import { formatDescriptor } from '../../domain/resource/descriptor.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { isReady } from '../../kube/loop/outcome.ts'
import type { Installation } from '../shared/installation.ts'

/** Writes one resource as the plan of a deployment wants it; safe to repeat. */
export function createResourceWriter({
  cluster,
  installation,
}: {
  readonly cluster: Cluster
  readonly installation: Installation
}): (step: PlanStep, deployment: EnvironmentDeployment) => Promise<void> {
  return async ({ action, guResId: name, wanted, current }, deployment) => {
    const { namespace = '' } = deployment.metadata
    const origin = EnvironmentDeployment.kind
    // One that is not ready is tried anew: somebody may have mended what was in its way.
    if (action === 'unchanged' && (!current || isReady(current))) return
    const signed = (spec: Omit<ActiveResource['spec'], 'signature'>) => ({
      ...spec,
      signature: installation.signature(namespace, name, spec),
    })
    const deploymentName = deployment.metadata.name
    const spec = wanted ? signed({ ...wanted, ...originsOf(deployment, current) }) : undefined
    if (action === 'create' && current) {
      throw new Waiting('ResourceTerminating', `waiting for ${formatDescriptor(current.spec)} to go`, 1)
    }
    if (action === 'create' && spec) {
      const object = newObject(ActiveResource, { name, namespace, finalizers: [finalizer] }, spec)
      await cluster.create(ActiveResource, object, origin)
      return
    }
    if (!current) return
    const { signature: _, ...before } = current.spec
    const unusedSince = action === 'retain' ? new Date().toISOString() : before.unusedSince
    const after = spec ?? signed({ ...before, deploymentName, ...(unusedSince ? { unusedSince } : {}) })
    if (!sameJson(current.spec, after)) await cluster.replaceSpec(ActiveResource, current, after, origin)
  }
}

/** Which deployment writes a resource, and the last one that has it provisioned whatever it was. */
function originsOf({ metadata, spec }: EnvironmentDeployment, current: ActiveResource | undefined) {
  const deploymentName = metadata.name
  const renewedByDeploymentName =
    spec.mode === 'full' ? deploymentName : current?.spec.renewedByDeploymentName
  return { deploymentName, ...(renewedByDeploymentName === undefined ? {} : { renewedByDeploymentName }) }
}
