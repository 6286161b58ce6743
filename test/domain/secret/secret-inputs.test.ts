import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { resolveInputs } from '../../../operator/domain/graph/inputs.ts'
import type { ResourceOutputs } from '../../../operator/domain/graph/lookup.ts'
import { changedInputs } from '../../../operator/domain/plan/changed-inputs.ts'
import {
  malformedSecret,
  placeholdersOfSecret,
  unreadLeaves,
  withoutTemplates,
} from '../../../operator/domain/secret/secret-inputs.ts'
import { activeResource, definition, driver, set } from '../../support/builders.ts'
import { edges, graphOf, problems } from '../../support/graphs.ts'
import { planOf } from '../../support/plans.ts'
import { fc } from '../../support/properties.ts'

const output = "resources['redis#shared.b'].outputs.password"
const named = `\${${output}}`
const canary = 'canary-of-the-text'

function messageOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    return String(error)
  }
  throw new Error('it did not throw')
}

describe('the placeholders of a secret input', () => {
  test.each<[rule: string, value: unknown, expected: string[] | undefined]>([
    ['are listed by their paths', `a ${named} b \${context.app.id}`, ['context.app.id', output]],
    ['each once', `${named}${named}`, [output]],
    ['in lists, too', [{ a: named }], [output]],
    ['are none in a text without', 'plain', undefined],
    ['are none in a dollar', 'pa$$word$', undefined],
    ['exist only in texts', 1, undefined],
    ['are none, though it means another text, where a literal is escaped', 'a $\\{b}', []],
  ])('%s', (_, value, expected) => {
    expect(placeholdersOfSecret(value)).toEqual(expected)
  })

  test.each(['${', '${}', '${context.app.id', '${nothing.x}', '${context.nothing}', '${resources.s3.x}'])(
    '%s is refused without the text',
    (text) => {
      const work = () => placeholdersOfSecret(`${canary} ${text} ${canary}`)
      expect(messageOf(work)).not.toContain(canary)
      expect(messageOf(work)).toContain('placeholder')
    },
  )

  test('are the only part of a text that is shown, for every text', () => {
    const reportedOf = (text: string): unknown => {
      try {
        return placeholdersOfSecret(text) ?? []
      } catch (error) {
        return error instanceof Problem ? error.message : error
      }
    }
    // No word of these names anything.
    const characters = fc.constantFrom('$', '{', '}', '\\', 'q', '.', '[', "'")
    fc.assert(
      fc.property(fc.string({ unit: characters }), (text) => {
        expect([[], malformedSecret]).toContainEqual(reportedOf(text))
      }),
    )
  })
})

const withSecrets = (secretRefs: FreeForm, values: FreeForm = {}) =>
  definition('a', 's3', { driverInputs: { values, secretRefs } })
const graphWith = (secretRefs: FreeForm) =>
  graphOf(
    set({}, { a: { type: 's3' }, b: { type: 'redis' } }),
    withSecrets(secretRefs),
    definition('b', 'redis'),
  )
const edge = ['s3.default#shared.a -> redis.default#shared.b']

describe('secret inputs make edges of the graph', () => {
  test.each<[rule: string, secretRefs: FreeForm, expected: string[]]>([
    ['when the definition holds their text', { pw: { value: `x-${named}` } }, edge],
    ['when they list their placeholders', { pw: { secret: 's', key: 'pw', placeholders: [output] } }, edge],
    ['within maps', { deep: { pw: { value: named } } }, edge],
    ['but not when a Secret is named alone', { pw: { secret: 's', key: 'pw' } }, []],
    ['nor for a map that happens to have an input called value', { value: { secret: 's', key: 'pw' } }, []],
  ])('%s', (_, secretRefs, expected) => {
    const graph = graphWith(secretRefs)
    expect(problems(graph)).toEqual([])
    expect(edges(graph)).toEqual(expected)
  })

  test.each<[rule: string, leaf: FreeForm]>([
    ['a malformed text', { value: `${canary} \${${canary}` }],
    ['a text of an unknown root', { value: `${canary} \${canary.x}` }],
    ['a malformed path', { secret: 's', key: 'k', placeholders: ['a b'] }],
    ['a path that names nothing', { secret: 's', key: 'k', placeholders: ['nothing.x'] }],
    ['more than a path', { secret: 's', key: 'k', placeholders: ['context.app.id} x ${context.env.id'] }],
    ['no list', { secret: 's', key: 'k', placeholders: 'context.app.id' }],
  ])('%s is a problem of the plan that does not show the text', (_, leaf) => {
    const graph = graphWith({ pw: leaf })
    expect(problems(graph)).toEqual(['InvalidPlaceholder s3.default#shared.a'])
    expect(JSON.stringify(graph.problems)).not.toContain(canary)
    expect(graph.problems[0]?.message).toContain("'/pw'")
  })

  test('a missing output is found as one in plain values', () => {
    const echoing = definition('b', 'redis', { driverInputs: { values: { host: 'h' } } })
    const content = set({}, { a: { type: 's3' }, b: { type: 'redis' } })
    const { problems: found } = planOf(content, [withSecrets({ pw: { value: named } }), echoing], [], {
      catalogue: [driver('echo', { outputNames: () => ['host'] })],
    })
    expect(found.map(({ reason }) => reason)).toEqual(['UnknownOutput'])
  })
})

