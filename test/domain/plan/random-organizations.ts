import type { Criterion, ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import type { SetContent } from '../../../operator/domain/delta/delta.ts'
import { builtInTypes } from '../../../operator/domain/resource/built-in-types.ts'
import type { ResourceTypeInfo } from '../../../operator/domain/resource/type-info.ts'
import { definition, driver, module, set } from '../../support/builders.ts'
import { drivers } from '../../support/graphs.ts'
import { fc } from '../../support/properties.ts'

type Spec = ResourceDefinition['spec']

/** The objects of an organization at some moment, by the names of its definitions. */
export type Definitions = Readonly<Record<string, ResourceDefinition>>

/** An environment, and the past, present and next objects of its organization. */
export interface Change {
  /** Sets deployed one after the other; the last one is previewed. */
  readonly sets: readonly [SetContent, ...SetContent[]]
  readonly deployed: Definitions
  /** Edited since, with no deployment yet. */
  readonly present: Definitions
  readonly changed: Definitions
}

/** Every plain input and every secret of a random organization holds one of these. */
export const marks = { value: 'VALUE-', secret: 'SECRET-' } as const

// A definition of one type refers to types further down, so that most graphs have no cycle.
const types = ['workload', 'acme/s3', 's3', 'postgres', 'dns', 'ingress', 'acme/queue', 'config'] as const
type Type = (typeof types)[number]
const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const

/** The built-in types and one custom type that is no override. */
export const typesOfOrganization: readonly ResourceTypeInfo[] = [
  ...builtInTypes,
  ...['s3', 'queue'].map((name): ResourceTypeInfo => {
    return { type: `acme/${name}`, name, use: 'direct', category: '', inputsSchema: {}, outputsSchema: {} }
  }),
]

/** Drivers of random definitions: `sized` accepts every type, and replaces the resource when `size` changes. */
export const driversOfOrganization = [...drivers, driver('sized', { replaceOnChangeOf: ['size', 'deep.x'] })]

const driverTypes = (type: Type): readonly string[] => {
  if (type === 'dns') return ['quartermaster/dns-cloudflare', 'quartermaster/echo', 'humanitec/echo']
  if (type === 'ingress') return ['quartermaster/ingress', 'quartermaster/echo']
  return ['quartermaster/echo', 'humanitec/echo', 'quartermaster/sized']
}

const plainObjects = { noNullPrototype: true } as const

const plain = fc.constantFrom<unknown>(
  `${marks.value}1`,
  `${marks.value}2`,
  7,
  null,
  [`${marks.value}1`, { x: 1 }],
  { x: `${marks.value}1` },
  { x: `${marks.value}2`, 'y.z': true },
  {},
  '${context.env.id}',
)
const texts: Partial<Record<Type, readonly string[]>> = {
  s3: ['s3>config', 'dns.default'],
  postgres: ['postgres>dns'],
  dns: ['dns<postgres'],
}

function references(type: Type) {
  const further = types.slice(types.indexOf(type) + 1)
  const all = [...further, ...(texts[type] ?? []), ...further.map((each) => `${each}.default#shared.one`)]
  return fc.constantFrom(...(all.length > 0 ? all : ['acme/queue.fast'])).map((text) => {
    return `\${resources['${text}'].guresid}`
  })
}

function values(type: Type): fc.Arbitrary<FreeForm> {
  const keys = fc.constantFrom('region', 'size', 'deep', 'zone_id', 'host', "it's.odd")
  const value = fc.oneof({ arbitrary: plain, weight: 4 }, { arbitrary: references(type), weight: 1 })
  return fc.dictionary(keys, value, { ...plainObjects, maxKeys: 3 })
}

const planned = fc.constantFrom<unknown>(
  { secret: `${marks.secret}1`, key: `${marks.secret}k` },
  { secret: `${marks.secret}2`, key: `${marks.secret}k` },
  { secret: `${marks.secret}2` },
  // No schema keeps this out where kubectl wrote it.
  `${marks.secret}plain`,
)
// A store that is not known keeps the whole deployment from being planned.
const reference = fc.oneof(
  { arbitrary: planned, weight: 40 },
  { arbitrary: fc.constant({ store: 'vault', ref: `${marks.secret}3`, version: '1' }), weight: 1 },
)
const secretRefs = fc.dictionary(
  fc.constantFrom('token', 'tls'),
  fc.oneof(
    reference,
    reference.map((each) => ({ key: each })),
  ),
  { ...plainObjects, maxKeys: 2 },
)

function provision(type: Type): fc.Arbitrary<NonNullable<Spec['provision']>> {
  const further = types.slice(types.indexOf(type) + 1)
  const keys = further.length > 0 ? further.flatMap((each) => [each, `${each}.default#extra`]) : ['config#x']
  const entry = fc.record(
    {
      isDependent: fc.boolean(),
      matchDependents: fc.boolean(),
      params: fc.constantFrom({ size: `${marks.value}p` }, {}),
    },
    { ...plainObjects, requiredKeys: [] },
  )
  return fc.dictionary(fc.constantFrom(...keys), entry, { ...plainObjects, maxKeys: 2 })
}

const criterion = fc.record<Criterion>(
  {
    class: fc.constantFrom('default', 'fast'),
    envType: fc.constantFrom('development', 'production', '*'),
    appId: fc.constantFrom('shop', 'blog'),
    envId: fc.constantFrom('dev'),
    resId: fc.constantFrom('shared.one', 'modules.web.externals.one'),
  },
  { ...plainObjects, requiredKeys: [] },
)
const criteria = fc.array(criterion, { maxLength: 3 })

function specOf(type: Type, isBase = false): fc.Arbitrary<Spec> {
  return fc
    .record({
      driverType: fc.constantFrom(...driverTypes(type)),
      values: values(type),
      secretRefs: fc.option(secretRefs, { nil: undefined }),
      provision: fc.option(provision(type), { nil: undefined, freq: 2 }),
      criteria: isBase ? fc.constant([{}, { class: 'fast' }]) : criteria,
    })
    .map(({ values: plainInputs, secretRefs: refs, provision: provides, criteria: fits, ...rest }): Spec => {
      const driverInputs = { values: plainInputs, ...(refs ? { secretRefs: refs } : {}) }
      const account = rest.driverType.endsWith('cloudflare') ? { accountName: 'cloud' } : {}
      return {
        type,
        ...rest,
        criteria: [...fits],
        ...account,
        driverInputs,
        ...(provides ? { provision: provides } : {}),
      }
    })
}

/** Definitions that fit every need, and a few that fit some better; not always of an override or for workloads. */
const deployed: fc.Arbitrary<Definitions> = fc
  .tuple(
    fc.tuple(
      ...types.map((each) =>
        fc.option(specOf(each, true), {
          nil: undefined,
          freq: each === 'acme/s3' || each === 'workload' ? 2 : 30,
        }),
      ),
    ),
    some(4, ...names),
  )
  .map(([base, more]) => {
    const found = base.flatMap((spec, i) => (spec ? [[`base-${i}`, spec] as const] : []))
    return { ...made(Object.fromEntries(found)), ...more }
  })

function made(specs: Readonly<Record<string, Spec>>): Definitions {
  return Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => [name, definition(name, spec.type, spec)]),
  )
}

