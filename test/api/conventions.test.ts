import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { crdOf } from '../../dev/generate/crds.ts'
import { Environment } from '../../operator/api/environment.ts'
import { EnvironmentType } from '../../operator/api/environment-type.ts'
import type { Kind } from '../../operator/api/kind.ts'
import { kinds } from '../../operator/api/kinds.ts'
import { group } from '../../operator/api/names.ts'

const crds = join(import.meta.dirname, '../../crds')

/** The parts of a structural schema that our conventions speak of. */
interface Schema {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema
}

interface Field {
  readonly path: string
  readonly name: string
  readonly schema: Schema
}

function fieldsOf(schema: Schema, path: string): Field[] {
  const name = path.slice(path.lastIndexOf('.') + 1)
  const { properties = {}, items, additionalProperties } = schema
  return [
    { path, name, schema },
    ...Object.entries(properties).flatMap(([key, each]) => fieldsOf(each, `${path}.${key}`)),
    ...(items ? fieldsOf(items, `${path}[]`) : []),
    ...(additionalProperties ? fieldsOf(additionalProperties, `${path}{}`) : []),
  ]
}

const specFields = (kind: Kind) => fieldsOf(kind.spec, `${kind.kind}.spec`)
const statusFields = (kind: Kind) => (kind.status ? fieldsOf(kind.status, `${kind.kind}.status`) : [])
const all = kinds.flatMap((kind) => [...specFields(kind), ...statusFields(kind)])
const pathsWhere = (fields: readonly Field[], breaks: (field: Field) => boolean) =>
  fields.filter(breaks).map(({ path }) => path)

/** Kinds that a text names as a whole: `Environment`, and not `Environment id` or `Environment type`. */
const kindWord = new RegExp(`\\b(${kinds.map(({ kind }) => kind).join('|')})\\b(?! (id|type)\\b)`)

describe('every field', () => {
  test.each<[rule: string, breaks: (field: Field) => boolean]>([
    [
      'has a description, a sentence with a full stop',
      ({ schema }) => !/^[A-Z`].*\.$/s.test(schema.description ?? ''),
    ],
    ['is not named phase', ({ name }) => name === 'phase'],
    ['is camelCase', ({ name }) => !/^[a-z][a-zA-Z0-9]*(\[\]|\{\})*$/.test(name)],
    ['is no float', ({ schema }) => schema.type === 'number'],
    ['that is a list has maxItems', ({ schema }) => schema.type === 'array' && schema.maxItems === undefined],
    [
      'that is a map has maxProperties',
      ({ schema }) => schema.additionalProperties !== undefined && schema.maxProperties === undefined,
    ],
    [
      'that is text has maxLength or an enum',
      ({ schema }) => schema.type === 'string' && !schema.enum && schema.maxLength === undefined,
    ],
    [
      'that refers to an object of this API group ends in Name',
      ({ name, schema }) =>
        schema.type === 'string' &&
        kindWord.test(schema.description ?? '') &&
        !/Names?(\[\]|\{\})*$/.test(name),
    ],
  ])('%s', (_, breaks) => {
    expect(pathsWhere(all, breaks)).toEqual([])
  })

  test('of a spec has no default: Git and cluster would differ', () => {
    expect(pathsWhere(kinds.flatMap(specFields), ({ schema }) => schema.default !== undefined)).toEqual([])
  })
})

describe('every kind', () => {
  test.each<[name: string, ofKind: (kind: Kind) => string]>([
    ['kind', ({ kind }) => kind],
    ['plural', ({ plural }) => plural],
    ['short name', ({ shortName }) => shortName],
  ])('has a unique %s', (_, ofKind) => {
    expect(new Set(kinds.map(ofKind)).size).toBe(kinds.length)
  })

  test.each(kinds.map((kind) => [kind.kind, kind] as const))('%s: names and columns', (name, kind) => {
    expect(kind.shortName).toMatch(/^qm[a-z]+$/)
    expect(kind.plural).toBe(`${name.toLowerCase()}s`.replace(/ss$/, 'ses').replace(/ys$/, 'ies'))
    expect(kind.description).toMatch(/^[A-Z].*\.$/)
    const columns = kind.columns.map((column) => column.name)
    expect(columns.filter((column) => ['Ready', 'Reason'].includes(column))).toEqual(
      kind.status ? ['Ready', 'Reason'] : [],
    )
    expect(columns.at(-1)).toBe('Age')
    // kubectl prints only the first of several values.
    expect(kind.columns.filter(({ jsonPath }) => jsonPath.includes('[*]'))).toEqual([])
  })

  test.each(kinds.filter(({ status }) => status).map((kind) => [kind.kind, kind] as const))(
    '%s with a status is pending from the first moment',
    (_, { status }) => {
      const { default: first, properties } = status as Schema // an object schema by construction
      expect(properties).toHaveProperty('observedGeneration')
      expect(properties).toHaveProperty('conditions.maxItems')
      expect(first).toMatchObject({
        observedGeneration: -1,
        conditions: [{ type: 'Ready', status: 'Unknown', reason: 'Pending' }],
      })
    },
  )
})

test('every id that an environment can name as its type is allowed for a type, and no other', () => {
  const { schema } = all.find(({ path }) => path === 'Environment.spec.typeName') ?? {}
  const { pattern, minLength, maxLength } = schema ?? {}
  expect(EnvironmentType.rules.map(({ rule }) => rule)).toEqual([
    `oldSelf.hasValue() || (self.metadata.name.matches('${pattern}') && size(self.metadata.name) >= ${minLength} && size(self.metadata.name) <= ${maxLength})`,
  ])
})

test.each<[name: string, kind: Kind]>([
  ['Environment', Environment],
  ['EnvironmentType', EnvironmentType],
])('%s: objects whose names earlier versions allowed can be changed and deleted', (_, { rules }) => {
  const named = rules.filter(({ rule }) => rule.includes('self.metadata.name'))
  expect(named).toMatchObject([
    { rule: expect.stringMatching(/^oldSelf\.hasValue\(\) \|\| \(.*\)$/), optionalOldSelf: true },
  ])
})

test('the status of an active resource has room for the Secrets of all its shared values', () => {
  const maximumOf = (end: string) => {
    const { schema } = all.find(({ path }) => path === `ActiveResource.${end}`) ?? {}
    return schema?.maxItems ?? schema?.maxProperties ?? Number.NaN
  }
  expect(maximumOf('status.secretNames')).toBeGreaterThanOrEqual(maximumOf('spec.values'))
})

test('server-side apply records no fields of what only the operator writes: every status, and the spec of active resources', () => {
  const values = kinds.flatMap((kind) => {
    const { properties } = crdOf(kind).spec.versions[0]?.schema.openAPIV3Schema ?? {}
    return Object.entries<object>(properties ?? {}).map(
      ([name, schema]) => [`${kind.kind}.${name}`, schema] as const,
    )
  })
  const isOneValue = (schema: object) => 'x-kubernetes-map-type' in schema
  expect(values.filter(([, schema]) => isOneValue(schema)).map(([path]) => path)).toEqual(
    values.map(([path]) => path).filter((path) => path.endsWith('.status') || path === 'ActiveResource.spec'),
  )
})

test('the generated CRDs are exactly those of the kinds', () => {
  const files = kinds.map(({ plural }) => `${group}_${plural}.yaml`)
  expect(readdirSync(crds).sort()).toEqual([...files].sort())
  for (const [index, kind] of kinds.entries()) {
    const written = parse(readFileSync(join(crds, files[index] ?? ''), 'utf8'))
    expect(written).toEqual(JSON.parse(JSON.stringify(crdOf(kind))))
  }
})
