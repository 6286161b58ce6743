import { describe, expect, test } from '@jest/globals'
import { createEventParser } from '../../portal/api/event-parser.ts'
import { addressOf } from '../../portal/api/operations.ts'
import { hasApplicationRole, hasOrganizationRole, isDeployer } from '../../portal/api/roles.ts'
import { layered, nextNode, shortened, visibleIn } from '../../portal/graph/geometry.ts'
import { deltaOf, problemOfDraft } from '../../portal/pages/deploy/compose.ts'
import { changesOf } from '../../portal/pages/deployments/changes.ts'
import { matchPath, pathTo } from '../../portal/routing/paths.ts'

describe('an address of the portal', () => {
  test.each([
    ['/o/:org', '/o/acme', { org: 'acme' }],
    ['/o/:org', '/o/acme/', { org: 'acme' }],
    ['/o/:org/types/:type', '/o/acme/types/acme%2Fs3', { org: 'acme', type: 'acme/s3' }],
    ['/o/:org', '/o/acme/apps', undefined],
    ['/o/:org/apps', '/o/acme/types', undefined],
    ['/o/:org', '/o/', undefined],
    ['/o/:org', '/o/%zz', undefined],
    ['/', '/', {}],
  ])('with the pattern %s and the path %s has the parameters %j', (pattern, path, expected) => {
    expect(matchPath(pattern, path)).toEqual(expected)
  })

  test('keeps a slash of an ID in one segment', () => {
    expect(pathTo('/o/:org/types/:type', { org: 'acme', type: 'acme/s3' })).toBe('/o/acme/types/acme%2Fs3')
  })

  test('of a request encodes path and query, and leaves absent parameters out', () => {
    expect(
      addressOf('GET /orgs/{org_id}/apps', {
        path: { org_id: 'a/b' },
        query: { limit: '5', cursor: undefined },
      }),
    ).toEqual({ method: 'GET', address: '/orgs/a%2Fb/apps?limit=5' })
  })

  test('of a request for an alternative answer is that of the operation, and names the media type', () => {
    expect(
      addressOf('GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/runtime application/v2+json', {
        path: { org_id: 'acme', app_id: 'shop', env_id: 'dev' },
      }),
    ).toEqual({
      method: 'GET',
      address: '/orgs/acme/apps/shop/envs/dev/runtime',
      accept: 'application/v2+json',
    })
  })
})

test('events arrive whole, however the stream is cut', () => {
  const text = 'event: reload\ndata: {}\n\n: still here\n\nevent: change\ndata: {"kind":"resource"}\n\n'
  for (let cut = 0; cut < text.length; cut += 1) {
    const parse = createEventParser()
    expect([...parse(text.slice(0, cut)), ...parse(text.slice(cut))]).toEqual([
      { name: 'reload', data: {} },
      { name: 'change', data: { kind: 'resource' } },
    ])
  }
})

describe('what a role may do is offered', () => {
  const roles = {
    '/orgs/acme': 'member',
    '/orgs/acme/apps/shop': 'developer',
    '/orgs/acme/env-types/dev': 'deployer',
  }
  test.each([
    ['a developer develops', hasApplicationRole(roles, 'acme', 'shop', 'developer'), true],
    ['a developer is no owner', hasApplicationRole(roles, 'acme', 'shop', 'owner'), false],
    [
      'an administrator owns every application',
      hasApplicationRole({ '/orgs/acme': 'administrator' }, 'acme', 'x', 'owner'),
      true,
    ],
    [
      'of one organization only',
      hasOrganizationRole({ '/orgs/acme': 'administrator' }, 'globex', 'member'),
      false,
    ],
    ['a deployer deploys to their types', isDeployer(roles, 'acme', 'dev'), true],
    ['and to no others', isDeployer(roles, 'acme', 'production'), false],
  ])('%s', (_, answer, expected) => {
    expect(answer).toBe(expected)
  })
})

