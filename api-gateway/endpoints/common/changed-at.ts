import type { KubeObject } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import { time } from '../../../operator/api/schema.ts'
import { createdAt } from './find.ts'

/** The field with the time of the last change. Caches leave out `managedFields`, which have the other changes. */
export const changedAtField = time(
  'Time when it was last changed through the REST API, or created if it never was. Changes by kubectl and GitOps tools do not count.',
)

/** Returns when an object was last changed through the REST API; its creation time if it never was. */
export function changedAt(object: KubeObject): string {
  return object.metadata.annotations?.[annotations.lastModifiedAt] ?? createdAt(object)
}
