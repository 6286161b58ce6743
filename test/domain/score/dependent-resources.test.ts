import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { applyDelta, emptySet, type SetContent } from '../../../operator/domain/delta/delta.ts'
import { combineScores, deltaOfScores } from '../../../operator/domain/score/combine.ts'
import { convertScore } from '../../../operator/domain/score/convert-score.ts'
import { restoreScore } from '../../../operator/domain/score/restore-score.ts'
import { definition } from '../../support/builders.ts'
import { edges, graphOf, problems } from '../../support/graphs.ts'
import { scoreDocument } from '../../support/scores.ts'

/** The modules and shared dependencies of workloads with these resources, of which each refers to some. */
function converted(...workloads: readonly { resources: FreeForm; variables?: FreeForm }[]) {
  const documents = workloads.map(({ resources, variables = {} }, index) => ({
    ...scoreDocument({ variables }, { resources }),
    metadata: { name: `web-${index}` },
  }))
  return combineScores(documents.map((document) => convertScore({ document })))
}

/** The metadata of a resource of an earlier Score file. */
function named(resourceId: string) {
  return { metadata: { annotations: { 'score.humanitec.io/resId': resourceId } } }
}

/** The delta that adds the content to a set, without overrides of types. */
function deltaOf(base: SetContent, content: SetContent) {
  return deltaOfScores(base, content, (type) => type)
}

