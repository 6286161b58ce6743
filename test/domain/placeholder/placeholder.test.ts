import { describe, expect, test } from '@jest/globals'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { maxExpandedLength, TooLarge } from '../../../operator/domain/base/size-limits.ts'
import { expand, findPlaceholders, type Resolved } from '../../../operator/domain/placeholder/placeholder.ts'
import {
  formatTemplate,
  parseTemplate,
  type Template,
} from '../../../operator/domain/placeholder/template.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { stepsOf } from '../../support/steps.ts'

describe('the grammar of placeholders', () => {
  test.each<[string, Template]>([
    ['', []],
    ['plain $ text $$ {x}', ['plain $ text $$ {x}']],
    ['${a.b}', [{ path: ['a', 'b'] }]],
    ["${a['b.c'].d}", [{ path: ['a', 'b.c', 'd'] }]],
    ['${a["b"]}', [{ path: ['a', 'b'] }]],
    ['${["a"]["b"]}', [{ path: ['a', 'b'] }]],
    ['${a["b\\"c\\u0041"]}', [{ path: ['a', 'b"cA'] }]],
    ["${a['b\\'c\\\\d']}", [{ path: ['a', "b'c\\d"] }]],
    ['${resources.config#example.outputs.x}', [{ path: ['resources', 'config#example', 'outputs', 'x'] }]],
    [
      '${resources.workload>aws-policy.outputs.arn}',
      [{ path: ['resources', 'workload>aws-policy', 'outputs', 'arn'] }],
    ],
    ["${resources['acme/s3.admin'].guresid}", [{ path: ['resources', 'acme/s3.admin', 'guresid'] }]],
    ['x-${a}-${b}-y', ['x-', { path: ['a'] }, '-', { path: ['b'] }, '-y']],
    ['$\\{a}', ['${a}']],
    ['$\\\\{a}', ['$\\{a}']],
    ['$${a}', ['$', { path: ['a'] }]],
    ['\\${a}', ['\\', { path: ['a'] }]],
  ])('%s', (text, parts) => {
    expect(parseTemplate(text)).toEqual(parts)
  })

  test.each([
    ['x ${a', 2],
    ['${', 0],
    ['${a.', 0],
    ['${}', 0],
    ['${a..b}', 0],
    ['${a b}', 0],
    ['${a.${b}}', 0],
    ["${a['b}", 0],
    ["${a['b'}", 0],
    ['${a[0]}', 0],
    ['${a[xbx]}', 0],
    ['${a["\\x"]}', 0],
    ["${a['b']c}", 0],
  ])("'%s' is refused, with its position", (text, position) => {
    try {
      parseTemplate(text)
    } catch (error) {
      expect(error).toBeInstanceOf(Problem)
      expect((error as Problem).details).toEqual({ position }) // checked in the line before
      expect((error as Problem).message).toContain(text.slice(position))
      return
    }
    throw new Error('was not refused')
  })

  test('a root that is not known is literal text where only some are', () => {
    const roots = ['externals', 'shared']
    expect(parseTemplate('${externals.db.host} ${HOME:-/x y} ${shared', roots.slice(0, 1))).toEqual([
      { path: ['externals', 'db', 'host'] },
      ' ${HOME:-/x y} ${shared',
    ])
    expect(parseTemplate('${externalsx.a}', roots)).toEqual(['${externalsx.a}'])
  })

  test.each<[Template, string]>([
    [[{ path: ['shared', 'a'] }, '${HOME}'], '${shared.a}${HOME}'],
    [['${shared.a}'], '$\\{shared.a}'],
    [['$\\{HOME}'], '$\\\\{HOME}'],
  ])('%j is %j where only some roots are known, and the other way round', (parts, text) => {
    expect(formatTemplate(parts, ['shared'])).toBe(text)
    expect(parseTemplate(text, ['shared'])).toEqual(parts)
  })

  test('a root is known in brackets too', () => {
    expect(parseTemplate("${['shared'].a}${['HOME'].a}", ['shared'])).toEqual([
      { path: ['shared', 'a'] },
      "${['HOME'].a}",
    ])
  })

  const tooLong = 4096
  test.each([
    ['name', `\${${'a'.repeat(tooLong)}}`],
    ['path', `\${a${'.a'.repeat(tooLong / 2)}}`],
    ['name in brackets', `\${['${'a'.repeat(tooLong)}']}`],
  ])('a placeholder with a %s without end is refused', (_, text) => {
    expect(() => parseTemplate(text)).toThrow(Problem)
  })

  test('a text with placeholders has a limit', () => {
    const text = '${a}'.padEnd(1_048_576, 'x')
    expect(parseTemplate(text)).toHaveLength(2)
    expect(() => parseTemplate(`${text}x`)).toThrow(Problem)
    expect(parseTemplate('x'.repeat(2_000_000))).toHaveLength(1)
  })

  const step = fc.oneof(fc.stringMatching(/^[a-z#<>/]{1,6}$/), fc.string({ unit: 'binary', maxLength: 6 }))
  const piece = fc.oneof(
    fc.constantFrom('$', '{', '}', '\\', '${', '$\\{', '$\\\\{', 'x'),
    fc.string(),
    fc.array(step, { minLength: 1, maxLength: 4 }).map((path) => ({ path })),
  )

  test('parsing a formatted placeholder returns the same', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (parts) => {
        const merged: (string | { path: string[] })[] = []
        for (const part of parts) {
          const last = merged.at(-1)
          if (part === '') continue
          if (typeof part === 'string' && typeof last === 'string') merged[merged.length - 1] = last + part
          else merged.push(part)
        }
        expect(parseTemplate(formatTemplate(parts))).toEqual(merged)
      }),
      { numRuns: casesOf(1000) },
    )
  })

  test('no text makes it throw anything but a problem', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('$', '{', '}', '[', ']', "'", '"', '\\', '.', 'a'), { maxLength: 30 }),
        (letters) => {
          try {
            parseTemplate(letters.join(''))
          } catch (error) {
            expect(error).toBeInstanceOf(Problem)
          }
        },
      ),
      { numRuns: casesOf(1000) },
    )
  })

  test.each(['${a', "${a['", '$\\', '${a.b}', '${a['])(
    'the work for a text of %s grows with its length',
    (unit) => {
      const steps = (length: number) =>
        stepsOf(() => {
          try {
            parseTemplate(unit.repeat(length))
          } catch (error) {
            expect(error).toBeInstanceOf(Problem)
          }
        })
      steps(10)
      expect(steps(20_000) / steps(2000)).toBeLessThan(40)
    },
  )
})

