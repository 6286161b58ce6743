import { ArtefactVersion } from '../../../operator/api/artefact-version.ts'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { Workload } from '../../../operator/api/workload.ts'
import { isObject } from '../../../operator/domain/base/json.ts'
import { conditionOf } from '../../../operator/kube/loop/outcome.ts'
import { objectOf, objectsOf } from '../surroundings.ts'
import { idOf } from '../users/names.ts'
import type { World } from '../world.ts'
import { hasEnded, newerThan } from './deployment-writes.ts'
import { type Law, problemsOf, readyText } from './law.ts'

/** The image that a Workload of a run wants. */
function imageOf({ spec }: Workload): string {
  const { containers } = spec.score
  const main = isObject(containers) ? containers['main'] : undefined
  return isObject(main) ? String(main.image) : ''
}

/** The module of a Workload in the set that was deployed last, as JSON. */
function deployedModule({ metadata }: Workload, environment: Environment, world: World): string {
  const set = objectOf(world, DeploymentSet, environment.status?.lastPlanned?.setName, metadata.namespace)
  return JSON.stringify(set?.spec.modules[metadata.name.split('.')[1] ?? ''] ?? null)
}

/** Whether a deployment of an environment waits: then what follows it waits too. */
function isBusy({ metadata }: Environment, world: World): boolean {
  return objectsOf(world, EnvironmentDeployment).some(
    (each) =>
      each.metadata.namespace === metadata.namespace &&
      each.spec.environmentName === metadata.name &&
      !hasEnded(each),
  )
}

/** What is wrong with a Workload in an environment of its application. */
function problemIn(workload: Workload, environment: Environment, world: World): string | undefined {
  const { name } = environment.metadata
  const isWanted = workload.spec.environmentIds?.includes(idOf(name)) === true
  const module = deployedModule(workload, environment, world)
  const ready = conditionOf(workload, 'Ready')
  const entry = workload.status?.environments?.find(({ environmentId }) => environmentId === idOf(name))
  const saysWhy = ready?.status === 'False' || isBusy(environment, world)
  if (saysWhy) return undefined
  if (isWanted && !module.includes(`"${imageOf(workload)}"`))
    return `${name} has ${module.slice(0, 200)}, not ${imageOf(workload)}: ${readyText(workload)}`
  if (!isWanted && entry) return `${name} is still in its status: ${readyText(workload)}`
  return undefined
}

export const workloadLaws: readonly Law[] = [
  {
    law: 'The wanted image of a Workload is in the set that was deployed last, or its status says why not.',
    findings: (world) =>
      problemsOf(objectsOf(world, Workload), (workload) =>
        objectsOf(world, Environment)
          .filter(
            ({ metadata, spec }) =>
              metadata.namespace === workload.metadata.namespace &&
              spec.applicationName === workload.spec.applicationName,
          )
          .map((environment) => problemIn(workload, environment, world))
          .find((problem) => problem !== undefined),
      ),
  },
  {
    law: 'Each version of an image is decided, with an outcome in each environment that has a set.',
    findings: (world) =>
      problemsOf(objectsOf(world, ArtefactVersion), (version) => {
        if (version.status?.createdVersion === undefined) return `it is undecided: ${readyText(version)}`
        // The environment starts from a deployment without a set: a person must name another one.
        if (readyText(version).includes('SetNotFound')) return undefined
        const open = version.status.environments?.find(({ outcome }) => outcome === undefined)
        return open && `no outcome in ${open.environmentName}: ${readyText(version)}`
      }),
  },
  {
    law: 'A version of an image is superseded only by a newer one.',
    findings: (world) =>
      problemsOf(objectsOf(world, ArtefactVersion), (version) => {
        const isSuperseded = version.status?.environments?.some(({ outcome }) => outcome === 'Superseded')
        return isSuperseded && newerThan(version, world).length === 0 ? 'no version is newer' : undefined
      }),
  },
]
