import { describe, expect, test } from '@jest/globals'
import type { ArtefactVersion } from '../../../operator/api/artefact-version.ts'
import type { AutomationRule } from '../../../operator/api/automation-rule.ts'
import { fitsRule, problemsOfRule } from '../../../operator/domain/image/automation-rule.ts'
import { stepsOf } from '../../support/steps.ts'

type Rule = Partial<AutomationRule['spec']>
type Version = Partial<ArtefactVersion['spec']>

const place = { applicationName: 'shop', environmentId: 'dev' }
const web = { type: 'container', artefactName: 'r.test/shop/web', ref: 'refs/heads/main' } as const

describe('a rule fits a version', () => {
  test.each<[rule: string, spec: Rule, version: Version, fits: boolean]>([
    ['without filter and pattern', {}, {}, true],
    ['unless it is switched off', { active: false }, {}, false],
    ['unless the version is archived', {}, { archived: true }, false],
    ['unless it is a workload', {}, { type: 'workload' }, false],
    ['of an artefact in its filter', { artefactsFilter: ['r.test/shop/web'] }, {}, true],
    ['but of no other artefact', { artefactsFilter: ['r.test/shop/api'] }, {}, false],
    ['with an empty filter', { artefactsFilter: [], excludeArtefactsFilter: true }, {}, true],
    [
      'except those it excludes',
      { artefactsFilter: ['r.test/shop/web'], excludeArtefactsFilter: true },
      {},
      false,
    ],
    [
      'that it does not exclude',
      { artefactsFilter: ['r.test/shop/api'], excludeArtefactsFilter: true },
      {},
      true,
    ],
    [
      'of an artefact in its filter, under another name of its repository',
      { artefactsFilter: ['web'] },
      { artefactName: 'https://index.docker.io/library/web' },
      true,
    ],
    [
      'except those it excludes, under any name of their repository',
      { artefactsFilter: ['web'], excludeArtefactsFilter: true },
      { artefactName: 'docker.io/library/web' },
      false,
    ],
    [
      'but not of the same path in another registry',
      { artefactsFilter: ['library/web'] },
      { artefactName: 'r.test/library/web' },
      false,
    ],
    ['of a reference that contains the pattern', { matchRef: 'heads' }, {}, true],
    ['of the whole reference, with anchors', { matchRef: '^main$' }, {}, false],
    ['with an empty pattern, also without a reference', { matchRef: '' }, { ref: undefined }, true],
    [
      'whose reference is missing, only if the pattern fits no text',
      { matchRef: 'main' },
      { ref: undefined },
      false,
    ],
    ['of an image id', { imagesFilter: ['web'] }, {}, true],
    ['but not of a part of an image id', { imagesFilter: ['eb'] }, {}, false],
    [
      'of an image id, under another name of its repository',
      { imagesFilter: ['docker.io/library/web'] },
      { artefactName: 'web' },
      true,
    ],
    ['except the image ids it excludes', { imagesFilter: ['web'], excludeImagesFilter: true }, {}, false],
    ['of any branch', { updateTo: 'branch' }, {}, true],
    ['of a branch but not of a tag', { updateTo: 'branch' }, { ref: 'refs/tags/1' }, false],
    ['of a tag', { updateTo: 'tag', match: '^v' }, { ref: 'refs/tags/v1' }, true],
    ['of the name of a branch', { match: '^main$' }, {}, true],
    ['of the name of a tag', { match: '^v1$' }, { ref: 'refs/tags/v1' }, true],
    ['but of no other reference', { match: '.*' }, { ref: 'refs/pull/1' }, false],
  ])('%s', (_, spec, version, fits) => {
    expect(fitsRule({ ...place, ...spec }, { ...web, ...version } as ArtefactVersion['spec'])).toBe(fits)
  })
})

describe('a rule cannot be used', () => {
  test.each<[rule: string, spec: Rule, count: number]>([
    ['unless its parts fit together', { matchRef: '^a$', artefactsFilter: ['a'], imagesFilter: [] }, 0],
    ['with a pattern that does not parse', { matchRef: '(' }, 1],
    ['with a pattern that looks back', { matchRef: '(a)\\1' }, 1],
    ['with a pattern that is too large', { matchRef: '((a{100}){100}){100}' }, 1],
    ['with both forms of the pattern', { matchRef: 'a', match: 'a' }, 1],
    ['with both forms of the filter', { artefactsFilter: ['a'], imagesFilter: ['a'] }, 1],
    ['with both forms of the exclusion', { excludeArtefactsFilter: true, excludeImagesFilter: true }, 1],
  ])('%s', (_, spec, count) => {
    expect(problemsOfRule({ ...place, ...spec })).toHaveLength(count)
  })

  test('and the problem names the field as its client does', () => {
    const [problem] = problemsOfRule({ ...place, matchRef: '(' }, (field) => field.toUpperCase())
    expect(problem).toContain("'MATCHREF'")
  })
})

test('the work of a match grows with the length of the reference, not faster', () => {
  const hostile = { ...place, matchRef: '^(a+)+$' }
  const match = (length: number) => () => {
    const version: ArtefactVersion['spec'] = { ...web, ref: `${'a'.repeat(length)}!` }
    for (let i = 0; i < 20; i += 1) fitsRule(hostile, version)
  }
  match(60)() // warm
  expect(stepsOf(match(240)) / stepsOf(match(60))).toBeLessThan(16)
})
