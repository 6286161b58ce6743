import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { Stalled } from '../../../operator/domain/base/errors.ts'
import type { NeighbourValue } from '../../../operator/domain/graph/inputs.ts'
import { ingress } from '../../../operator/drivers/ingress/driver.ts'
import { dns, made, neighbour, request, web } from '../support/ingress-request.ts'

describe('paths', () => {
  const route = (params: FreeForm, workload?: string) => neighbour('route', {}, { params, workload })
  const v1Path = (path: string, service: string, port: object, pathType = 'Prefix') => ({
    path,
    pathType,
    backend: { service: { name: service, port } },
  })

  test.each<[rule: string, http: FreeForm, routes: NeighbourValue[], values: FreeForm, expected: object[]]>([
    ['are those of the rules of workloads', { '/': web }, [], {}, [v1Path('/', 'web', { number: 8080 })]],
    [
      'and from routes',
      {},
      [route({ path: '/api', service: 'api', port: 80 })],
      {},
      [v1Path('/api', 'api', { number: 80 })],
    ],
    [
      'a route without a service leads to its workload',
      {},
      [route({ path: '/api', port: 80 }, 'api')],
      {},
      [v1Path('/api', 'api', { number: 80 })],
    ],
    [
      'a route without a path takes all',
      {},
      [route({ service: 'api', port: 80 })],
      {},
      [v1Path('/', 'api', { number: 80 })],
    ],
    [
      'an output of a route has precedence over its input',
      {},
      [
        neighbour(
          'route',
          { path: '/out', port: 81 },
          { params: { path: '/in', port: 80 }, workload: 'api' },
        ),
      ],
      {},
      [v1Path('/out', 'api', { number: 81 })],
    ],
    [
      'a port number as text is a number',
      { '/': { ...web, port: '8080' } },
      [],
      {},
      [v1Path('/', 'web', { number: 8080 })],
    ],
    [
      'a port name is a name',
      { '/': { ...web, port: 'http' } },
      [],
      {},
      [v1Path('/', 'web', { name: 'http' })],
    ],
    [
      'path_type is that of paths that do not say theirs',
      { '/': { ...web, type: undefined } },
      [],
      { path_type: 'Exact' },
      [v1Path('/', 'web', { number: 8080 }, 'Exact')],
    ],
    [
      'a path that says its own keeps it',
      { '/': { ...web, type: 'implementationSpecific' } },
      [],
      { path_type: 'Exact' },
      [v1Path('/', 'web', { number: 8080 }, 'ImplementationSpecific')],
    ],
    [
      'the same path twice is one',
      { '/': web },
      [route({ path: '/', service: 'web', port: '8080' })],
      {},
      [v1Path('/', 'web', { number: 8080 })],
    ],
    [
      'one path may go two ways by two path types',
      { '/a': web },
      [route({ path: '/a', service: 'api', port: 80, type: 'exact' })],
      {},
      [v1Path('/a', 'api', { number: 80 }, 'Exact'), v1Path('/a', 'web', { number: 8080 })],
    ],
    [
      'are in an order that does not depend on their source',
      { '/b': web, '/a': web },
      [route({ path: '/0', service: 'api', port: 80 })],
      {},
      [
        v1Path('/0', 'api', { number: 80 }),
        v1Path('/a', 'web', { number: 8080 }),
        v1Path('/b', 'web', { number: 8080 }),
      ],
    ],
  ])('%s', async (_, http, routes, values, expected) => {
    const { spec } = await made(values, { params: { rules: { http } }, neighbours: { dns: [dns], routes } })
    expect(spec.rules[0]?.http.paths).toEqual(expected)
  })

  test.each<[rule: string, params: FreeForm]>([
    ['no rules: no object', {}],
    ['rules without paths: no object', { rules: { http: {} } }],
  ])('%s', async (_, params) => {
    const { objects, outputs } = await ingress.provision(request({ params }))
    expect(objects).toEqual([])
    expect(outputs.values).toHaveProperty('id')
  })

  test.each<[rule: string, http: FreeForm, routes: NeighbourValue[], reason: string]>([
    [
      'one path to two services',
      { '/': web },
      [route({ path: '/', service: 'api', port: 8080 })],
      'Conflict',
    ],
    ['one path to two ports', { '/': web }, [route({ path: '/', service: 'web', port: 80 })], 'Conflict'],
    ['a path that begins with no slash', { web }, [], 'InvalidInputs'],
    ['no service', { '/': { ...web, name: '' } }, [], 'InvalidInputs'],
    ['no port', { '/': { ...web, port: undefined } }, [], 'InvalidInputs'],
    ['an invalid path type', { '/': { ...web, type: 'regex' } }, [], 'InvalidInputs'],
  ])('a person must act: %s', async (_, http, routes, reason) => {
    const call = ingress.provision(
      request({ params: { rules: { http } }, neighbours: { dns: [dns], routes } }),
    )
    const error = await call.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Stalled)
    expect(error).toMatchObject({ reason })
  })
})
