import type { ArtefactVersion } from '../../../operator/api/artefact-version.ts'
import { ageOf } from '../common/list-endpoint.ts'

const longestVersion = 20

/** After all numbers: the operator has not seen the version yet, so it is newer than those that it has. */
const unseen = '~'

/** Position of a version in a list by age. Its registration orders those that were created in the same second. */
export function versionAgeOf(version: ArtefactVersion): string[] {
  const [created = '', ...names] = ageOf(version)
  return [created, version.status?.createdVersion?.padStart(longestVersion, '0') ?? unseen, ...names]
}
