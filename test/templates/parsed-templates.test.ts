import { expect, test } from '@jest/globals'
import { createParsedTemplates } from '../../operator/templates/parsed-templates.ts'

/** A parser that notes what it parses. */
function parserOf() {
  const parses: string[] = []
  const parsed = createParsedTemplates((template) => {
    parses.push(template)
    return () => [template]
  })
  return { parses, evaluate: (template: string) => parsed(template)({}).join('') }
}

test('a template is parsed once while it is used', () => {
  const { parses, evaluate } = parserOf()
  const results = ['a', 'b', 'a', 'b', 'a'].map(evaluate)
  expect(results).toEqual(['a', 'b', 'a', 'b', 'a'])
  expect(parses).toEqual(['a', 'b'])
})

test('65,536 characters are kept, and those that were used last', () => {
  const { parses, evaluate } = parserOf()
  const [one, two, three] = ['1', '2', '3'].map((each) => each.repeat(32_768)) as [string, string, string]
  for (const each of [one, two, one, three, one, two]) evaluate(each)
  expect(parses).toEqual([one, two, three, two])
})

test('a longer template works and is not kept, so the others stay', () => {
  const { parses, evaluate } = parserOf()
  const long = 'x'.repeat(65_537)
  expect(['a', long, long, 'a'].map(evaluate)).toEqual(['a', long, long, 'a'])
  expect(parses).toEqual(['a', long, long])
})
