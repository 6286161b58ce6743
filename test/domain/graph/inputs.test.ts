import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { Stalled, Waiting } from '../../../operator/domain/base/errors.ts'
import { type InputSources, resolveInputs } from '../../../operator/domain/graph/inputs.ts'
import type { ResourceOutputs } from '../../../operator/domain/graph/lookup.ts'
import type { Descriptor } from '../../../operator/domain/resource/descriptor.ts'
import { mapSecretLeaves } from '../../../operator/domain/secret/secret-inputs.ts'
import { context } from '../../support/builders.ts'

const database = { type: 'postgres', class: 'default', resourceId: 'shared.db' }
const routeOf = (workload: string, id: string) => ({
  type: 'route',
  class: 'default',
  resourceId: `modules.${workload}.externals.${id}`,
})

/** A spec with these params, and this definition. */
function specOf(
  descriptor: Descriptor,
  params: FreeForm,
  definition: Partial<InputSources['spec']['definition']> = {},
): InputSources['spec'] {
  const base = { definitionName: 'any', driverType: 'quartermaster/echo' }
  return { ...descriptor, context: context(), params, definition: { ...base, ...definition } }
}

const known = {
  db: {
    outputs: {
      host: 'db.local',
      port: 5432,
      nested: { list: ['a', 'b'] },
      odd: '${context.res.id}',
      both: { shown: 's' },
    },
    secretOutputs: { password: 'hunter2', both: { user: 'u' } },
    spec: specOf(
      database,
      {},
      { driverInputs: { values: { tier: 'small', host: 'raw' } }, accountName: 'cloud' },
    ),
  },
  ra: {
    outputs: { path: '/a' },
    secretOutputs: {},
    spec: specOf(routeOf('web', 'ra'), { path: '/a', port: 80 }),
  },
  rb: {
    outputs: { path: '/b' },
    secretOutputs: { token: 't' },
    spec: specOf(routeOf('api', 'rb'), {}),
  },
}
const knownOf = (guResId: string): ResourceOutputs | undefined =>
  (known as Record<string, ResourceOutputs>)[guResId]

/** References to Secrets that hold these. */
function referencesTo(secrets: FreeForm): FreeForm {
  return mapSecretLeaves(secrets, () => ({ secret: 'given', key: 'any' }))
}

function sources(values: FreeForm, params: FreeForm = {}, changes: Partial<InputSources> = {}): InputSources {
  return {
    spec: {
      context: context(),
      type: 'acme/s3',
      class: 'fast',
      resourceId: 'shared.files',
      deploymentName: 'shop.dev.3',
      definition: {
        definitionName: 's3',
        driverType: 'quartermaster/echo',
        driverInputs: { values, secretRefs: referencesTo(changes.secrets ?? {}) },
      },
      params,
      references: {
        'postgres#shared.db': ['db'],
        'dns<route': ['ra', 'rb'],
        'route#a': ['ra'],
        none: [],
        'none>x': [],
        'externals.db': ['db'],
        'shared.db': ['db'],
        'modules.w.externals.db': ['db'],
        gone: ['gone'],
      },
    },
    guResId: 'abc',
    descriptor: { neighbours: {} },
    outputsOf: knownOf,
    secrets: {},
    ...changes,
  }
}

