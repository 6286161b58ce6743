import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { buildGraph } from '../../../operator/domain/graph/build-graph.ts'
import { definition, module, set } from '../../support/builders.ts'
import { edges, graphInput, graphOf, need, postgres, problems, references, s3 } from '../../support/graphs.ts'

describe('params', () => {
  test('placeholders in params make edges and references', () => {
    const content = set(
      {
        w: module({
          db: need('postgres'),
          r: need('route', {
            params: {
              host: '${externals.db.host}',
              b: '${shared.files.bucket}',
              c: '${modules.w.externals.db.port}',
              d: '${X}',
            },
          }),
        }),
      },
      { files: need('s3', { params: { a: '${modules.w.externals.db.host}' } }) },
    )
    const graph = graphOf(content, s3, postgres, definition('route', 'route'), definition('w', 'workload'))
    expect(graph.problems).toEqual([])
    const db = 'postgres.default#modules.w.externals.db'
    expect(references(graph, 'route.default#modules.w.externals.r')).toEqual({
      'externals.db': [db],
      'modules.w.externals.db': [db],
      'shared.files': ['s3.default#shared.files'],
    })
    expect(edges(graph)).toContain('workload.default#modules.w -> s3.default#shared.files')
    expect(edges(graph)).toContain(`s3.default#shared.files -> ${db}`)
  })

  test('a shared dependency has no private ones', () => {
    const graph = graphOf(set({}, { files: need('s3', { params: { a: '${externals.db.host}' } }) }), s3)
    expect(problems(graph)).toEqual(['UnknownDependency s3.default#shared.files'])
  })

  test.each<[rule: string, text: string, expected: string[]]>([
    ['a placeholder without end', '${shared', ['InvalidPlaceholder s3.default#shared.files']],
    ['a shared value that does not exist', '${values.NONE}', ['UnknownValue s3.default#shared.files']],
    ['a shared value that exists', '${values.REGION}', []],
  ])('params with %s', (_, text, expected) => {
    const content = set({}, { files: need('s3', { params: { a: text } }) })
    const values = new Map([['REGION', { value: 'eu' }]])
    expect(problems(buildGraph(graphInput(content, [s3], { values })))).toEqual(expected)
  })

  test('params of co-provisioned resources of a graph are at most 64 MiB', () => {
    const params = { a: 'x'.repeat(1_048_576) }
    const keys = Array.from({ length: 65 }, (_, i) => `config#c${i}`)
    const greedy = definition('s3', 's3', {
      provision: Object.fromEntries(keys.map((key) => [key, { params }])),
    })
    const graph = graphOf(set({}, { a: need('s3') }), greedy, definition('config', 'config'))
    expect(problems(graph)).toEqual(['TooLarge s3.default#shared.a'])
  })

  test.each<[rule: string, text: string, expected: string[]]>([
    ['a dependency of each workload', 'externals.db.host', ['ConflictingParams s3.default#shared.site']],
    ['the dependency of one of them', 'modules.a.externals.db.host', []],
    ['a shared dependency', 'shared.files.host', []],
  ])('equal params of a shared resource that mean %s', (_, text, expected) => {
    const workload = () =>
      module({ db: need('postgres'), site: need('s3', { id: 'site', params: { host: `\${${text}}` } }) })
    const content = set({ a: workload(), b: workload() }, { files: need('postgres') })
    expect(problems(graphOf(content, postgres, s3))).toEqual(expected)
  })

  const giving = (name: string, type: string, params?: FreeForm) =>
    definition(name, type, { provision: { 'config#x': params ? { params } : {} } })
  test.each<[string, FreeForm | undefined, FreeForm | undefined, string[]]>([
    ['the same params twice', { a: 1, b: 2 }, { b: 2, a: 1 }, []],
    ['absent params go with any', { a: 1 }, undefined, []],
    ['different params are a problem', { a: 1 }, { a: 2 }, ['ConflictingParams config.default#x']],
  ])('%s', (_, one, other, expected) => {
    const content = set({}, { a: need('s3'), b: need('postgres') })
    const graph = graphOf(
      content,
      giving('s3', 's3', one),
      giving('pg', 'postgres', other),
      definition('config', 'config'),
    )
    expect(problems(graph)).toEqual(expected)
    if (expected.length === 0)
      expect(graph.nodes.find(({ descriptor }) => descriptor.type === 'config')?.params).toEqual({
        a: 1,
        ...(one?.['b'] ? { b: 2 } : {}),
      })
  })

  test('params of a co-provisioned resource speak of the one that provisions', () => {
    const dns = definition('dns', 'dns', {
      provision: {
        'config.fast#x': {
          params: {
            a: '${resources.s3.outputs.bucket}',
            b: '${context.res.id}',
            c: "${resources['dns<s3'].guresid}",
            d: '${context.app.id}',
          },
        },
      },
    })
    const graph = graphOf(
      set({}, { d: need('dns') }),
      dns,
      s3,
      definition('config', 'config', { criteria: [{ class: 'fast' }] }),
    )
    expect(graph.problems).toEqual([])
    expect(graph.nodes.find(({ descriptor }) => descriptor.type === 'config')?.params).toEqual({
      a: "${resources['s3.default#shared.d'].outputs.bucket}",
      b: 'shared.d',
      c: "${resources['dns.default#shared.d<s3'].guresid}",
      d: '${context.app.id}',
    })
    expect(edges(graph)).toEqual(['config.fast#x -> s3.default#shared.d'])
  })
})