describe('finding placeholders', () => {
  test('they are found deep in a value, with where', () => {
    expect(findPlaceholders({ a: ['x', '${p.q}'], 'b/c': { '${k}': 'y ${r}${s}' }, n: 1, z: null })).toEqual([
      { path: ['p', 'q'], at: '/a/1' },
      { path: ['r'], at: '/b~1c/${k}' },
      { path: ['s'], at: '/b~1c/${k}' },
    ])
  })

  test('keys are read where they count', () => {
    expect(findPlaceholders({ '${k}': 1 }, { keys: true })).toEqual([{ path: ['k'], at: '/${k}' }])
  })

  test('a value without end is refused', () => {
    let deep: unknown = 'x'
    for (let i = 0; i < 1000; i++) deep = [deep]
    expect(() => findPlaceholders(deep)).toThrow(Problem)
    expect(() => expand(deep, () => ({ value: 1, secret: false }))).toThrow(Problem)
  })
})

describe('expanding placeholders', () => {
  const known: Record<string, Resolved> = {
    number: { value: 5, secret: false },
    object: { value: { a: [1] }, secret: false },
    text: { value: 'x ${number}', secret: false },
    password: { value: 'hunter2', secret: true },
    nothing: { value: null, secret: false },
  }
  const lookup = ([name = '']: readonly string[]): Resolved =>
    known[name] ?? { value: undefined, secret: false }

  test.each<[string, unknown, unknown, string[]]>([
    ['a whole text takes the native type', '${number}', 5, []],
    ['a whole text takes objects', { a: '${object}' }, { a: { a: [1] } }, []],
    ['within a text strings go in raw', 'a ${text}!', 'a x ${number}!', []],
    ['within a text other values go in as JSON', '${number} ${object} ${nothing}', '5 {"a":[1]} null', []],
    ['an inserted value is not expanded again', ['${text}'], ['x ${number}'], []],
    ['the escape becomes the literal', '$\\{number}', '${number}', []],
    [
      'a text that contains a secret is secret',
      { 'a/b': ['x', 'p=${password}'] },
      { 'a/b': ['x', 'p=hunter2'] },
      ['/a~1b/1'],
    ],
    ['a whole secret is secret', '${password}', 'hunter2', ['']],
    ['other values stay', [1, true, null, 'x'], [1, true, null, 'x'], []],
  ])('%s', (_, value, expected, secretPointers) => {
    expect(expand(value, lookup)).toEqual({ value: expected, secretPointers })
  })

  test.each<[string, boolean, unknown, unknown, string[]]>([
    ['stay', false, { '${text}': '${number}' }, { '${text}': 5 }, []],
    ['are expanded where they count', true, { 'a-${text}': 1 }, { 'a-x ${number}': 1 }, []],
    ['take other values as JSON', true, { '${number}': { '${nothing}': 1 } }, { '5': { null: 1 } }, []],
    [
      'are part of the place of a secret as they are then',
      true,
      { 'a/${number}': ['${password}'] },
      { 'a/5': ['hunter2'] },
      ['/a~15/0'],
    ],
  ])('keys %s', (_, keys, value, expected, secretPointers) => {
    expect(expand(value, lookup, undefined, { keys })).toEqual({ value: expected, secretPointers })
  })

  test.each(['${password}', 'a-${password}'])('the key %j is refused: a key cannot be secret', (key) => {
    const work = () => expand({ a: [{ [key]: 1 }] }, lookup, undefined, { keys: true })
    expect(work).toThrow(Problem)
    expect(work).toThrow(`'${key}' in '/a/0'`)
    expect(work).not.toThrow('hunter2')
  })

  test('a malformed text is a problem that says where', () => {
    expect(() => expand({ a: ['x', '${a..b}'] }, lookup)).toThrow(/in '\/a\/1'$/)
  })
})

