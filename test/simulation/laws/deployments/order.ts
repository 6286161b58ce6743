import { Environment } from '../../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import type { Change } from '../../server/storage.ts'
import { objectOf, objectsOf } from '../../surroundings.ts'
import { serverNow } from '../../time/replace-globals.ts'
import type { World } from '../../world.ts'
import { hasEnded } from '../deployment-writes.ts'
import { type Law, problemsOf, type WriteLaw } from '../law.ts'

/** The age of a deployment as text, with the numbers of names in their order. */
function ageOf({ metadata: { creationTimestamp, name } }: EnvironmentDeployment): string {
  return `${creationTimestamp} ${name.replaceAll(/\d+/g, (digits) => digits.padStart(10, '0'))}`
}

/** A watch can be as late as this. */
const latestMs = 60_000
const msSince = ({ metadata }: EnvironmentDeployment) => serverNow() - Date.parse(metadata.creationTimestamp)

const textOf = (name = 'none', setName = 'no set') => `${name} with ${setName}`

/** Laws of the order of the deployments of an environment, with the memory that they need. */
export function orderLaws(): { readonly writes: readonly WriteLaw[]; readonly quiet: readonly Law[] } {
  /** When each deployment was created, by its uid. */
  const created = new Map<string, number>()
  /** The deployments that the operator made: it knows them before those of others that its watch reports late. */
  const ours = new Set<string>()
  /**
   * What an environment may remember, by its uid: the deployment that began last, and those after it that were deleted as they
   * began, which may have made nothing.
   */
  const last = new Map<string, string[]>()

  function startedIn(
    { served, type, version, before, object }: Change,
    { server }: World,
  ): EnvironmentDeployment | undefined {
    if (served.kind !== EnvironmentDeployment.kind || type === 'DELETED') return undefined
    const { uid } = object.metadata
    if (type === 'ADDED') created.set(uid, version)
    if (type === 'ADDED' && server.storage.writer?.isGateway === false) ours.add(uid)
    const [was, is] = [before, object] as unknown as [EnvironmentDeployment?, EnvironmentDeployment?] // as its kind says
    return is?.status?.startTime !== undefined && was?.status?.startTime === undefined ? is : undefined
  }

  return {
    writes: [
      {
        law: 'The deployments of an environment begin in the order of their creation.',
        problem(change, world) {
          const started = startedIn(change, world)
          if (!started) return undefined
          const { metadata, spec, status } = started
          const environment = objectOf(world, Environment, spec.environmentName, metadata.namespace)
          if (environment) {
            const { uid } = environment.metadata
            const isDeleted = metadata.deletionTimestamp !== undefined
            const before = isDeleted ? (last.get(uid) ?? [textOf()]) : []
            last.set(uid, [...before, textOf(metadata.name, status?.setName)])
          }
          const at = created.get(metadata.uid) ?? 0
          const older = objectsOf(world, EnvironmentDeployment).find(
            (each) =>
              each.metadata.namespace === metadata.namespace &&
              each.spec.environmentName === spec.environmentName &&
              each.metadata.deletionTimestamp === undefined &&
              !hasEnded(each) &&
              each.status?.setName === undefined &&
              (created.get(each.metadata.uid) ?? 0) < at &&
              ageOf(each) < ageOf(started) &&
              !(ours.has(metadata.uid) && msSince(each) < latestMs),
          )
          return older && `it begins before ${older.metadata.name}`
        },
      },
    ],
    quiet: [
      {
        law: 'An environment remembers the deployment that began last, and its set.',
        findings: (world) =>
          problemsOf(objectsOf(world, Environment), ({ metadata, status }) => {
            const began = last.get(metadata.uid) ?? [textOf()]
            const { deploymentName, setName } = status?.lastPlanned ?? {}
            if (world.features.upgrades && deploymentName === undefined) return undefined
            const text = textOf(deploymentName, setName)
            return began.includes(text) ? undefined : `it remembers ${text}, not ${began.join(' or ')}`
          }),
      },
    ],
  }
}
