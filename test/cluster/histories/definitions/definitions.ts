import type { ResourceDefinition } from '../../../../operator/api/resource-definition.ts'
import { fc } from '../../../support/properties.ts'
import { type Definition, rarely, word } from './definition.ts'
import { nameDefinition } from './name-definitions.ts'
import { commonNamespace, namespaceDefinition } from './namespace-definitions.ts'

/** Custom types of the organization, whose id replaces `@/`. */
export const types = ['t0', 't1', 't2', 't3', 't4'] as const
/** What the server outside the cluster is registered as, for each type; `keeper` needs an account. */
export const remoteDrivers = ['maker', 'keeper'] as const

/** The Secrets of the organization; `spare` may be missing. */
export const secretNames = ['login', 'cloud', 'token', 'spare'] as const
export type SecretName = (typeof secretNames)[number]

/** A later type, so that few graphs are cycles; seldom any type. */
const typeAfter = (index: number) =>
  index + 1 < types.length
    ? fc.oneof(
        { weight: 15, arbitrary: fc.constantFrom(...types.slice(index + 1)) },
        fc.constantFrom(...types),
      )
    : fc.constantFrom(...types)

/** A placeholder for outputs of another resource. */
function reference(index: number, output: string): fc.Arbitrary<string> {
  return fc
    .tuple(typeAfter(index), fc.constantFrom('', '.large', '#shared.r1', `.default#other`))
    .map(([type, rest]) => `\${resources['@/${type}${rest}'].outputs.${output}}`)
}

function values(index: number): fc.Arbitrary<Record<string, string>> {
  const near = reference(index, 'tag')
  const all = typeAfter(index).map((type) => `\${resources['@/t${index}>@/${type}'].outputs.tag}`)
  const own = fc.constantFrom(
    '${context.res.id}',
    '${context.env.id} ${context.res.class}',
    '${context.res.guresid}',
  )
  return fc.record(
    { tag: fc.oneof(word, own), where: own, near: index + 1 < types.length ? near : own, all },
    { requiredKeys: ['tag'] },
  )
}

type DriverInputs = NonNullable<ResourceDefinition['spec']['driverInputs']>

const keyOf = (secret: SecretName) => ({ key: { secret, key: 'key' } })
/** The secret input of the last type is always that of a Secret, so that references to it end somewhere. */
const secretRefs = (index: number): fc.Arbitrary<NonNullable<DriverInputs['secretRefs']>> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(keyOf('login')) },
    { weight: 2, arbitrary: fc.constant(keyOf('spare')) },
    index + 1 < types.length
      ? reference(index, 'key').map((value) => ({ key: { value } }))
      : fc.constant(keyOf('login')),
  )

/** A ConfigMap in the namespace of the environment, or in that of the organization. */
const configMap = (name: string, data: object, namespace: string | undefined) => ({
  location: 'namespace',
  data: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data },
})

/** Shows the plain inputs in a ConfigMap, and gives all inputs as outputs. */
const templates = (names: readonly string[], namespace: string | undefined) => {
  const all = (pipeline: string) =>
    Object.fromEntries(names.map((name) => [name, `{{ .driver.values.${name} | ${pipeline} }}`]))
  return {
    outputs: all('toJson'),
    secrets: { key: '{{ .driver.secrets.key }}' },
    manifests: { map: configMap('map-{{ .id }}', all('toJson | toJson'), namespace) },
  }
}

function definitionOf(index: number): fc.Arbitrary<Definition> {
  const criterion = fc.constantFrom(
    { envType: 'development' },
    { envType: 'production' },
    { appId: 'shop' },
    { appId: 'shop', class: 'large' },
    { envType: 'development', class: 'large' },
    { resId: 'shared.r1' },
  )
  const companion = fc.record(
    { isDependent: fc.boolean(), matchDependents: fc.boolean() },
    { requiredKeys: [] },
  )
  return fc
    .record({
      number: fc.integer({ min: 0, max: 2 }),
      driver: fc.constantFrom('echo' as const, 'template' as const, ...remoteDrivers),
      values: values(index),
      secretRefs: secretRefs(index),
      namespace: rarely(undefined, fc.constant(`@org-${commonNamespace}`)),
      criteria: fc.uniqueArray(criterion, { minLength: 1, maxLength: 2 }),
      provision: rarely(
        {},
        typeAfter(index).chain((type) => companion.map((each) => ({ [`@/${type}`]: each }))),
      ),
    })
    .map(({ number, driver, values, secretRefs, namespace, criteria, provision }) => ({
      name: `${types[index]}-${number}`,
      spec: {
        type: `@/${types[index]}`,
        driverType: isRemote(driver) ? `@/${driver}-${types[index]}` : `quartermaster/${driver}`,
        driverInputs: {
          values:
            driver === 'template'
              ? { ...values, templates: templates(Object.keys(values), namespace) }
              : values,
          secretRefs,
        },
        ...(driver === 'keeper' ? { accountName: 'cloud' } : {}),
        criteria,
        provision,
      },
    }))
}

function isRemote(driver: string): boolean {
  return remoteDrivers.some((each) => each === driver)
}

/** A definition of the built-in type `s3`, or of the type that overrides it while such a definition exists. */
function bucketOf(name: string, type: string, bucket: string, criteria: object[]): Definition {
  return {
    name,
    spec: {
      type,
      driverType: 'quartermaster/echo',
      driverInputs: {
        values: { bucket },
        secretRefs: { aws_access_key_id: { secret: 'login', key: 'key' } },
      },
      criteria,
    },
  }
}

const bucketDefinition = fc
  .record({
    number: fc.integer({ min: 0, max: 2 }),
    isOwn: fc.boolean(),
    bucket: word,
    criterion: fc.constantFrom({}, { envType: 'development' }, { appId: 'shop' }),
  })
  .map(({ number, isOwn, bucket, criterion }) =>
    isOwn
      ? bucketOf(`own-s3-${number}`, '@/s3', bucket, [criterion])
      : bucketOf(`s3-${number}`, 's3', bucket, [criterion]),
  )

/** A definition that fits everything, for each type. */
export const basic: readonly Definition[] = [
  ...types.map((type) => ({
    name: type,
    spec: {
      type: `@/${type}`,
      driverType: 'quartermaster/echo',
      driverInputs: { values: { tag: type }, secretRefs: keyOf('login') },
      criteria: [{}, { class: 'large' }],
    },
  })),
  bucketOf('s3', 's3', 'basic', [{ envType: 'development' }, { envType: 'production' }]),
]

export const anyDefinition = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: types.length - 1 }).chain(definitionOf) },
  { weight: 1, arbitrary: bucketDefinition },
  { weight: 2, arbitrary: nameDefinition },
  { weight: 2, arbitrary: namespaceDefinition },
)
