import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import type { StoredObject } from '../../../../operator/api/kind.ts'
import { annotations } from '../../../../operator/api/names.ts'
import { objectsOf } from '../../surroundings.ts'
import { applicationOf } from '../../users/names.ts'
import type { WriteLaw } from '../law.ts'

const keyOf = ({ metadata }: StoredObject | EnvironmentDeployment) =>
  metadata.annotations?.[annotations.idempotencyKey]?.split('/')[0]

/** The law of keys that repeat a request, with the memory that it needs. */
export function keyLaw(): WriteLaw {
  /** Uids of what gateways made: Git creates copies of what it has deleted, perhaps while a request runs. */
  const made = new Set<string>()
  return {
    law: 'Requests of a user with the same key create one deployment.',
    problem({ served, type, object }, world) {
      const key = keyOf(object)
      if (served.kind !== EnvironmentDeployment.kind || type !== 'ADDED' || key === undefined)
        return undefined
      if (world.server.storage.writer?.isGateway !== true) return undefined
      const { name, namespace, uid } = object.metadata
      made.add(uid)
      const same = objectsOf(world, EnvironmentDeployment).find(
        (each) =>
          each.metadata.name !== name &&
          each.metadata.namespace === namespace &&
          made.has(each.metadata.uid) &&
          applicationOf(each.metadata.name) === applicationOf(name) &&
          keyOf(each) === key,
      )
      return same && `${same.metadata.name} has its key`
    },
  }
}
