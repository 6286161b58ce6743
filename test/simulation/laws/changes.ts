import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { canonicalJson } from '../../../operator/domain/base/json.ts'
import { objectsOf } from '../surroundings.ts'
import { serverNow } from '../time/replace-globals.ts'
import { hasEnded } from './deployment-writes.ts'
import type { WriteLaw } from './law.ts'

/** What a resource is made with. */
const contentOf = ({ spec: { deploymentName: _, signature: __, ...content } }: ActiveResource) =>
  canonicalJson(content)

/** The former leader may have ended a deployment, and the new one learn it late. */
const latestSeconds = 60
const secondsSince = (time = '') => (serverNow() - Date.parse(time)) / 1000

/** The law that what users write reaches resources with deployments alone. */
export const changeLaw: WriteLaw = {
  law: 'The operator changes what a resource is made with only while a deployment of its environment runs.',
  problem({ served, type, before, object }, world) {
    const { writer } = world.server.storage
    // A request of a former leader may arrive late.
    if (writer?.isLeader !== true) return undefined
    if (served.kind !== ActiveResource.kind || type === 'DELETED') return undefined
    const [was, is] = [before, object] as unknown as [ActiveResource?, ActiveResource?] // as their kind says
    if (!is || (was && contentOf(was) === contentOf(is))) return undefined
    const isRunning = objectsOf(world, EnvironmentDeployment).some(
      (each) =>
        each.metadata.namespace === is.metadata.namespace &&
        each.spec.environmentName === is.spec.environmentName &&
        each.status?.startTime !== undefined &&
        (!hasEnded(each) || secondsSince(each.status.finishTime) < latestSeconds),
    )
    return isRunning ? undefined : 'no deployment runs'
  },
}