describe('placeholders of inputs', () => {
  test.each<[string, unknown]>([
    ['${context.org.id}', 'acme'],
    ['${context.app.id}', 'shop'],
    ['${context.env.id}', 'dev'],
    ['${context.env.type}', 'development'],
    ['${context.res.id}', 'shared.files'],
    ['${context.res.type}', 'acme/s3'],
    ['${context.res.class}', 'fast'],
    ['${context.res.guresid}', 'abc'],
    ['${context.deploy.id}', 'shop.dev.3'],
    ['${context.app.id}_${context.env.id}', 'shop_dev'],
    [
      '${context.app.id}_${context.env.id}_${context.env.type}_${context.res.type}_${context.res.class}_${context.res.id}',
      'shop_dev_development_acme/s3_fast_shared.files',
    ],
    ["${resources['postgres#shared.db'].outputs.host}", 'db.local'],
    ['${resources.postgres#shared.db.outputs.host}', undefined],
    ["${resources['postgres#shared.db'].outputs.port}", 5432],
    ["${resources['postgres#shared.db'].outputs.nested.list.1}", 'b'],
    ["${resources['postgres#shared.db'].guresid}", 'db'],
    ["${resources['postgres#shared.db'].account}", 'cloud'],
    ["${resources['postgres#shared.db'].values.tier}", 'small'],
    ["${resources['postgres#shared.db'].values.host}", 'db.local'],
    ["${resources['postgres#shared.db'].outputs.odd}", '${context.res.id}'],
    ["${resources['dns<route'].outputs.path}", ['/a', '/b']],
    ["${resources['dns<route'].guresid}", ['ra', 'rb']],
    ["${resources['none>x'].outputs.path}", []],
    ["${resources['route#a'].outputs}", { path: '/a' }],
    ["${resources['route#a'].account}", undefined],
    ["${resources['postgres#shared.db'].nothing}", undefined],
    ["${resources['postgres#shared.db'].guresid.x}", undefined],
    ["${resources['postgres#shared.db'].account.x}", undefined],
    ["${resources['postgres#shared.db'].outputs.tier}", undefined],
    ["${resources['postgres#shared.db'].values.none}", undefined],
    ["${resources['postgres#shared.db'].outputs.nested.list.1x}", undefined],
  ])('%s', (text, expected) => {
    const input = sources({ a: text })
    if (expected === undefined) expect(() => resolveInputs(input)).toThrow(Stalled)
    else expect(resolveInputs(input).values).toEqual({ a: expected })
  })

  test('params have the names of the set', () => {
    const params = {
      a: '${externals.db.host}',
      b: '${shared.db.port}',
      c: '${modules.w.externals.db.nested.list.0}',
      d: '${HOME}',
      e: 'x',
    }
    expect(resolveInputs(sources({}, params)).params).toEqual({
      a: 'db.local',
      b: 5432,
      c: 'a',
      d: '${HOME}',
      e: 'x',
    })
  })

  test.each([
    ["${resources['postgres#shared.db'].outputs.hots}", "did you mean 'host'"],
    ["${resources['postgres#shared.db'].outputs.nested.x}", 'nested'],
    ["${resources['dns<route'].outputs.host}", "'path'"],
    ['${resources.redis.outputs.host}', 'redis'],
    ['${context.nothing}', 'context'],
  ])('%s is unknown, and the message lists the existing ones', (text, named) => {
    expect(() => resolveInputs(sources({ a: text }))).toThrow(Stalled)
    expect(() => resolveInputs(sources({ a: text }))).toThrow(named)
    expect(() => resolveInputs(sources({ a: text }))).toThrow(text)
  })

  test('what grows too large when it is resolved is refused for its size', () => {
    const many = Array(60_000).fill("${resources['postgres#shared.db'].outputs.nested}")
    expect(() => resolveInputs(sources({ many }))).toThrow(expect.objectContaining({ reason: 'TooLarge' }))
  })

  test('a resource that is not there yet is waited for', () => {
    expect(() => resolveInputs(sources({ a: '${resources.gone.outputs.x}' }))).toThrow(Waiting)
  })
})

describe('secrets', () => {
  const password = "${resources['postgres#shared.db'].outputs.password}"

  test('a value that contains a secret moves to the same path among the secrets', () => {
    const input = sources(
      { a: { b: `x:${password}`, c: 1 }, d: password },
      {},
      { secrets: { a: { e: '${left.alone' } } },
    )
    expect(resolveInputs(input)).toMatchObject({
      values: { a: { c: 1 } },
      secrets: { a: { e: '${left.alone', b: 'x:hunter2' }, d: 'hunter2' },
    })
    expect(resolveInputs(input).values).not.toHaveProperty('d')
  })

  test('a secret in an array takes the array along', () => {
    expect(resolveInputs(sources({ a: { list: ['x', password, { deep: password }] }, b: 1 }))).toMatchObject({
      values: { a: {}, b: 1 },
      secrets: { a: { list: ['x', 'hunter2', { deep: 'hunter2' }] } },
    })
  })

  test('an output that is partly secret is secret', () => {
    const both = "${resources['postgres#shared.db'].outputs.both}"
    const { values, secrets } = resolveInputs(sources({ a: both }))
    expect({ values, secrets }).toEqual({ values: {}, secrets: { a: { shown: 's', user: 'u' } } })
  })

  test('all outputs at once are secret when one of them is', () => {
    const all = "${resources['postgres#shared.db'].outputs}"
    expect(resolveInputs(sources({ a: all })).secrets).toMatchObject({
      a: { host: 'db.local', password: 'hunter2' },
    })
  })

  test('params are never secret', () => {
    expect(() => resolveInputs(sources({}, { a: '${externals.db.password}' }))).toThrow(Stalled)
  })

  test('nothing that was given is changed', () => {
    const input = sources({ a: { b: password } }, {}, { secrets: { a: { c: 1 } } })
    const before = JSON.stringify([input.spec, input.secrets, known])
    resolveInputs(input)
    expect(JSON.stringify([input.spec, input.secrets, known])).toBe(before)
  })

  test('keys that JavaScript treats specially are ordinary names', () => {
    const values = JSON.parse(`{"__proto__": {"x": ${JSON.stringify(password)}}}`) as FreeForm // an object by its text
    const { secrets } = resolveInputs(sources(values))
    expect(JSON.stringify(secrets)).toBe('{"__proto__":{"x":"hunter2"}}')
    expect(({} as FreeForm)['x']).toBeUndefined()
  })
})

