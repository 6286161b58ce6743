import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { annotations } from '../../../operator/api/names.ts'
import { objectsOf } from '../surroundings.ts'
import { applicationOf } from '../users/names.ts'
import type { WriteLaw } from './law.ts'

/** The law of keys that repeat a request. */
export const keyLaw: WriteLaw = {
  law: 'Requests of a user with the same key create one deployment.',
  problem({ served, type, object }, world) {
    const keyOf = ({ metadata }: typeof object) =>
      metadata.annotations?.[annotations.idempotencyKey]?.split('/')[0]
    const key = keyOf(object)
    if (served.kind !== EnvironmentDeployment.kind || type !== 'ADDED' || key === undefined) return undefined
    // Git creates copies of what it has deleted.
    if (world.server.storage.writer?.isGateway !== true) return undefined
    const { name, namespace } = object.metadata
    const same = objectsOf(world, EnvironmentDeployment).find(
      (each) =>
        each.metadata.name !== name &&
        each.metadata.namespace === namespace &&
        applicationOf(each.metadata.name) === applicationOf(name) &&
        keyOf(each) === key,
    )
    return same && `${same.metadata.name} has its key`
  },
}
