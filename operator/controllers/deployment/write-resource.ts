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
import type { Installation } from '../shared/installation-key.ts'

/** Creates or updates a resource as a step of a plan says; safe to repeat. */
export async function writeResource(
  { action, guResId: name, wanted, current, isForced }: PlanStep,
  deployment: EnvironmentDeployment,
  { cluster, installation }: { readonly cluster: Cluster; readonly installation: Installation },
): Promise<void> {
  const { namespace } = deployment.metadata
  const origin = EnvironmentDeployment.kind
  // A resource that is not ready is tried again, although its spec is unchanged.
  if ((action === 'unchanged' || isForced) && (!current || isReady(current))) return
  const signed = (spec: Omit<ActiveResource['spec'], 'signature'>) => ({
    ...spec,
    signature: installation.signature(namespace, name, spec),
  })
  const deploymentName = deployment.metadata.name
  const { explanation } = current?.spec.definition ?? {}
  // An unchanged resource may not have taken it into its status yet.
  const kept = action === 'unchanged' && explanation !== undefined ? { explanation } : {}
  const spec = wanted
    ? signed({ ...wanted, definition: { ...wanted.definition, ...kept }, deploymentName })
    : undefined
  if (action === 'create' && current)
    throw new Waiting('ResourceTerminating', `waiting for ${formatDescriptor(current.spec)} to be deleted`, 1)
  if (action === 'create' && spec) {
    const object = newObject(ActiveResource, { name, namespace, finalizers: [finalizer] }, spec)
    await cluster.create(ActiveResource, object, origin)
    return
  }
  if (!current) return
  const { signature: _, ...before } = current.spec
  const unusedSince = action === 'retain' ? new Date().toISOString() : before.unusedSince
  const after = spec ?? signed({ ...before, deploymentName, unusedSince })
  if (!sameJson(current.spec, after)) await cluster.replaceSpec(ActiveResource, current, after, origin)
}