test('a driver sees its neighbours, and the workload that owns each', () => {
  const input = sources(
    {},
    {},
    {
      descriptor: {
        neighbours: { db: 'postgres#shared.db', routes: 'dns<route', none: 'none', absent: 'absent' },
      },
    },
  )
  const { neighbours } = resolveInputs(input)
  expect(neighbours).toEqual({
    db: [{ guResId: 'db', descriptor: database, outputs: known.db.outputs, params: {} }],
    routes: [
      {
        guResId: 'ra',
        descriptor: routeOf('web', 'ra'),
        outputs: { path: '/a' },
        params: { path: '/a', port: 80 },
        workload: 'web',
      },
      {
        guResId: 'rb',
        descriptor: routeOf('api', 'rb'),
        outputs: { path: '/b' },
        params: {},
        workload: 'api',
      },
    ],
    none: [],
    absent: [],
  })
})

test.each<[rule: string, path: string, expected: unknown]>([
  ['shared values', '/${values.PREFIX}', '/v1'],
  ['their context, not that of the driver', '/${context.res.id}', '/modules.web.externals.route'],
  ['outputs of others', '${externals.db.host}', 'db.local'],
  ['no secret output', '${externals.db.password}', 'SecretParameter'],
  ['nothing unknown', '${externals.db.nope}', 'UnknownOutput'],
])("placeholders in the params of a driver's neighbours are resolved: %s", (_, path, expected) => {
  const route: ResourceOutputs = {
    outputs: {},
    secretOutputs: {},
    spec: {
      ...specOf(routeOf('web', 'route'), { path, port: 80 }),
      values: { PREFIX: { value: 'v1' } },
      references: { 'externals.db': ['db'] },
    },
  }
  const input = sources(
    {},
    {},
    {
      descriptor: { neighbours: { routes: 'dns<route' } },
      outputsOf: (guResId) => (guResId === 'ra' ? route : knownOf(guResId)),
    },
  )
  const single = { ...input, spec: { ...input.spec, references: { 'dns<route': ['ra'] } } }
  const params = () => resolveInputs(single).neighbours.routes?.[0]?.params
  if (typeof expected === 'string' && /^[A-Z]/.test(expected))
    expect(params).toThrow(expect.objectContaining({ reason: expected }))
  else expect(params()).toEqual({ path: expected, port: 80 })
})

describe('the module of a workload', () => {
  const module = (spec: FreeForm) => {
    const inputs = sources({}, { id: 'api', spec })
    return resolveInputs({ ...inputs, spec: { ...inputs.spec, type: 'workload' } })
  }

  test('placeholders are resolved with their native types, in keys too; foreign ones stay', () => {
    const spec = {
      port: '${externals.db.port}',
      url: 'db://${shared.db.host}/${context.env.id}',
      '${externals.db.host}': 'key',
      '$\\{literal}': 'escaped',
      other: '${unknown.left} $\\{literal}',
    }
    expect(module(spec).params).toEqual({
      id: 'api',
      spec: {
        port: 5432,
        url: 'db://db.local/dev',
        'db.local': 'key',
        '${literal}': 'escaped',
        other: '${unknown.left} ${literal}',
      },
    })
  })

  test('a text that contains a secret is listed by its path', () => {
    const { params, secretParams } = module({
      env: { URL: 'u:${externals.db.password}@h', HOST: '${externals.db.host}' },
    })
    expect(params).toMatchObject({ spec: { env: { URL: 'u:hunter2@h', HOST: 'db.local' } } })
    expect(secretParams).toEqual(['/spec/env/URL'])
  })

  test('the path of a text that contains a secret has the keys as they are resolved', () => {
    const file = { content: '${externals.db.password}' }
    const { params, secretParams } = module({ files: { '/etc/${externals.db.host}': file } })
    expect(params).toMatchObject({ spec: { files: { '/etc/db.local': { content: 'hunter2' } } } })
    expect(secretParams).toEqual(['/spec/files/~1etc~1db.local/content'])
  })

  test('a secret in a key is refused: keys are public', () => {
    expect(() => module({ '${externals.db.password}': 'x' })).toThrow(Stalled)
  })
})
