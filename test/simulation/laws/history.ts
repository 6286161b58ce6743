import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import type { StoredObject } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import { WebhookCall } from '../../../operator/api/webhook.ts'
import { recordedSetNames, scoped, setNamesOf } from '../../../operator/kube/cache/kinds-in-store.ts'
import { keyOf } from '../../../operator/kube/client/resource.ts'
import { shortCallSeconds, shortHistory } from '../process/settings.ts'
import { objectsOf } from '../surroundings.ts'
import { serverNow } from '../time/replace-globals.ts'
import type { World } from '../world.ts'
import { hasEnded } from './deployment-writes.ts'
import { type Law, problemsOf } from './law.ts'

/** A call is looked at this often. */
const resyncSeconds = 1800
const spareSeconds = 300

/** The ended deployments that the gateway made and that nothing names. */
function removable({ metadata, status }: Environment, world: World): EnvironmentDeployment[] {
  const { name, namespace } = metadata
  const isHere = (each: StoredObject) => each.metadata.namespace === namespace
  const environments = objectsOf(world, Environment).filter(isHere)
  const starts = new Set(environments.map(({ spec }) => spec.fromDeploymentName))
  const last = status?.lastPlanned?.deploymentName
  return objectsOf(world, EnvironmentDeployment).filter(
    (each) =>
      isHere(each) &&
      each.spec.environmentName === name &&
      each.metadata.annotations?.[annotations.createdBy] !== undefined &&
      hasEnded(each) &&
      each.metadata.name !== last &&
      !starts.has(each.metadata.name),
  )
}

/** Laws of what is deleted because it is old. */
export const historyLaws: readonly Law[] = [
  {
    law: 'An environment keeps no more ended deployments than the settings say.',
    findings: (world) =>
      problemsOf(world.features.settings ? objectsOf(world, Environment) : [], (each) => {
        const names = removable(each, world).map(({ metadata }) => metadata.name)
        return names.length > shortHistory + 1 ? `it keeps ${names.join(', ')}` : undefined
      }),
  },
  {
    law: 'An ended webhook call is deleted after the time that the settings say.',
    findings: (world) =>
      problemsOf(world.features.settings ? objectsOf(world, WebhookCall) : [], ({ status }) => {
        const age = (serverNow() - Date.parse(status?.finishTime ?? '')) / 1000
        return age > shortCallSeconds + resyncSeconds + spareSeconds ? `it ended ${age} s ago` : undefined
      }),
  },
  {
    law: 'A deployment set that only we wrote is deleted when nothing uses it.',
    findings(world) {
      const used = new Set([
        ...objectsOf(world, EnvironmentDeployment).flatMap((each) => scopedIn(each, setNamesOf(each))),
        ...objectsOf(world, Environment).flatMap((each) => scopedIn(each, recordedSetNames(each))),
      ])
      return problemsOf(objectsOf(world, DeploymentSet), (each) => {
        const isOurs = each.metadata.managedFields !== undefined
        return isOurs && !used.has(keyOf(each)) ? 'nothing uses it' : undefined
      })
    },
  },
]

const scopedIn = (object: StoredObject, names: readonly string[]) => names.map((name) => scoped(object, name))
