import { describe, expect, test } from '@jest/globals'
import { couldMatch, type MatchFilter } from '../../../operator/domain/definition/possible-matches.ts'
import { definition } from '../../support/builders.ts'

const definitions = [
  definition('s3-none', 's3', { criteria: [] }),
  definition('s3-absent', 's3', { criteria: undefined }),
  definition('s3-any', 's3', { criteria: [{}] }),
  definition('s3-star', 's3', { criteria: [{ envType: '*' }] }),
  definition('s3-app', 's3', { criteria: [{ envType: 'production' }, { appId: 'shop' }] }),
  definition('s3-res', 's3', { criteria: [{ resId: 'shared.main' }] }),
  definition('s3-large', 's3', { criteria: [{ class: 'large', envId: 'dev' }] }),
  definition('dns-dev', 'dns', { criteria: [{ envType: 'development', envId: 'dev' }] }),
  definition('own', 'acme/s3', { criteria: [{ appId: 'shop' }] }),
]

describe('the definitions that could be chosen', () => {
  test.each<[string, MatchFilter, string[]]>([
    [
      'nothing given: all, by type and rank',
      {},
      ['own', 'dns-dev', 's3-res', 's3-large', 's3-app', 's3-any', 's3-star', 's3-absent', 's3-none'],
    ],
    ['a type: those of that very type', { type: 'acme/s3' }, ['own']],
    [
      'a key that a criterion lacks fits; without criteria nothing does',
      { type: 's3', appId: 'other' },
      ['s3-res', 's3-large', 's3-app', 's3-any', 's3-star'],
    ],
    [
      'every given key must fit, in one criterion',
      { type: 's3', appId: 'other', envType: 'development' },
      ['s3-res', 's3-large', 's3-any', 's3-star'],
    ],
    [
      'the rank is that of the criterion that fits',
      { envType: 'development', resId: 'x', class: 'default' },
      ['own', 'dns-dev', 's3-app', 's3-any', 's3-star'],
    ],
    ['an absent class is the default one', { class: 'large' }, ['s3-large']],
    ['an environment', { envId: 'live', type: 'dns' }, []],
  ])('%s', (_, filter, expected) => {
    expect(couldMatch(definitions, filter).map(({ definition }) => definition.metadata.name)).toEqual(
      expected,
    )
  })
})
