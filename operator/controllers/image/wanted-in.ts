import { ArtefactVersion } from '../../api/artefact-version.ts'
import type { AutomationRule } from '../../api/automation-rule.ts'
import { sameJson } from '../../domain/base/json.ts'
import { wantedVersions } from '../../domain/image/automation.ts'
import { environmentIndexOf } from '../../kube/cache/kinds-in-store.ts'
import type { Store } from '../../kube/cache/store.ts'
import { createMemo, isSameSpec } from '../../planning/memo.ts'

const mostEnvironmentsKept = 1000

/** What an environment waits for under these rules; without `versions` until it is asked for. */
interface Wanted {
  rules: readonly AutomationRule[]
  versions?: readonly ArtefactVersion[]
}

/** Returns the versions that an environment waits for, by its key and name: hundreds of versions ask for them whenever a deployment ends. */
export function createWantedIn(
  store: Store,
): (key: string, name: string, rules: readonly AutomationRule[]) => readonly ArtefactVersion[] {
  const wantedBy = createMemo(
    store.cacheOf(ArtefactVersion),
    { keysOf: environmentIndexOf, isSame: isAlike, most: mostEnvironmentsKept },
    (): Wanted => ({ rules: [] }),
  )
  return (key, name, rules) => {
    const known = wantedBy(key)
    const isCurrent = known.rules.length === rules.length && known.rules.every((each) => rules.includes(each))
    if (!known.versions || !isCurrent) {
      known.versions = wantedVersions(store.byIndex(ArtefactVersion, 'environment', key), name, rules)
      known.rules = rules
    }
    return known.versions
  }
}

/** Whether two versions of an object say the same of an artefact, with the same outcomes. */
function isAlike(before: ArtefactVersion, after: ArtefactVersion): boolean {
  const [former, next] = [before.status, after.status]
  return (
    isSameSpec(before, after) &&
    former?.createdVersion === next?.createdVersion &&
    sameJson(former?.environments, next?.environments)
  )
}