describe('a resource of a workload file', () => {
  test.each<[rule: string, resource: FreeForm, externals: FreeForm, shared: FreeForm]>([
    ['without an id is private', { type: 'postgres' }, { db: { type: 'postgres' } }, {}],
    ['with an id is shared', { type: 'redis', id: 'cache' }, {}, { cache: { type: 'redis' } }],
    [
      'with an id in an annotation is shared',
      { type: 'redis', ...named('shared.cache') },
      {},
      { cache: { type: 'redis' } },
    ],
    [
      'with an id prefers it to an annotation',
      { type: 'redis', id: 'own', ...named('shared.cache') },
      {},
      { own: { type: 'redis' } },
    ],
    [
      'with another annotation is private',
      { type: 'redis', ...named('externals.cache') },
      { db: { type: 'redis' } },
      {},
    ],
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
    [
      'names others in its params as its module does',
      { type: 's3', params: { name: '${resources.db.name}', '${resources.db.key}': 1 } },
      { db: { type: 's3', params: { name: '${externals.db.name}', '${externals.db.key}': 1 } } },
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

describe('params of a shared resource that name a private one of the same file', () => {
  const resources = {
    dns: { type: 'dns' },
    route: {
      type: 'route',
      id: 'route',
      params: { host: '${resources.dns.host}', '${resources.dns.name}': 1 },
    },
  }

  test('name it with its workload, so that the plan finds it', () => {
    const set = converted({ resources, variables: { ROUTE: '${resources.route.id}' } })
    const graph = graphOf(set, definition('dns', 'dns'), definition('route', 'route'))
    expect(problems(graph)).toEqual([])
    expect(edges(graph)).toEqual(['route.default#shared.route -> dns.default#modules.web-0.externals.dns'])
  })

  test('are the same after they were restored', () => {
    const document = scoreDocument({ variables: { ROUTE: '${resources.route.id}' } }, { resources })
    const restored = restoreScore(convertScore({ document }))
    expect([restored?.document, restored?.omitted]).toEqual([document, []])
  })
})

describe('a shared resource of a deployed workload', () => {
  const reading = (resources: FreeForm, name = 'db') => ({
    resources,
    variables: { HOST: `\${resources.${name}.host}` },
  })
  const main = { type: 'postgres', id: 'main' }
  const large = { ...main, params: { size: 'l' } }
  const small = { ...main, params: { size: 's' } }

  /** The shared dependencies after two requests; the second one is of another workload, or of `web-0` again. */
  function sharedAfter(
    first: ReturnType<typeof reading>,
    second: ReturnType<typeof reading>,
    isSameWorkload = false,
  ) {
    const base = applyDelta(emptySet, deltaOf(emptySet, converted(first)))
    const { modules, shared } = converted(...(isSameWorkload ? [second] : [{ resources: {} }, second]))
    const content = { modules: isSameWorkload ? modules : { 'web-1': modules['web-1'] ?? {} }, shared }
    try {
      return applyDelta(base, deltaOf(base, content)).shared
    } catch (error) {
      return error instanceof Problem ? error.reason : error
    }
  }

  test.each<[rule: string, first: FreeForm, second: FreeForm, expected: unknown]>([
    ['keeps its params if another one gives none', large, main, { type: 'postgres', params: large.params }],
    ['gets the params that another one gives', main, large, { type: 'postgres', params: large.params }],
    [
      'gets params if its own are empty',
      { ...main, params: {} },
      large,
      { type: 'postgres', params: large.params },
    ],
    [
      'keeps its params if another one gives empty ones',
      large,
      { ...main, params: {} },
      { type: 'postgres', params: large.params },
    ],
    ['keeps its type', main, { type: 'redis', id: 'main' }, 'Conflict'],
    ['keeps its params', large, small, 'Conflict'],
  ])('%s', (_, first, second, expected) => {
    const shared = sharedAfter(reading({ db: first }), reading({ db: second }))
    expect(shared).toEqual(typeof expected === 'string' ? expected : { main: expected })
  })

  test('can be changed by its only user', () => {
    const shared = sharedAfter(reading({ db: large }), reading({ db: small }), true)
    expect(shared).toEqual({ main: { type: 'postgres', params: small.params } })
  })

  test('is used by a workload that reads it through another shared resource', () => {
    const proxy = { type: 'proxy', id: 'proxy', params: { to: '${resources.db.host}' } }
    const first = reading({ db: large, proxy }, 'proxy')
    expect(sharedAfter(first, reading({ db: small }))).toBe('Conflict')
  })

  test.each<[rule: string, known: FreeForm]>([
    ['class', { type: 'postgres', class: 'large' }],
    ['id', { type: 'postgres', id: 'other' }],
  ])('keeps its %s', (_, known) => {
    const using = { modules: { web: { spec: { a: '${shared.main.host}' } } }, shared: { main: known } }
    expect(() => deltaOf(using, converted(reading({ db: main })))).toThrow(
      expect.objectContaining({ reason: 'Conflict', message: expect.stringContaining("'web'") }),
    )
    const unused = { ...using, modules: {} }
    expect(applyDelta(unused, deltaOf(unused, converted(reading({ db: main })))).shared).toEqual({
      main: { type: 'postgres' },
    })
  })

  test('is used by the first workload, by id, that reads it', () => {
    const reads = { spec: { a: '${shared.main.host}' } }
    const using = { modules: { web: reads, api: reads }, shared: { main: { type: 'redis' } } }
    expect(() => deltaOf(using, converted(reading({ db: main })))).toThrow("the workload 'api' uses")
  })

  test.each([
    ['is malformed, which the plan reports', '${shared.main.host'],
    ['is escaped', '$\\{shared.main.host}'],
    ['names another one', '${shared.other.host}'],
    ['names a private one', '${externals.main.host}'],
  ])('is used by no workload whose text %s', (_, text) => {
    const known = { modules: { web: { spec: { a: text } } }, shared: { main: { type: 'redis' } } }
    expect(applyDelta(known, deltaOf(known, converted(reading({ db: main })))).shared).toEqual({
      main: { type: 'postgres' },
    })
  })

  test('is used by a workload that names it as the source of a volume', () => {
    const files = { data: { type: 'volume', id: 'files', params: { size: 'l' } } }
    const mounting = {
      modules: {
        web: { spec: { containers: { main: { volume_mounts: { '/a': { id: 'shared.files' } } } } } },
      },
      shared: { files: { type: 'volume' } },
    }
    const other = converted(reading({ data: { ...files.data, type: 's3' } }, 'data'))
    expect(() => deltaOf(mounting, other)).toThrow(Problem)
  })
})
