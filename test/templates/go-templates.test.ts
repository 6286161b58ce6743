import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { createGoEngine } from '../../operator/templates/engine.ts'
import { argumentsOf } from '../../operator/templates/functions/arities.ts'
import { templateFunctions } from '../../operator/templates/functions/functions.ts'
import { withoutPrototypes } from '../../operator/templates/values.ts'

interface Corpus {
  readonly data: object
  readonly prints: Readonly<Record<string, string>>
  readonly fails: readonly string[]
}

// The results of text/template with sprig 3.3 for the same templates and data.
const corpora: readonly Corpus[] = JSON.parse(readFileSync(join(import.meta.dirname, 'go.json'), 'utf8'))
const engine = createGoEngine(templateFunctions())
const render = (template: string, data: object) => engine.render(template, withoutPrototypes(data))

describe.each(corpora)('as in Go', ({ data, prints, fails }) => {
  test.each(Object.entries(prints))('%s', (template, expected) => {
    expect(render(template, data)).toBe(expected)
    // It is parsed by now.
    expect(render(template, data)).toBe(expected)
  })

  test.each(fails)('%s fails', (template) => {
    expect(() => render(template, data)).toThrow()
    expect(() => render(template, data)).toThrow()
  })
})

test('a template that failed works with other data, and has all its characters again', () => {
  const template = '{{ range .l }}{{ $.s }}{{ end }}{{ fail .no }}'
  const long = { s: 'x'.repeat(1000), l: Array.from({ length: 2000 }, () => 1), no: 'no' }
  expect(() => render(template, long)).toThrow('more than')
  expect(() => render(template, { ...long, l: [1] })).toThrow(/^(?!.*more than)/)
  expect(render('{{ range .l }}{{ $.s }}{{ end }}', { ...long, l: Array(1000).fill(1) })).toHaveLength(
    1_000_000,
  )
})

describe('other than in Go', () => {
  test.each([
    ['whole numbers are integers, from every source', '{{ .n }} {{ eq .n 12345678 }}', '12345678 true'],
    ['a text has parts, as without sprig', '{{ slice .s 1 3 }}', 'hé'.slice(1)],
    [
      'the mode of a file is octal, but `y` is text',
      '{{ fromYaml "{a: 0644, b: y}" | toJson }}',
      '{"a":420,"b":"y"}',
    ],
  ])('%s', (_, template, expected) => {
    expect(render(template, { n: 12345678, s: 'hé' })).toBe(expected)
  })

  test.each([
    ['invalid JSON fails, instead of an empty result', '{{ fromJson "{" }}'],
    ['a malformed expression fails instead of fitting nothing', '{{ regexMatch "(" "a" }}'],
    ['invalid base64 fails, instead of a text', '{{ b64dec "%%" }}'],
    ['so does base64 without its padding', '{{ b64dec "aGk" }}'],
    ['with a space', '{{ b64dec "aG k=" }}'],
    ['or with too much padding', '{{ b64dec "aGk====" }}'],
    ['the environment is empty', '{{ env "HOME" }}'],
    ['nor its expansion', '{{ expandenv "$HOME" }}'],
    ['nor the network', '{{ getHostByName "localhost" }}'],
    ['nor functions among the data', '{{ call .n }}'],
    ['nor the inherited properties of JavaScript objects', '{{ constructor }}'],
    ['as a function either', '{{ hasOwnProperty "n" }}'],
  ])('%s', (_, template) => {
    expect(() => render(template, { n: 1 })).toThrow()
  })
})

describe('functions take as many arguments as in Go', () => {
  test.each([
    ['{{ eq .n }}', "'eq' takes 2 arguments or more, not 1"],
    ['{{ .n | ne }}', "'ne' takes 2 arguments, not 1"],
    ['{{ if lt .n }}a{{ end }}', "'lt' takes 2 arguments, not 1"],
    ['{{ and }}', "'and' takes 1 argument or more, not 0"],
    ['{{ not .n .n }}', "'not' takes 1 argument, not 2"],
    ['{{ lower .s "b" }}', "'lower' takes 1 argument, not 2"],
    ['{{ .s | trunc }}', "'trunc' takes 2 arguments, not 1"],
    ['{{ mustToJson }}', "'mustToJson' takes 1 argument, not 0"],
    ['{{ print upper }}', "'upper' takes 1 argument, not 0"],
    ['{{ now 1 }}', "'now' takes 0 arguments, not 1"],
    ['{{ round 2.5 }}', "'round' takes 2 arguments or more, not 1"],
    ['{{ required "a" }}', "'required' takes 2 arguments, not 1"],
  ])('%s', (template, message) => {
    expect(() => render(template, { n: 1, s: 'a' })).toThrow(message)
  })

  test('each function is known', () => {
    expect(Object.keys(templateFunctions()).filter((name) => argumentsOf(name) === undefined)).toEqual([])
  })
})

test('a long text that is almost a number takes no time', () => {
  expect(render('{{ float64 .s }} {{ int .s }}', { s: `${'9'.repeat(200_000)}x` })).toBe('0 0')
})

describe('nothing but own keys is in a map', () => {
  test.each([
    ['{{ .constructor }}', '<no value>'],
    ['{{ .__proto__ }}', '<no value>'],
    ['{{ .m.constructor.name }}', '<no value>'],
    ['{{ (dict).constructor }}', '<no value>'],
    ['{{ (fromJson "{}").__proto__ }}', '<no value>'],
    ['{{ (split "." "a.b").constructor }}', '<no value>'],
    ['{{ (semver "1.2.3").constructor }}', '<no value>'],
    ['{{ index .m "__proto__" }}', '<no value>'],
    ['{{ get .m "constructor" }}', ''],
    ['{{ hasKey .m "toString" }}', 'false'],
    ['{{ pluck "constructor" .m }}', '[]'],
    ['{{ pick .m "constructor" }}', 'map[]'],
    ['{{ dig "constructor" "name" "none" .m }}', 'none'],
    [
      '{{ $d := dict }}{{ $_ := set $d "__proto__" (dict "a" 1) }}{{ $d.a }} {{ $d }}',
      '<no value> map[__proto__:map[a:1]]',
    ],
    ['{{ fromYaml "__proto__: {a: 1}" }}', 'map[__proto__:map[a:1]]'],
  ])('%s', (template, expected) => {
    expect(render(template, { m: {} })).toBe(expected)
  })
})

describe('random values', () => {
  test.each([
    ['{{ randAlphaNum 32 }}', /^[a-zA-Z0-9]{32}$/],
    ['{{ randAlpha 5 | lower }}', /^[a-z]{5}$/],
    ['{{ randNumeric 6 }}', /^\d{6}$/],
    ['{{ randBytes 12 }}', /^[a-zA-Z0-9+/]{16}$/],
    ['{{ uuidv4 }}', /^[0-9a-f]{8}-[0-9a-f]{4}-4/],
  ])('%s', (template, expected) => {
    const [one, other] = [render(template, {}), render(template, {})]
    expect(one).toMatch(expected)
    expect(one).not.toBe(other)
  })
})
