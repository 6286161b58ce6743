import type { ArtefactVersion } from '../../api/artefact-version.ts'
import type { AutomationRule } from '../../api/automation-rule.ts'
import { compileLinear } from '../base/linear-regexp.ts'
import { stepsOf } from '../schema/pattern-size.ts'
import { repositoryOf } from './image-reference.ts'

type RuleSpec = AutomationRule['spec']
type VersionSpec = ArtefactVersion['spec']

/** Maximum size of the program of a pattern: the work of a match is at most this, times the length of a reference. */
const maxPatternSteps = 1000

const refPrefixes = { branch: 'refs/heads/', tag: 'refs/tags/' } as const

/** Why a rule cannot be used; empty when it can. `nameOf` gives the name of a field in messages. */
export function problemsOfRule(spec: RuleSpec, nameOf = (field: string) => field): string[] {
  const { matchRef, match, updateTo, artefactsFilter = [], imagesFilter = [] } = spec
  const name = (field: keyof RuleSpec) => `'${nameOf(field)}'`
  const problems = [
    ...problemsOfPattern(name('matchRef'), matchRef),
    ...problemsOfPattern(name('match'), match),
  ]
  if (matchRef && (match || updateTo))
    problems.push(
      `${name('matchRef')} cannot be combined with its older forms ${name('match')} and ${name('updateTo')}`,
    )
  if (artefactsFilter.length > 0 && imagesFilter.length > 0)
    problems.push(`${name('artefactsFilter')} cannot be combined with its older form ${name('imagesFilter')}`)
  if (spec.excludeArtefactsFilter && spec.excludeImagesFilter)
    problems.push(
      `${name('excludeArtefactsFilter')} cannot be combined with its older form ${name('excludeImagesFilter')}`,
    )
  return problems
}

function problemsOfPattern(where: string, pattern = ''): string[] {
  try {
    if (stepsOf(pattern) > maxPatternSteps) return [`the regular expression in ${where} is too large`]
    compileLinear(pattern)
    return []
  } catch {
    return [`${where} is not a valid regular expression of the linear engine (RE2): '${pattern}'`]
  }
}

/** Whether a rule has an effect, if it is valid. */
export function isActive({ active = true }: RuleSpec): boolean {
  return active
}

/** Whether a valid rule deploys a version: it is active, and filter and patterns fit a container. */
export function fitsRule(rule: RuleSpec, version: VersionSpec): boolean {
  if (!isActive(rule) || version.type !== 'container' || version.archived) return false
  return fitsFilter(rule, version.artefactName) && fitsReference(rule, version.ref ?? '')
}

function fitsFilter(rule: RuleSpec, name: string): boolean {
  const { artefactsFilter = [], imagesFilter = [] } = rule
  // As containers are found: no other name of the repository gets around a filter.
  const repository = repositoryOf(name)
  if (artefactsFilter.length > 0) {
    const isNamed = artefactsFilter.some((each) => repositoryOf(each) === repository)
    return isNamed !== (rule.excludeArtefactsFilter ?? false)
  }
  if (imagesFilter.length > 0) {
    const isNamed = imagesFilter.some(
      (each) => repositoryOf(each) === repository || repository.endsWith(`/${each}`),
    )
    return isNamed !== (rule.excludeImagesFilter ?? false)
  }
  return true
}

function fitsReference({ matchRef, match, updateTo }: RuleSpec, ref: string): boolean {
  if (!match && !updateTo) return !matchRef || compileLinear(matchRef).test(ref)
  const prefixes = updateTo ? [refPrefixes[updateTo]] : Object.values(refPrefixes)
  const prefix = prefixes.find((each) => ref.startsWith(each))
  if (prefix === undefined) return false
  return !match || compileLinear(match).test(ref.slice(prefix.length))
}
