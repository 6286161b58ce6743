import { isObject } from '../../../operator/domain/base/json.ts'
import { fc } from '../../support/properties.ts'

/** Names that every object of JavaScript answers to. */
export const inheritedNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
]

const texts = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  'é'.repeat(200),
  'x'.repeat(5000),
  '..',
  '../../secrets',
  '/',
  '/a/~2/~',
  '/spec/shared/main',
  '/externals/db',
  '-1',
  '0',
  '1e400',
  'null',
  '2026-13-45T99:00:00Z',
  'https://user:secret@[::1]:99999/%zz',
  '(a+)+$',
  '${',
  '${resources.dns.outputs.host}',
  "${resources['a>b'].outputs.x}",
  '${context.app.id}',
  '{{ .res.id }}',
  '{{ range',
]

const known = [
  'dns',
  's3',
  'default',
  'development',
  'local',
  'cloudflare',
  'shared.main',
  'modules.web.externals.db',
  'quartermaster/echo',
  'quartermaster/ingress',
  'quartermaster/template',
  'quartermaster/dns-cloudflare',
  'humanitec/default-module',
]

/** Values that a client sends who wants to see it break, or who is broken. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 0.5, 1e308, 2 ** 53, -(2 ** 31) - 1, [], {}, [[]], [null]),
  fc.constantFrom(...texts, ...inheritedNames),
  fc.constantFrom(...inheritedNames).map((name) => JSON.parse(`{"${name}":{"polluted":true}}`)),
  fc.constantFrom(10, 40, 70, 200).map((depth) => nested(depth)),
  fc.jsonValue({ maxDepth: 3 }),
)

function nested(depth: number): unknown {
  return JSON.parse(`${'{"a":['.repeat(depth)}${']}'.repeat(depth)}`)
}

interface Schema {
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly pattern?: string
  readonly format?: string
}

/** A value that is likely for a field of that name. */
const likely: Readonly<Record<string, readonly string[]>> = {
  id: ['new', 'new-one', 'shared.main', 'modules.web.externals.db'],
  type: ['dns', 's3', 'dns.default', 'config', 'local', 'development', 'acme/new'],
  driver_type: ['quartermaster/echo', 'quartermaster/ingress', 'quartermaster/template', 'x/y'],
  path: ['/main', '/externals/db', '/spec/containers', '/a~1b', '', '/main/params/host', '/0', '/-', '/spec'],
  profile: ['humanitec/default-module'],
  role: ['viewer', 'developer', 'owner', 'deployer', 'member', 'manager', 'administrator'],
  trigger: ['deployment_request'],
  url: ['hooks.example.com/a', 'https://hooks.example.com'],
  target: ['https://driver.example.com/a'],
  token: ['qm_admin_secret-of-admin'],
  use: ['direct', 'indirect', 'implicit'],
}

/**
 * Makes values that match a schema of an OpenAPI document; `names` are the ids of existing objects, by the name of the
 * field that is likely to contain them.
 */