describe('two keys that become the same text', () => {
  const expandKeys = (value: unknown) =>
    expand(value, () => ({ value: 'x', secret: false }), undefined, { keys: true })

  test.each([
    ['${values.X}', 'x'],
    ['${values.X}y', '${values.Z}y'],
  ])('are a problem that names both: %s and %s', (first, second) => {
    const work = () => expandKeys({ a: { [first]: 1, [second]: 2 } })
    expect(work).toThrow(Problem)
    expect(work).toThrow(`'${first}' and '${second}' in '/a'`)
  })

  test('are allowed in different maps', () => {
    const value = [{ '${values.X}': 1 }, { x: { '${values.X}': 2 } }]
    expect(expandKeys(value).value).toEqual([{ x: 1 }, { x: { x: 2 } }])
  })
})

describe('the total of expanded placeholders', () => {
  const lookups = (value: unknown, secret = false) => {
    let count = 0
    const lookup = (): Resolved => {
      count += 1
      return { value, secret }
    }
    return { lookup, count: () => count }
  }
  const large = 'x'.repeat(65_000)
  const key = 'k'.repeat(65_000)

  test.each<
    [rule: string, value: unknown, resolved: unknown, options?: { secret?: boolean; keys?: boolean }]
  >([
    ['within one text', '${values.X}'.repeat(350), large],
    ['in many texts', Array.from({ length: 350 }, () => 'x ${values.X}'), large],
    ['as whole values', Array.from({ length: 350 }, () => '${values.X}'), large],
    ['as JSON', '${values.X}'.repeat(350), { deep: [large] }],
    ['as lists of many', Array.from({ length: 350 }, () => '${values.X}'), Array(20_000).fill('')],
    [
      'in keys',
      Object.fromEntries(Array.from({ length: 350 }, (_, i) => [`\${values.X}${i}`, 1])),
      large,
      { keys: true },
    ],
    [
      'as paths of secrets',
      { [key]: Array.from({ length: 350 }, () => 'x ${values.X}') },
      's',
      { secret: true },
    ],
  ])(
    '%s is bounded, and no more lookups are made',
    (_, value, resolved, { secret = false, keys = false } = {}) => {
      const { lookup, count } = lookups(resolved, secret)
      expect(() => expand(value, lookup, undefined, { keys })).toThrow(TooLarge)
      expect(count()).toBeLessThan(20)
    },
  )

  test.each([
    ['so many characters as are allowed', maxExpandedLength, false],
    ['one more', maxExpandedLength + 1, true],
  ])('%s', (_, length, isRefused) => {
    const { lookup } = lookups('x'.repeat(length / 2))
    const odd = lookups('x'.repeat(length % 2))
    const value = ['a ${values.X}', 'b ${values.X}', '${odd}']
    const work = () => expand(value, ([name]) => (name === 'odd' ? odd.lookup() : lookup()))
    if (isRefused) expect(work).toThrow(TooLarge)
    else expect(JSON.stringify(work().value).length).toBeGreaterThan(length)
  })

  test('a placeholder is located by the beginning of a long path', () => {
    const found = findPlaceholders({ [key]: Array.from({ length: 100 }, () => ['${a}']) })
    expect(found).toHaveLength(100)
    for (const { at } of found) expect(at.length).toBeLessThan(1100)
  })
})
