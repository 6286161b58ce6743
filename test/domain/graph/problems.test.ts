import { describe, expect, test } from '@jest/globals'
import type { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import type { SetContent } from '../../../operator/domain/delta/delta.ts'
import { definition, module, set } from '../../support/builders.ts'
import { graphOf, need, problems, reading } from '../../support/graphs.ts'

describe('problems', () => {
  const shared = (type: string) => set({}, { x: need(type) })
  test.each<[string, SetContent, ResourceDefinition[], string[]]>([
    ['no definition', shared('s3'), [], ['NoMatchingDefinition s3.default#shared.x']],
    ['an unknown type', shared('postgress'), [], ['TypeNotFound postgress.default#shared.x']],
    [
      'an unknown type of the organization, even where a definition provisions it',
      shared('acme/ghost'),
      [definition('ghost', 'acme/ghost')],
      ['TypeNotFound acme/ghost.default#shared.x'],
    ],
    [
      'an unknown type of the organization by its simple name',
      shared('ghost'),
      [definition('ghost', 'acme/ghost')],
      ['TypeNotFound acme/ghost.default#shared.x'],
    ],
    [
      'an override whose type does not exist, though the built-in one does',
      shared('redis'),
      [definition('redis', 'redis'), definition('own', 'acme/redis')],
      ['TypeNotFound acme/redis.default#shared.x'],
    ],
    [
      'an unknown type that a definition refers to',
      shared('s3'),
      [reading('s3', 's3', { a: "${resources['acme/ghost'].outputs.x}" }), definition('g', 'acme/ghost')],
      ['TypeNotFound acme/ghost.default#shared.x'],
    ],
    [
      'an unknown type that a definition provisions along',
      shared('s3'),
      [definition('s3', 's3', { provision: { 'acme/ghost': {} } }), definition('g', 'acme/ghost')],
      ['TypeNotFound acme/ghost.default#shared.x'],
    ],
    ['no type', set({}, { x: {} }), [], ['InvalidDependency shared.x']],
    ['a class that is no text', set({}, { x: need('s3', { class: 7 }) }), [], ['InvalidDependency shared.x']],
    ['an id that is no text', set({}, { x: need('s3', { id: 7 }) }), [], ['InvalidDependency shared.x']],
    [
      'params that are no object',
      set({}, { x: need('s3', { params: 7 }) }),
      [],
      ['InvalidDependency shared.x'],
    ],
    [
      'a shared dependency without a name',
      set({}, { '': need('s3') }),
      [],
      ['InvalidName s3.default#shared.'],
    ],
    ['a workload without a name', set({ '': module() }), [], ["InvalidName workload ''"]],
    [
      'a class that cannot be one',
      set({}, { x: need('s3', { class: 'a b' }) }),
      [],
      ['InvalidName s3.a b#shared.x'],
    ],
    ['a workload id with a dot', set({ 'a.b': module() }), [], ["InvalidName workload 'a.b'"]],
    [
      'an unknown driver',
      shared('s3'),
      [definition('s3', 's3', { driverType: 'quartermaster/none' })],
      ['UnknownDriver s3.default#shared.x'],
    ],
    [
      "another vendor's driver",
      shared('s3'),
      [definition('s3', 's3', { driverType: 'other/echo' })],
      ['UnknownDriver s3.default#shared.x'],
    ],
    [
      'a driver of other types',
      shared('s3'),
      [definition('s3', 's3', { driverType: 'quartermaster/ingress' })],
      ['WrongType s3.default#shared.x'],
    ],
    [
      'an account that does not exist',
      shared('s3'),
      [definition('s3', 's3', { accountName: 'none' })],
      ['AccountNotFound s3.default#shared.x'],
    ],
    [
      'a driver without the account that it needs',
      shared('dns'),
      [definition('dns', 'dns', { driverType: 'quartermaster/dns-cloudflare' })],
      ['AccountRequired dns.default#shared.x'],
    ],
    [
      'an unknown root',
      shared('s3'),
      [reading('s3', 's3', { a: '${nothing.x}' })],
      ['InvalidPlaceholder s3.default#shared.x'],
    ],
    [
      'an unknown name of the context',
      shared('s3'),
      [reading('s3', 's3', { a: '${context.ap.id}' })],
      ['InvalidPlaceholder s3.default#shared.x'],
    ],
    [
      'an unknown tail',
      shared('s3'),
      [reading('s3', 's3', { a: '${resources.dns.host}' })],
      ['InvalidPlaceholder s3.default#shared.x'],
    ],
    [
      'a bad reference',
      shared('s3'),
      [reading('s3', 's3', { a: "${resources['a b'].outputs.x}" })],
      ['InvalidPlaceholder s3.default#shared.x'],
    ],
    [
      'a placeholder without end',
      shared('s3'),
      [reading('s3', 's3', { a: '${resources' })],
      ['InvalidPlaceholder s3.default#shared.x'],
    ],
    [
      'a bad key of provision',
      shared('s3'),
      [definition('s3', 's3', { provision: { 'a b': {} } })],
      ['InvalidReference s3.default#shared.x'],
    ],
    [
      'a resource that needs itself',
      shared('s3'),
      [reading('s3', 's3', { a: '${resources.s3.outputs.x}' })],
      ['Cycle s3.default#shared.x'],
    ],
    [
      'all bad nodes at once',
      set({}, { a: need('s3'), b: need('dns'), c: need('none'), d: need('redis') }),
      [
        reading('s3', 's3', { a: '${resources.postgres.outputs.x}' }),
        definition('redis', 'redis', { driverType: 'x/y' }),
      ],
      [
        'NoMatchingDefinition dns.default#shared.b',
        'TypeNotFound none.default#shared.c',
        'NoMatchingDefinition postgres.default#shared.a',
        'UnknownDriver redis.default#shared.d',
      ],
    ],
  ])('%s', (_, content, definitions, expected) => {
    expect(problems(graphOf(content, ...definitions))).toEqual(expected)
  })

  test('the nearest miss is named', () => {
    expect(graphOf(shared('s3')).problems[0]?.message).toBe("no definition of type 's3' exists")
    expect(graphOf(shared('postgress')).problems[0]?.message).toContain("did you mean 'postgres'")
    expect(
      graphOf(shared('s3'), definition('s3', 's3', { criteria: [{ appId: 'other' }] })).problems[0]?.message,
    ).toContain("needs app_id 'other' (is 'shop')")
    expect(
      graphOf(shared('s3'), definition('s3', 's3', { driverType: 'quartermaster/ehco' })).problems[0]
        ?.message,
    ).toContain("did you mean 'quartermaster/echo'")
  })

  test('a graph that grows without end is stopped', () => {
    const step = (id: number) =>
      reading(
        `d${id}`,
        's3',
        { a: `\${resources['s3#n${id + 1}'].outputs.x}` },
        { criteria: [{ resId: id === 0 ? 'shared.x' : `n${id}` }] },
      )
    const graph = graphOf(shared('s3'), ...Array.from({ length: 10_500 }, (_, i) => step(i)))
    expect(problems(graph)[0]).toBe('TooManyResources ')
  })
})
