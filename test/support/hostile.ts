import type { ResourceDefinition } from '../../operator/api/resource-definition.ts'
import type { FreeForm } from '../../operator/api/schema.ts'
import type { ValueSource } from '../../operator/api/shared-value.ts'
import type { SetContent } from '../../operator/domain/delta/delta.ts'
import type { ResourceTypeInfo } from '../../operator/domain/resource/type-info.ts'
import { definition } from './builders.ts'
import { fc } from './properties.ts'

/** Texts that resemble placeholders, references and names, most of them malformed. */
const texts: readonly string[] = [
  '${',
  '${}',
  '${context.}',
  '${context.app.id',
  '${context.app.id}',
  '${context.res.id}',
  '${nothing}',
  '${externals.}',
  '${externals..x}',
  '${externals.db.host}',
  '${externals[0]}',
  '${externals.rr.}',
  '${externals["db"].x}',
  "${externals['db'].x}",
  "${externals['db.x}",
  '${externals["\\q"].x}',
  '${shared.}',
  '${shared.main.x}',
  '${shared.a[',
  '${modules.}',
  '${modules.web}',
  '${modules..x}',
  '${modules.web.service.name}',
  '${modules.web.externals.db.x}',
  '${modules.web.externals}',
  '${values.}',
  '${values.KEY}',
  '${values',
  '${resources}',
  '${resources.}',
  "${resources['']}",
  '${resources.s3.outputs.x}',
  "${resources['s3.default#shared.main'].outputs.x}",
  '${resources.s3.}',
  "${resources['workload>s3'].outputs.x}",
  "${resources['>'].outputs.x}",
  "${resources['a<'].values}",
  "${resources['#'].outputs.x}",
  "${resources['acme/ghost'].outputs.x}",
  '${resources.s3}',
  '$\\{x}',
  'externals.',
  'externals..dns',
  'externals.db',
  'shared.',
  'shared.a[',
  'shared.main',
  'modules.',
  'db',
  '',
  '.',
  '#',
  '>',
  '<',
  's3',
  's3.default',
  's3#shared.main',
  'acme/ghost',
  'dns',
  'workload',
  'x',
  '__proto__',
  'constructor',
  'toString',
  '$',
  '\\',
  '~',
  '/',
  '%',
  ' ',
  '\0',
  '\ud800',
  'é',
]

const text = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...texts) }, fc.string({ maxLength: 8 }))
const key = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('web', 'db', 'main', 'id', 'type', 'http', 'rules') },
  text,
)

function objectOf<T>(values: fc.Arbitrary<T>, maxKeys = 3): fc.Arbitrary<Record<string, T>> {
  return fc
    .array(fc.tuple(key, values), { maxLength: maxKeys })
    .map((entries) => Object.fromEntries(entries) as Record<string, T>) // the keys are texts
}

const leaf = fc.oneof(
  { weight: 5, arbitrary: text },
  fc.constantFrom<unknown[]>(null, true, 0, -1, 1.5, [], {}),
)
const json: fc.Arbitrary<unknown> = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 3, arbitrary: leaf },
    fc.array(tie('node'), { maxLength: 3 }),
    objectOf(tie('node')),
  ),
})).node
const free = objectOf(json) as fc.Arbitrary<FreeForm>

/** Mostly modules that match the schema, with anything in every place. */
const dependency = fc.oneof(
  fc.record(
    {
      type: fc.constantFrom('s3', 'dns', 'acme/own', 'acme/ghost', '', 'a.b'),
      class: leaf,
      id: leaf,
      params: json,
    },
    { requiredKeys: ['type'] },
  ),
  json,
)
const ingress = fc.record({ rules: objectOf(fc.record({ http: objectOf(free) })) })
const containers = objectOf(fc.record({ volume_mounts: objectOf(fc.record({ id: leaf })), variables: free }))
const module = fc.record(
  {
    profile: leaf,
    spec: fc.oneof(fc.record({ ingress, containers, extra: json }, { requiredKeys: [] }), json),
    externals: fc.oneof(objectOf(dependency), json),
  },
  { requiredKeys: [] },
)

/** Sets as clients can send them. */
export const hostileSet: fc.Arbitrary<SetContent> = fc.record({
  modules: objectOf(module),
  shared: objectOf(dependency),
}) as fc.Arbitrary<SetContent> // free-form below the first level

const knownType = fc.constantFrom('s3', 's3', 's3', 'dns', 'dns', 'acme/own', 'acme/ghost', 'postgres')
const named = <T>(names: readonly string[], values: fc.Arbitrary<T>) =>
  fc.dictionary(fc.constantFrom(...names), values, { maxKeys: 2 })
const writableDependency = fc.record(
  { type: knownType, class: fc.constantFrom('default', 'x'), params: free },
  { requiredKeys: ['type'] },
)
const spec = fc.record({ ingress, containers, extra: json }, { requiredKeys: [] })

/** Sets that REST and kubectl both accept, with anything in free-form places. */
export const writableSet: fc.Arbitrary<SetContent> = fc.record({
  modules: named(
    ['web', 'api'],
    fc.record({ spec, externals: named(['db', 'dns', 'x'], writableDependency) }),
  ),
  shared: named(['main', 'dns'], writableDependency),
})

/** Spec of a definition as clients can send it. */
export const hostileDefinitionSpec: fc.Arbitrary<ResourceDefinition['spec']> = fc.record(
  {
    type: fc.constantFrom('s3', 'dns', 'workload', 'ingress', 'acme/own', 'acme/ghost', 'k8s-namespace'),
    driverType: fc.constantFrom(
      'quartermaster/echo',
      'quartermaster/ingress',
      'humanitec/echo',
      'acme/none',
      '',
    ),
    driverInputs: fc.record({ values: free, secretRefs: free }, { requiredKeys: [] }),
    provision: objectOf(
      fc.record(
        { isDependent: fc.boolean(), matchDependents: fc.boolean(), params: free },
        { requiredKeys: [] },
      ),
    ),
    criteria: fc.constantFrom([{}], [{ appId: '*' }], [{ class: 'x' }, {}]),
  },
  { requiredKeys: ['type', 'driverType', 'criteria'] },
)

/** Definitions as clients can send them. */
export const hostileDefinitions: fc.Arbitrary<ResourceDefinition[]> = fc
  .array(hostileDefinitionSpec, { maxLength: 4 })
  .map((specs) => specs.map((spec, i) => definition(`d${i}`, spec.type, spec)))

/** Types of the organization as clients can send them. */
export const hostileTypes: fc.Arbitrary<ResourceTypeInfo[]> = fc
  .record({
    type: fc.constantFrom('acme/own', 'acme/s3'),
    use: fc.constantFrom('direct', 'indirect'),
    inputsSchema: fc.oneof(free, fc.constant({ type: 'object', properties: { a: { pattern: '(' } } })),
    outputsSchema: free,
  })
  .map((type) => [{ name: 'x', category: 'x', ...type }] as ResourceTypeInfo[]) // as a custom type is

/** Shared values by key. */
export const hostileValues: fc.Arbitrary<Map<string, ValueSource>> = objectOf(
  fc.oneof(
    text.map((value) => ({ value })),
    fc.constant({ secret: { secret: 's', key: 'k' } }),
  ),
).map((values) => new Map(Object.entries(values)))
