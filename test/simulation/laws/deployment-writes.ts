import type { ArtefactVersion } from '../../../operator/api/artefact-version.ts'
import { ArtefactVersion as Version } from '../../../operator/api/artefact-version.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { annotations } from '../../../operator/api/names.ts'
import { canonicalJson } from '../../../operator/domain/base/json.ts'
import { conditionOf } from '../../../operator/kube/loop/outcome.ts'
import type { Change } from '../server/storage.ts'
import { objectOf, objectsOf } from '../surroundings.ts'
import type { World } from '../world.ts'
import { readyText, type WriteLaw } from './law.ts'

/** Whether a deployment says that it has ended, in any way. */
export function hasEnded(deployment: EnvironmentDeployment): boolean {
  return (
    deployment.status?.finishTime !== undefined ||
    conditionOf(deployment, 'Ready')?.status === 'True' ||
    conditionOf(deployment, 'Stalled')?.status === 'True'
  )
}

/** The deployment of a write that did not delete it, before and after. */
function writtenIn({ served, type, before, object }: Change) {
  if (served.kind !== EnvironmentDeployment.kind || type === 'DELETED') return undefined
  return {
    before: before as EnvironmentDeployment | undefined, // as its kind says
    after: object as unknown as EnvironmentDeployment, // as its kind says
  }
}

/** The deployment that a write starts. */
function startedIn(change: Change): EnvironmentDeployment | undefined {
  const { before, after } = writtenIn(change) ?? {}
  return after?.status?.startTime !== undefined && before?.status?.startTime === undefined ? after : undefined
}

/** What makes two deployments the same: the environment with its uid, the name, and the spec. */
function runOf({ metadata, spec }: EnvironmentDeployment, world: World): string | undefined {
  const environment = objectOf(world, Environment, spec.environmentName, metadata.namespace)
  return environment && `${environment.metadata.uid} ${metadata.name} ${canonicalJson(spec)}`
}

/** Laws of the writes to deployments, with a new memory. */
export function deploymentWriteLaws(): readonly WriteLaw[] {
  /** The uids of the deployments that ended first, by run. */
  const ended = new Map<string, string>()
  return [
    {
      law: 'A deployment that ran is done, and not repeated when it is created anew.',
      problem(change, world) {
        const { after } = writtenIn(change) ?? {}
        const run = after && runOf(after, world)
        if (!after || run === undefined) return undefined
        const { finishTime, startTime } = after.status ?? {}
        if (finishTime !== undefined && startTime !== undefined && !ended.has(run))
          ended.set(run, after.metadata.uid)
        const first = ended.get(run)
        const isAgain = startedIn(change) && first !== undefined && first !== after.metadata.uid
        return isAgain ? 'it runs again' : undefined
      },
    },
    {
      law: 'At most one deployment of an environment runs.',
      problem(change, world) {
        const started = startedIn(change)
        const other =
          started &&
          objectsOf(world, EnvironmentDeployment).find(
            (each) =>
              each.metadata.uid !== started.metadata.uid &&
              each.metadata.deletionTimestamp === undefined &&
              each.metadata.namespace === started.metadata.namespace &&
              each.spec.environmentName === started.spec.environmentName &&
              each.status?.startTime !== undefined &&
              !hasEnded(each),
          )
        return other && `it runs at the same time as ${other.metadata.name}`
      },
    },
    {
      law: 'A deployment that has ended does not change.',
      problem(change) {
        const { before, after } = writtenIn(change) ?? {}
        if (!before || !after || after.metadata.deletionTimestamp !== undefined) return undefined
        if (before.status?.finishTime === undefined) return undefined
        const isSame =
          before.status.finishTime === after.status?.finishTime &&
          conditionOf(before, 'Ready')?.status === conditionOf(after, 'Ready')?.status
        return isSame ? undefined : `${readyText(before)} became ${readyText(after)}`
      },
    },
    {
      law: 'A deployment that has started keeps its start, its plan and its set.',
      problem(change) {
        const { before, after } = writtenIn(change) ?? {}
        const [was, is] = [before?.status, after?.status]
        if (was?.startTime === undefined) return undefined
        const lost = (['startTime', 'plan', 'setName'] as const).filter(
          (field) => was[field] !== undefined && is?.[field] === undefined,
        )
        return lost.length > 0 ? `it loses ${lost.join(', ')}` : undefined
      },
    },
    versionLaw(),
  ]
}

function versionLaw(): WriteLaw {
  /** Which deployment brought a version to an environment, by their uids. */
  const deployed = new Map<string, string>()
  return {
    law: 'A version of an image is deployed once in an environment, and never after a newer one.',
    problem(change, world) {
      const { before, after } = writtenIn(change) ?? {}
      const names = after?.metadata.annotations?.[annotations.artefactVersions]
      if (!after || before || names === undefined) return undefined
      const { namespace } = after.metadata
      const environment = objectOf(world, Environment, after.spec.environmentName, namespace)?.metadata.uid
      for (const name of names.split(',')) {
        const version = objectOf(world, Version, name, namespace)
        if (!version) continue
        const key = `${environment} ${version.metadata.uid}`
        const earlier = deployed.get(key)
        // A copy from Git does not run again, as another law says.
        if (earlier === after.metadata.name) continue
        if (earlier !== undefined) return `${name} was deployed by ${earlier} already`
        deployed.set(key, after.metadata.name)
        const newer = newerThan(version, world).find((each) =>
          deployed.has(`${environment} ${each.metadata.uid}`),
        )
        if (newer) return `${name} comes after the newer ${newer.metadata.name}`
      }
      return undefined
    },
  }
}

/** Versions of the same artefact that were registered later. */
export function newerThan(version: ArtefactVersion, world: World): ArtefactVersion[] {
  const order = (each: ArtefactVersion) => BigInt(each.status?.createdVersion ?? 0)
  return objectsOf(world, Version).filter(
    (each) =>
      each.metadata.namespace === version.metadata.namespace &&
      each.spec.artefactName === version.spec.artefactName &&
      order(each) > order(version),
  )
}
