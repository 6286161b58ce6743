import type { ArtefactVersion } from '../../../operator/api/artefact-version.ts'
import { ageOf, inNumericOrder } from '../common/list-endpoint.ts'

/** Position of a version in a list by age. The text of the version orders those that were created in the same second. */
export function versionAgeOf(version: ArtefactVersion): string[] {
  const [created = '', ...names] = ageOf(version)
  return [created, inNumericOrder(version.spec.version ?? ''), ...names]
}
