import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { combineScores } from '../../../operator/domain/score/combine.ts'
import { convertScore } from '../../../operator/domain/score/convert-score.ts'
import { scoreDocument } from '../../support/scores.ts'

/** The modules and shared dependencies of workloads with these resources, of which each refers to some. */
function converted(...workloads: readonly { resources: FreeForm; variables?: FreeForm }[]) {
  const documents = workloads.map(({ resources, variables = {} }, index) => ({
    ...scoreDocument({ variables }, { resources }),
    metadata: { name: `web-${index}` },
  }))
  return combineScores(documents.map((document) => convertScore({ document })))
}

describe('a resource of a workload file', () => {
  test.each<[rule: string, resource: FreeForm, externals: FreeForm, shared: FreeForm]>([
    ['without an id is private', { type: 'postgres' }, { db: { type: 'postgres' } }, {}],
    ['with an id is shared', { type: 'redis', id: 'cache' }, {}, { cache: { type: 'redis' } }],
    [
      'has the class that it names',
      { type: 'postgres', class: 'large' },
      { db: { type: 'postgres', class: 'large' } },
      {},
    ],
    [
      'has its params as inputs',
      { type: 's3', params: { region: 'eu' } },
      { db: { type: 's3', params: { region: 'eu' } } },
      {},
    ],
  ])('%s', (_, resource, externals, shared) => {
    const { modules, shared: found } = converted({ resources: { db: resource } })
    expect(modules['web-0']).toMatchObject({ externals })
    expect(found).toMatchObject(shared)
    expect(Object.keys(found)).toEqual(Object.keys(shared))
  })

  test('with the same type, class and id in two files is one resource', () => {
    const cache = { type: 'redis', id: 'cache' }
    const { shared } = converted({ resources: { one: cache } }, { resources: { other: cache } })
    expect(Object.keys(shared)).toEqual(['cache'])
  })

  test('has a name that is local to its file', () => {
    const { modules } = converted(
      { resources: { db: { type: 'postgres' } } },
      { resources: { db: { type: 's3' } } },
    )
    expect(modules).toMatchObject({
      'web-0': { externals: { db: { type: 'postgres' } } },
      'web-1': { externals: { db: { type: 's3' } } },
    })
  })

  test('that is shared is named by the module only where the file refers to it', () => {
    const resources = { cache: { type: 'redis', id: 'cache' } }
    const { modules } = converted(
      { resources, variables: { HOST: '${resources.cache.host}' } },
      { resources },
    )
    expect(JSON.stringify(modules['web-0'])).toContain('${shared.cache.host}')
    expect(JSON.stringify(modules['web-1'])).not.toContain('shared.cache')
  })
})