describe('a deployment from the form', () => {
  const bucket = { key: 1, name: 'files', type: 's3', class: '', inputs: {}, isUnreadable: false }
  const web = { spec: { containers: { main: { image: 'web:1' } } }, externals: { db: { type: 'postgres' } } }
  const multi = { spec: { containers: { aproxy: { image: 'proxy:1' }, web: { image: 'web:1' } } } }
  const modules = { web, multi, bare: { spec: {} } }
  const nothing = { workload: 'web', image: '', container: '', dependencies: [] }
  test.each([
    [
      'adds a new workload with its dependencies',
      { ...nothing, workload: 'api', image: 'api:1', dependencies: [bucket] },
      {
        add: {
          api: {
            profile: 'quartermaster/default-module',
            spec: { containers: { main: { id: 'main', image: 'api:1' } } },
            externals: { files: { type: 's3' } },
          },
        },
      },
    ],
    [
      'changes the image of a workload that exists, and adds a dependency with inputs and class',
      { ...nothing, image: 'web:2', dependencies: [{ ...bucket, class: 'large', inputs: { size: 1 } }] },
      {
        update: {
          web: [
            { op: 'replace', path: '/spec/containers/main/image', value: 'web:2' },
            {
              op: 'add',
              path: '/externals/files',
              value: { type: 's3', class: 'large', params: { size: 1 } },
            },
          ],
        },
      },
    ],
    [
      'changes the image of the chosen one of several containers',
      { ...nothing, workload: 'multi', image: 'web:2', container: 'web' },
      { update: { multi: [{ op: 'replace', path: '/spec/containers/web/image', value: 'web:2' }] } },
    ],
    [
      'adds a dependency to a workload without containers',
      { ...nothing, workload: 'bare', dependencies: [bucket] },
      { update: { bare: [{ op: 'add', path: '/externals/files', value: { type: 's3' } }] } },
    ],
  ])('%s', (_, draft, changes) => {
    expect(problemOfDraft(draft, modules)).toBeUndefined()
    expect(deltaOf(draft, modules)).toEqual({ modules: changes })
  })

  test.each([
    ['a workload', { workload: '', image: 'x' }],
    ['the image of a new workload', { workload: 'api' }],
    ['the name of a dependency', { dependencies: [{ ...bucket, name: '' }] }],
    ['the type of a dependency', { dependencies: [{ ...bucket, type: '' }] }],
    ['inputs that can be read', { dependencies: [{ ...bucket, isUnreadable: true }] }],
    ['different names', { dependencies: [bucket, bucket] }],
    ['a name that no dependency of the workload has', { dependencies: [{ ...bucket, name: 'db' }] }],
    ['a change', {}],
    ['the container of the image if there are several', { workload: 'multi', image: 'x' }],
    ['a container of the same workload', { workload: 'multi', image: 'x', container: 'main' }],
    ['a container for an image', { workload: 'bare', image: 'x' }],
  ])('needs %s', (_, draft) => {
    expect(problemOfDraft({ ...nothing, ...draft }, modules)).toEqual(expect.any(String))
  })
})

test('changes of a set name what is new, removed and different', () => {
  const before = { modules: { web: { spec: { replicas: 1 }, externals: { a: 1 } }, old: {} }, shared: {} }
  const after = {
    modules: { web: { spec: { replicas: 2 }, externals: { b: 1 } } },
    shared: { dns: { type: 'dns' } },
  }
  expect(changesOf(before, after).map(({ sign, what }) => `${sign} ${what}`)).toEqual([
    '− workload old',
    '− workload web: externals › a',
    '+ workload web: externals › b',
    '~ workload web: spec › replicas',
    '+ shared dns',
  ])
})

describe('the graph', () => {
  const ids = ['web', 'files', 'cache', 'net']
  const layout = layered({
    ids,
    edges: [
      ['web', 'files'],
      ['web', 'cache'],
      ['cache', 'net'],
      ['web', 'missing'],
    ],
  })
  const at = (id: string) => {
    const node = layout.nodes.find((each) => each.id === id)
    if (!node) throw new Error(id)
    return node
  }

  test('places every node, dependencies to the right, no two on one place', () => {
    expect(layout.nodes.map(({ id }) => id).sort()).toEqual([...ids].sort())
    expect(at('web').x < at('cache').x && at('cache').x < at('net').x).toBe(true)
    expect(new Set(layout.nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(ids.length)
    expect(layout.edges).toHaveLength(3)
  })

  test('draws only what is visible', () => {
    const shown = visibleIn(layout, { x: at('web').x - 10, y: at('web').y - 10, width: 20, height: 20 })
    expect(shown.nodes.map(({ id }) => id)).toEqual(['web'])
  })

  test.each([
    ['web', 'ArrowRight', 'files'],
    ['files', 'ArrowDown', 'cache'],
    ['cache', 'ArrowUp', 'files'],
    ['net', 'ArrowLeft', 'files'],
    ['web', 'ArrowLeft', undefined],
    ['web', 'Enter', undefined],
  ])('from %s, %s leads to %s', (from, key, expected) => {
    expect(nextNode(layout.nodes, at(from), key)?.id).toBe(expected)
  })

  test('has an end for a cycle', () => {
    expect(
      layered({
        ids: ['a', 'b'],
        edges: [
          ['a', 'b'],
          ['b', 'a'],
        ],
      }).nodes,
    ).toHaveLength(2)
  })
})

test.each([
  ['web / db', 'web / db'],
  ['exactly-21-letters-xx', 'exactly-21-letters-xx'],
  ['customer-relationship-api / uploads', 'customer-r… / uploads'],
])('the node of %j is named %j, so that long names differ', (name, expected) => {
  expect(shortened(name)).toBe(expected)
})