/** Definitions of any types under some of these names. */
function some(maxKeys: number, ...ids: readonly string[]): fc.Arbitrary<Definitions> {
  const spec = fc.constantFrom(...types).chain((type) => specOf(type))
  return fc.dictionary(fc.constantFrom(...ids), spec, { ...plainObjects, maxKeys }).map(made)
}

/** The new content of a definition: undefined when it is deleted. Its type stays. */
function edited(spec: Spec): fc.Arbitrary<Spec | undefined> {
  return specOf(spec.type as Type).chain((other) => {
    const { driverType, accountName, driverInputs, provision: provides } = other
    const { accountName: _, provision: __, ...rest } = spec
    const { values: plainInputs, secretRefs: refs } = driverInputs ?? {}
    return fc.constantFrom<(Spec | undefined)[]>(
      {
        ...spec,
        driverInputs: { ...spec.driverInputs, values: { ...spec.driverInputs?.values, ...plainInputs } },
      },
      { ...spec, driverInputs: { ...spec.driverInputs, values: plainInputs ?? {} } },
      { ...spec, driverInputs: { ...spec.driverInputs, ...(refs ? { secretRefs: refs } : {}) } },
      { ...rest, driverType, ...(accountName === undefined ? {} : { accountName }) },
      { ...rest, ...(provides ? { provision: provides } : {}) },
      { ...spec, criteria: [...(spec.criteria ?? []), ...(other.criteria ?? [])] },
      { ...spec, criteria: (spec.criteria ?? []).slice(1) },
      undefined,
    )
  })
}

/** A few definitions edited, deleted and added. */
function changeOf(before: Definitions): fc.Arbitrary<Definitions> {
  // Most stay: a few edits are easier to understand than eight.
  const specs = Object.values(before).map(({ metadata: { name }, spec }) =>
    fc
      .oneof({ arbitrary: fc.constant(spec), weight: 2 }, { arbitrary: edited(spec), weight: 1 })
      .map((next) => (next ? made({ [name]: next }) : {})),
  )
  return fc.tuple(...specs, some(2, 'new-1', 'new-2')).map((all): Definitions => Object.assign({}, ...all))
}

const dependency = fc.record(
  {
    type: fc.constantFrom('s3', 'postgres', 'dns', 'acme/queue'),
    class: fc.constantFrom('default', 'fast'),
    params: fc.constantFrom({ name: `${marks.value}s` }, {}),
  },
  { ...plainObjects, requiredKeys: ['type'] },
)
const dependencies = fc.dictionary(fc.constantFrom('one', 'two', 'three'), dependency, {
  ...plainObjects,
  minKeys: 1,
  maxKeys: 3,
})
const content = fc
  .record({
    modules: fc.dictionary(
      fc.constantFrom('web', 'api'),
      dependencies.map((externals) => module(externals)),
      { ...plainObjects, maxKeys: 2 },
    ),
    shared: dependencies,
  })
  .map(({ modules, shared }) => set(modules, shared))

/** An environment of a random organization, and a change of definitions. */
export const organizationChange: fc.Arbitrary<Change> = deployed.chain((first) =>
  fc.oneof(fc.constant(first), changeOf(first)).chain((present) =>
    fc.record({
      sets: fc.tuple(content, content),
      deployed: fc.constant(first),
      present: fc.constant(present),
      // An edit can be reverted.
      changed: fc.oneof(
        { arbitrary: changeOf(present), weight: 4 },
        { arbitrary: fc.constant(first), weight: 1 },
      ),
    }),
  ),
)
