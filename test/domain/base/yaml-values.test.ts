import { describe, expect, test } from '@jest/globals'
import { parseScore } from '../../../operator/domain/score/parse-score.ts'
import { parseYaml } from '../../../operator/templates/yaml.ts'

const readers: readonly [name: string, read: (text: string) => unknown][] = [
  ['a Score file', (text) => parseScore(text)[0]?.document],
  ['the result of a template', parseYaml],
]

describe.each(readers)('YAML of %s', (_, read) => {
  test.each<[text: string, value: unknown]>([
    ['5', 5],
    ['-7', -7],
    ['1.5', 1.5],
    ['1e3', 1000],
    ['0x1F', 31],
    ['true', true],
    // As the Go libraries read it.
    ['0644', 420],
    ['0o644', 420],
    // Digits are never lost.
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', '9007199254740993'],
    ['-12345678901234567890', '-12345678901234567890'],
    ['1234e567', '1234e567'],
    ['0x1234567890abcdef1234', '0x1234567890abcdef1234'],
    ['0o1234567012345670123456', '0o1234567012345670123456'],
    ['01234567012345670123', '01234567012345670123'],
    [`${'1'.repeat(400)}.5`, `${'1'.repeat(400)}.5`],
    // What only YAML 1.1 takes for something else is text.
    ['yes', 'yes'],
    ['on', 'on'],
    ['12:30', '12:30'],
    ['1_000', '1_000'],
    ['2024-01-02', '2024-01-02'],
    // Tags give values that JSON has.
    ['!!str 5', '5'],
    ['!!int "5"', 5],
    ['!!timestamp 2024-01-01', '2024-01-01'],
    ['!!binary aGk=', 'hi'],
    ['!!set {x, y}', { x: null, y: null }],
    ['!!omap [x: 1]', [{ x: 1 }]],
  ])('%s', (text, value) => {
    expect(read(`key: ${text}`)).toEqual({ key: value })
  })

  test.each(['.inf', '-.INF', '.nan'])('%s is refused', (text) => {
    expect(() => read(`key: ${text}`)).toThrow()
  })

  test('a merge key copies the entries of another map', () => {
    expect(read('one: &one {a: 1}\nother: {<<: *one, b: 2}')).toEqual({
      one: { a: 1 },
      other: { a: 1, b: 2 },
    })
  })
})
