import type { ArtefactVersion } from '../../../operator/api/artefact-version.ts'
import { string } from '../../../operator/api/schema.ts'
import { truthValue } from '../../request/boolean-query.ts'

export const archivedFilter = truthValue('Whether to list archived versions as well. False when absent.')
export const referenceFilter = string(
  'Only the version of this reference: the name, followed by `:<version>`, `@<digest>` or both.',
)
export const typeFilter = string('Only this type: `container` or `workload`.', { maxLength: 63 })

/** Whether a list contains a version. */
export function isListed({ spec }: ArtefactVersion, withArchived: boolean): boolean {
  return withArchived || !spec.archived
}

/** Whether an artefact is of the type of a filter; some clients use the plural. */
export function isOfType(type: string, filter: string | undefined): boolean {
  return !filter || filter === type || filter === `${type}s`
}
