import { mostEnvironments, type Workload } from '../../api/workload.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { quotedNames } from '../../domain/base/quoted-names.ts'
import { entryFor } from '../../planning/owners.ts'
import type { Found } from './workload-environment.ts'

const mostNamed = 5

/**
 * What was found, with as many entries as the status has room for. A Workload owns no module without an entry, so those
 * that it has come first; an environment that is left out gets a problem, and nothing is deployed to it.
 */
export function withinRoom(found: readonly Found[], workload: Workload): readonly Found[] {
  const ids = found.flatMap(({ entry }) => entry?.environmentId ?? [])
  if (ids.length <= mostEnvironments) return found
  const isRecorded = (id: string) => entryFor(workload, id) !== undefined
  const ordered = [...ids.filter(isRecorded), ...ids.filter((id) => !isRecorded(id)).sort()]
  const omitted = ordered.slice(mostEnvironments)
  const names = quotedNames(omitted, mostNamed)
  const message = `a workload runs in at most ${mostEnvironments} environments; left out: ${names}`
  const problem = new Stalled('TooManyEnvironments', message)
  const isOmitted = new Set(omitted)
  return found.map((each) => (each.entry && isOmitted.has(each.entry.environmentId) ? { problem } : each))
}
