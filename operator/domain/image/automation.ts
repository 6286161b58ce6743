import { hash } from 'node:crypto'
import type { ArtefactVersion } from '../../api/artefact-version.ts'
import type { AutomationRule } from '../../api/automation-rule.ts'
import { compareText } from '../base/json.ts'
import { environmentObjectName } from '../resource/identity.ts'
import { fitsRule, problemsOfRule } from './automation-rule.ts'
import { repositoryOf } from './image-reference.ts'
import type { ImageUpdates } from './image-update.ts'

/** An environment with rules that a version fits, as the status of the version lists it. */
export type TargetEnvironment = NonNullable<NonNullable<ArtefactVersion['status']>['environments']>[number]
export type AutomationOutcome = NonNullable<TargetEnvironment['outcome']>

/** Object name of the environment of a rule. */
export function environmentOfRule({ spec }: Pick<AutomationRule, 'spec'>): string {
  return environmentObjectName(spec.applicationName, spec.environmentId)
}

/** Whether a rule fits a version, regardless of when both were written. */
export function isFittingRule(rule: AutomationRule, { spec }: ArtefactVersion): boolean {
  return (
    rule.metadata.deletionTimestamp === undefined &&
    problemsOfRule(rule.spec).length === 0 &&
    fitsRule(rule.spec, spec)
  )
}

/** The environments of rules, each with its rules. */
export function targetsOf(rules: readonly AutomationRule[]): TargetEnvironment[] {
  const byName = rules.toSorted((left, right) => compareText(left.metadata.name, right.metadata.name))
  return [...Map.groupBy(byName, environmentOfRule)]
    .map(([environmentName, own]) => ({
      environmentName,
      ruleNames: own.map(({ metadata }) => metadata.name),
      ruleUids: own.map(({ metadata }) => metadata.uid),
    }))
    .sort((left, right) => compareText(left.environmentName, right.environmentName))
}

/** What the status of a version says of an environment. */
export function targetIn(version: ArtefactVersion, environmentName: string): TargetEnvironment | undefined {
  const targets = version.status?.environments ?? []
  // They are in this order, and there may be hundreds.
  let [low, high] = [0, targets.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareText(targets[middle]?.environmentName ?? '', environmentName) < 0) low = middle + 1
    else high = middle
  }
  const found = targets[low]
  return found?.environmentName === environmentName ? found : undefined
}

/** Why a version is not deployed to an environment any more; undefined while it may be. */
export function exclusionOf(
  version: ArtefactVersion,
  environmentName: string,
  rules: readonly AutomationRule[],
): AutomationOutcome | undefined {
  if (version.spec.archived) return 'Archived'
  // A later rule of the same name is another rule.
  const uids = targetIn(version, environmentName)?.ruleUids ?? []
  const isInForce = (rule: AutomationRule) => uids.includes(rule.metadata.uid) && isFittingRule(rule, version)
  return rules.some(isInForce) ? undefined : 'RuleInactive'
}

/**
 * The versions that an environment waits for: of those with the environment in their status, the newest of each image that no
 * outcome and no exclusion ends. `rules` are those of the environment.
 */
export function wantedVersions(
  versions: readonly ArtefactVersion[],
  environmentName: string,
  rules: readonly AutomationRule[],
): ArtefactVersion[] {
  const newest = new Map<string, ArtefactVersion>()
  // The newest come last as a rule. Patterns of rules take time, so only what may be the newest is compared with them.
  for (const version of versions.toReversed()) {
    const target = targetIn(version, environmentName)
    if (!target || isPassedOver(target.outcome)) continue
    const repository = repositoryOf(version.spec.artefactName)
    const known = newest.get(repository)
    if (known && !isNewer(version, known)) continue
    if (target.outcome || !exclusionOf(version, environmentName, rules)) newest.set(repository, version)
  }
  return [...newest.values()].filter((each) => targetIn(each, environmentName)?.outcome === undefined)
}

/** Outcomes that compare the version with what is deployed. */
const compared: ReadonlySet<AutomationOutcome> = new Set(['Deployed', 'Unchanged', 'OwnedByWorkload'])

/** Whether an outcome leaves an older version free to be deployed. */
function isPassedOver(outcome: AutomationOutcome | undefined): boolean {
  return outcome !== undefined && !compared.has(outcome)
}

/** Versions are ordered by their registration. */
function isNewer(left: ArtefactVersion, right: ArtefactVersion): boolean {
  const [before, after] = [right, left].map(({ status }) => BigInt(status?.createdVersion ?? 0))
  if (before !== after) return (before ?? 0n) < (after ?? 0n)
  return compareText(right.metadata.name, left.metadata.name) < 0
}

/** Id of the delta of an automatic deployment: the same for the same versions and changes. */
export function automationDeltaId(
  environmentUid: string,
  versionUids: readonly string[],
  updates: ImageUpdates,
): string {
  const content = JSON.stringify([environmentUid, versionUids.toSorted(compareText), updates])
  return `auto-${hash('sha256', content).slice(0, 24)}`
}