const guResId = 'b'.repeat(40)
const neighbour: ResourceOutputs = {
  outputs: { host: 'h' },
  secretOutputs: { password: '${context.app.id} as it is' },
  spec: activeResource({ type: 'redis', resourceId: 'shared.b' }).spec,
}

function resolved(secretRefs: FreeForm, secrets: FreeForm) {
  const { spec } = activeResource(
    { type: 's3', resourceId: 'shared.a' },
    {
      definition: { definitionName: 'a', driverType: 'quartermaster/echo', driverInputs: { secretRefs } },
      references: { 'redis#shared.b': [guResId] },
    },
  )
  return resolveInputs({
    spec,
    guResId: 'a'.repeat(40),
    descriptor: { neighbours: {} },
    outputsOf: (name) => (name === guResId ? neighbour : undefined),
    secrets,
  })
}

describe('a driver is given secret inputs', () => {
  const listed = { secret: 's', key: 'pw', placeholders: ['context.app.id', output] }
  test.each<[rule: string, leaf: FreeForm, content: unknown, expected: unknown]>([
    [
      'resolved where the text is in the definition',
      { value: `x-${named}` },
      `x-${named}`,
      'x-${context.app.id} as it is',
    ],
    ['resolved where the placeholders are listed', listed, '${context.app.id}!', 'shop!'],
    [
      'with a literal that is escaped',
      { ...listed, placeholders: [] },
      '$\\{context.app.id}',
      '${context.app.id}',
    ],
    [
      'resolved all over a Secret that is named as a whole',
      { secret: 's', placeholders: ['context.app.id'] },
      { a: '${context.app.id}', b: { c: ['${context.app.id}'] } },
      { a: 'shop', b: { c: ['shop'] } },
    ],
    ['as they are where a Secret is named alone', { secret: 's', key: 'pw' }, named, named],
    ['as they are where they are no placeholders at all', { secret: 's', key: 'pw' }, '${', '${'],
  ])('%s', (_, leaf, content, expected) => {
    const { secrets, values } = resolved({ deep: { pw: leaf } }, { deep: { pw: content } })
    expect([secrets, values]).toEqual([{ deep: { pw: expected } }, {}])
  })

  test.each<[rule: string, text: string]>([
    ['that lists others than it has', `${canary} \${context.env.id}`],
    ['that is malformed by now', `${canary} \${${canary}`],
    ['that names nothing by now', `\${${canary}}`],
  ])('not from a Secret %s, and its text is not shown', (_, text) => {
    const work = () => resolved({ pw: listed }, { pw: text })
    expect(messageOf(work)).not.toContain(canary)
    expect(work).toThrow(expect.objectContaining({ reason: 'InvalidPlaceholder' }))
  })
})

test('a value that is not known yet matches any schema', () => {
  const refs = { a: { value: named }, b: { secret: 's', placeholders: [] }, c: { d: { secret: 's' } } }
  expect(unreadLeaves(refs)).toEqual({ a: '${secret}', b: '${secret}', c: { d: '${secret}' } })
  expect(withoutTemplates(refs)).toEqual({ a: '${secret}', b: '${secret}', c: { d: { secret: 's' } } })
})

test('a changed text is shown as the input that it is', () => {
  const spec = (text: string) =>
    activeResource(
      { type: 's3', resourceId: 'shared.a' },
      {
        definition: {
          definitionName: 'a',
          driverType: 'quartermaster/echo',
          driverInputs: { secretRefs: { pw: { value: text } } },
        },
      },
    ).spec
  expect(changedInputs(spec('a'), spec('b'))).toEqual(['driver_inputs.secret_refs.pw'])
})