export function valuesOf(document: object, names: Readonly<Record<string, readonly string[]>>) {
  const fields: Record<string, readonly string[]> = { ...likely }
  for (const [name, ids] of Object.entries(names)) fields[name] = [...(fields[name] ?? []), ...ids]
  const all = Object.values(names).flat()
  const word = fc.constantFrom(...known, ...all)
  const plainKey = fc.constantFrom('a', 'web', 'db', 'main', 'host', 'values', 'secrets', ...all)
  const oddKey = fc.constantFrom('', 'a.b', 'a/b', '~', 'é', ...inheritedNames.slice(3))
  const anyKey = fc.oneof({ weight: 4, arbitrary: plainKey }, { weight: 1, arbitrary: oddKey })

  /** `isOdd`: whether texts and keys may be unusual. */
  function maker(isOdd: boolean) {
    const key = isOdd ? anyKey : plainKey

    function valueOf(schema: Schema, depth = 0, name = ''): fc.Arbitrary<unknown> {
      if (schema.$ref !== undefined) return valueOf(resolve(schema.$ref), depth, name)
      if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => valueOf(each, depth, name)))
      if (schema.enum) return fc.constantFrom(...schema.enum)
      if (schema.const !== undefined) return fc.constant(schema.const)
      const { type } = schema
      if (type === undefined) return fc.oneof(word, fc.jsonValue({ maxDepth: 2 }), fc.dictionary(key, word))
      const types = typeof type === 'string' ? [type] : type
      return fc.oneof(
        ...types.map((each) => ({
          weight: each === 'null' ? 1 : 6,
          arbitrary: typed({ ...schema, type: each }, depth, name),
        })),
      )
    }

    function typed(schema: Schema, depth: number, name: string): fc.Arbitrary<unknown> {
      const { type, items = {} } = schema
      if (type === 'object') return objectOf(schema, depth)
      if (type === 'array') return fc.array(valueOf(items, depth + 1), { maxLength: depth > 4 ? 0 : 3 })
      if (type === 'string') return textOf(schema, name)
      if (type === 'integer') return fc.integer({ min: -1, max: 70_000 })
      if (type === 'number') return fc.double({ noNaN: true, noDefaultInfinity: true })
      if (type === 'boolean') return fc.boolean()
      return fc.constant(null)
    }

    function objectOf(schema: Schema, depth: number): fc.Arbitrary<unknown> {
      const { properties, required = [], additionalProperties } = schema
      if (!properties) {
        const items = isObject(additionalProperties) ? valueOf(additionalProperties, depth + 1) : word
        return fc.dictionary(key, items, { maxKeys: depth > 4 ? 0 : 3, noNullPrototype: true })
      }
      const values = Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [
          name,
          lazily(() => valueOf(each, depth + 1, name)),
        ]),
      )
      const optional = Object.keys(properties).filter((name) => !required.includes(name))
      return fc
        .subarray(optional, { maxLength: depth > 4 ? 0 : Math.min(optional.length, isOdd ? 20 : 3) })
        .chain((some) => {
          const chosen = [...required, ...some].flatMap((name) =>
            values[name] ? [[name, values[name]()]] : [],
          )
          return fc.record(Object.fromEntries(chosen), { noNullPrototype: true })
        })
    }

    function textOf({ pattern, format }: Schema, name: string): fc.Arbitrary<string> {
      const meant = Object.hasOwn(fields, name) ? fields[name] : undefined
      const fitting = format === 'date-time' ? time : pattern === undefined ? word : matching(pattern)
      const usual = meant ? [{ weight: 8, arbitrary: fc.constantFrom(...meant) }] : []
      if (!isOdd) return fc.oneof(...usual, { weight: 2, arbitrary: fitting })
      const odd = fc.oneof(word, fc.constantFrom(...texts), fc.string())
      return fc.oneof(...usual, { weight: 3, arbitrary: fitting }, { weight: 2, arbitrary: odd })
    }

    return (schema: object) => valueOf(schema)
  }

  function resolve(ref: string): Schema {
    const steps = ref.slice(2).split('/')
    return steps.reduce<unknown>((part, step) => (part as Record<string, unknown>)[step], document) as Schema // our own document
  }

  const [plain, odd] = [maker(false), maker(true)]
  return (schema: object) =>
    fc.oneof({ weight: 2, arbitrary: plain(schema) }, { weight: 1, arbitrary: odd(schema) })
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}

const time = fc
  .date({ noInvalidDate: true, min: new Date('2000-01-01'), max: new Date('2100-01-01') })
  .map((date) => date.toISOString())

/** Texts that match a pattern, by pattern: to make an arbitrary takes longer than to use it. */
const matchingTexts = new Map<string, fc.Arbitrary<string>>()

function matching(pattern: string): fc.Arbitrary<string> {
  const known = matchingTexts.get(pattern) ?? textsMatching(pattern)
  matchingTexts.set(pattern, known)
  return known
}

function textsMatching(pattern: string): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern), { maxLength: 20 })
  } catch {
    return fc.constantFrom('a', 'ab', '1')
  }
}

/** One change somewhere in a value. */
export interface Mutation {
  readonly at: number
  readonly how: 'replace' | 'remove' | 'add' | 'wrap'
  readonly value: unknown
}

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(40),
  how: fc.constantFrom('replace', 'remove', 'add', 'wrap'),
  value: oddValue,
})

/** The value after one change. */
export function mutated(root: unknown, { at, how, value }: Mutation): unknown {
  const holder: Record<string, unknown> = { root: structuredClone(root) }
  const places: [Record<string, unknown>, string][] = []
  const visit = (parent: Record<string, unknown>) => {
    for (const name of Object.keys(parent)) {
      places.push([parent, name])
      const child = parent[name]
      if (typeof child === 'object' && child !== null) visit(child as Record<string, unknown>) // lists by index
    }
  }
  visit(holder)
  const [parent, name]: [Record<string, unknown>, string] = places[at % places.length] ?? [holder, 'root']
  const before = parent[name]
  if (how === 'remove' && parent !== holder) delete parent[name]
  else if (how === 'wrap') parent[name] = [before]
  else if (how === 'add' && isObject(before) && isObject(value)) addFields(before, value)
  else parent[name] = value
  return holder['root']
}

/** As parsing JSON does it: `__proto__` is a field like any other. */
function addFields(target: object, source: object): void {
  for (const [name, value] of Object.entries(source)) {
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
  }
}
