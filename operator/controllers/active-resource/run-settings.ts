import type { ActiveResource } from '../../api/active-resource.ts'
import type { KubeObject } from '../../api/kind.ts'
import { copyError, hasReason } from '../../domain/base/errors.ts'
import { sameJson } from '../../domain/base/json.ts'
import { hasRunSettings, withRunSettings } from '../../domain/rendering/run-settings.ts'
import { observedOf } from '../objects/observed.ts'
import { runSettingsFor } from './provision-request.ts'
import type { ResourceStatus, ResourceTools } from './resource-tools.ts'

type Report = (status: ResourceStatus, message: string) => Promise<void>

/**
 * Applies what the environment says about pods to the existing objects of a workload that cannot be provisioned now, so that
 * it can be stopped, scaled and restarted while a database is down. What the environment says no longer is undone by the next
 * provision: the status has no hash, so there is one. Returns the error, with that status when an object was changed.
 */
export async function withRunSettingsApplied(
  error: unknown,
  resource: ActiveResource,
  { cluster, objects, inventory }: Pick<ResourceTools, 'cluster' | 'objects' | 'inventory'>,
  report: Report,
): Promise<unknown> {
  const settings = runSettingsFor(resource, cluster)
  if (!settings || !hasReason(error)) return error
  const status: ResourceStatus = { ...observedOf(resource), ...error.observed, inputsHash: undefined }
  const changed: KubeObject[] = []
  for (const each of status.objects ?? []) {
    const applied = hasRunSettings(each) ? await objects.readApplied(each) : undefined
    if (!applied || applied.metadata.uid !== each.uid) continue
    const [wanted = applied] = withRunSettings([applied], settings)
    if (!sameJson(wanted, applied)) changed.push(wanted)
  }
  if (changed.length === 0) return error
  await report(status, 'applying what the environment says about the pods')
  for (const each of changed) await inventory.applyAgain(resource, each)
  return copyError(error, { observed: status })
}
