import { ActiveResource } from '../../api/active-resource.ts'
import { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { newObject } from '../../api/kind.ts'
import { finalizer } from '../../api/names.ts'
import { Waiting } from '../../domain/base/errors.ts'
import { sameJson } from '../../domain/base/json.ts'
import type { PlanStep } from '../../domain/plan/plan.ts'
import type { WantedSpec } from '../../domain/plan/wanted-spec.ts'
import { formatDescriptor } from '../../domain/resource/descriptor.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { isReady } from '../../kube/loop/outcome.ts'
import type { Installation } from '../shared/installation-key.ts'
import type { NewResources } from '../shared/new-resources.ts'

/** Whether a step of a plan changes a resource. One that is not ready is tried again, although its spec is unchanged. */
export function needsWrite({ action, current, isForced }: PlanStep): boolean {
  const isUnchanged = action === 'unchanged' || isForced === true
  return !isUnchanged || (current !== undefined && !isReady(current))
}

/** Creates or updates a resource as a step of a plan says that needs it; safe to repeat. */
export async function writeResource(
  step: PlanStep,
  deployment: EnvironmentDeployment,
  {
    cluster,
    installation,
    newResources,
  }: { readonly cluster: Cluster; readonly installation: Installation; readonly newResources: NewResources },
): Promise<void> {
  const { action, guResId: name, current } = step
  const { namespace } = deployment.metadata
  const origin = EnvironmentDeployment.kind
  const signed = (spec: Omit<ActiveResource['spec'], 'signature'>) => ({
    ...spec,
    signature: installation.signature(namespace, name, spec),
  })
  const deploymentName = deployment.metadata.name
  const wanted = wantedBy(step)
  const spec = wanted ? signed({ ...wanted, deploymentName }) : undefined
  if (action === 'create' && current)
    throw new Waiting('ResourceTerminating', `waiting for ${formatDescriptor(current.spec)} to be deleted`, 1)
  if (action === 'create' && spec) {
    const object = newObject(ActiveResource, { name, namespace, finalizers: [finalizer] }, spec)
    await newResources.add(`${namespace}/${name}`, cluster.create(ActiveResource, object, origin))
    return
  }
  if (!current) return
  const { signature: _, ...before } = current.spec
  const unusedSince = action === 'retain' ? new Date().toISOString() : before.unusedSince
  const after = spec ?? signed({ ...before, deploymentName, unusedSince })
  if (!sameJson(current.spec, after)) await cluster.replaceSpec(ActiveResource, current, after, origin)
}

/** The spec that a step writes. An unchanged resource keeps why its definition was chosen: its status may not say so yet. */
function wantedBy({ action, wanted, current }: PlanStep): WantedSpec | undefined {
  const explanation = current?.spec.definition.explanation
  if (!wanted || action !== 'unchanged' || explanation === undefined) return wanted
  return { ...wanted, definition: { ...wanted.definition, explanation } }
}
