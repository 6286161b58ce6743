import { ActiveResource } from '../../../../operator/api/active-resource.ts'
import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import { kinds } from '../../../../operator/api/kinds.ts'
import type { ResourceQuota } from '../../../../operator/domain/base/quota.ts'
import { limitOf } from '../../server/quotas.ts'
import { servedAs } from '../../server/resources.ts'
import { objectsOf } from '../../surroundings.ts'
import type { World } from '../../world.ts'
import { hasEnded } from '../deployment-writes.ts'
import { type Law, nameOf, problemsOf, readyText, type WriteLaw } from '../law.ts'

const message =
  /^the quota '([^']+)' of the namespace '([^']+)' allows (\d+) .* \((\d+) used, (\d+) more needed\)/
const reason = 'QuotaExceeded'
const activeResources = limitOf(servedAs('ActiveResource'))

const refusalsOf = ({ status }: EnvironmentDeployment) => status?.problems ?? []

/** Whether a deployment says that quotas alone keep it from its start. */
export function isRefusedByQuota(deployment: EnvironmentDeployment): boolean {
  const problems = refusalsOf(deployment)
  return (
    deployment.status?.startTime === undefined &&
    problems.length > 0 &&
    problems.every((each) => each.reason === reason)
  )
}

/** Whether a quota was as a message says, at any time. */
function wasSo(world: World, [, name, namespace, limit, used]: readonly string[]): boolean {
  return world.server.storage.changesOf(servedAs('ResourceQuota')).some(({ object }) => {
    const { metadata, status } = object as ResourceQuota // of the kind
    if (metadata.name !== name || metadata.namespace !== namespace) return false
    return status?.hard?.[activeResources] === limit && status?.used?.[activeResources] === used
  })
}

/** Laws of deployments that a quota refuses. */
export const limitWriteLaws: readonly WriteLaw[] = [
  {
    law: 'A deployment that a quota refuses has made nothing.',
    problem({ served, type, object }, world) {
      const deployment = object as unknown as EnvironmentDeployment // of the kind
      if (served.kind !== EnvironmentDeployment.kind || type === 'DELETED') return undefined
      if (!isRefusedByQuota(deployment)) return undefined
      const { name, namespace } = deployment.metadata
      const made = objectsOf(world, ActiveResource).find(
        ({ metadata, spec }) => metadata.namespace === namespace && spec.deploymentName === name,
      )
      return made && `${nameOf(made)} is of it`
    },
  },
  {
    law: 'A quota refuses a deployment only if it has no room.',
    problem({ served, type, object }, world) {
      const deployment = object as unknown as EnvironmentDeployment // of the kind
      if (served.kind !== EnvironmentDeployment.kind || type === 'DELETED') return undefined
      if (!isRefusedByQuota(deployment)) return undefined
      for (const { message: text } of refusalsOf(deployment)) {
        const parts = message.exec(text)
        if (!parts || !wasSo(world, parts)) return `no quota was so: ${text}`
        if (Number(parts[4]) + Number(parts[5]) <= Number(parts[3])) return `there is room: ${text}`
      }
      return undefined
    },
  },
]

/** The law of what waits for room, when nothing limits anything any more. */
export const roomLaw: Law = {
  law: 'Nothing waits for room in a quota that has room.',
  findings: (world) =>
    kinds.flatMap((kind) =>
      problemsOf(objectsOf(world, kind), (each) => {
        const text = readyText(each)
        const isEnded = each.kind === 'EnvironmentDeployment' && hasEnded(each as EnvironmentDeployment) // of the kind
        return text.includes(reason) && !isEnded ? text : undefined
      }),
    ),
}
