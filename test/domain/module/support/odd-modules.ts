import fc from 'fast-check'
import { isObject } from '../../../../operator/domain/base/json.ts'
import { containerSchema } from '../../../../operator/domain/module/container-schema.ts'
import { moduleSchema } from '../../../../operator/domain/module/module-schema.ts'
import { validModules } from './valid-modules.ts'

/** What the arbitraries read of a schema. */
interface Keywords {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, Keywords>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Keywords
  readonly items?: Keywords
  readonly minimum?: number
  readonly maximum?: number
}

const name = fc.constantFrom(
  'a',
  'b-c',
  'example.com/gpu',
  'cpu',
  'memory',
  'Team',
  'HTTP',
  '8080',
  'a.b',
  '/data',
)
const oddText = fc.constantFrom(
  '',
  ' ',
  'a b',
  '-a',
  'a-',
  'A_B',
  'a--b',
  'ünïcode',
  'a/b/c',
  '/',
  '/a/../b',
  'a:b',
  'a\nb',
  '0',
  '1.5',
  '250m',
  '-1',
  '1e9',
  '10Gi',
  'true',
  '$(A)',
  '$$',
  '%',
  '0644',
  'requests.example.com/a',
  'kubernetes.io/a',
  '@every 1h',
  'a'.repeat(16),
  'a'.repeat(63),
  'a'.repeat(64),
  'a'.repeat(254),
  '1',
  'ReadWriteOnce',
  'ReadWriteOncePod',
  'PST',
  'utc',
  'Europe/Berlin',
  'ALL',
)
const text = fc.oneof(name, oddText)

function integerOf({ minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }: Keywords) {
  const odd = [minimum, minimum + 1, 2, 100, 100_001, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 40, maximum]
  return fc.constantFrom(...odd.filter((each) => each >= minimum && each <= maximum))
}

/** A value that fits the schema: of an object, one path. */
function valueOf(schema: Keywords): fc.Arbitrary<unknown> {
  const { type, properties, required = [], additionalProperties, items } = schema
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (type === 'string') return text
  if (type === 'integer') return integerOf(schema)
  if (type === 'boolean') return fc.boolean()
  if (items) return fc.array(valueOf(items), { maxLength: 2 })
  if (additionalProperties)
    return fc.dictionary(text, valueOf(additionalProperties), { minKeys: 1, maxKeys: 2 })
  if (!properties) return fc.constant(undefined) // Kubernetes reads it
  const needed = Object.fromEntries(required.map((each) => [each, valueOf(properties[each] ?? {})]))
  const optional = Object.keys(properties).filter(
    (each) => !required.includes(each) && isJudged(properties[each]),
  )
  const one = optional.map((each) => valueOf(properties[each] ?? {}).map((value) => ({ [each]: value })))
  return fc
    .tuple(fc.record(needed), fc.oneof(fc.constant({}), ...one))
    .map(([all, more]) => ({ ...all, ...more }))
}

function isJudged(schema: Keywords | undefined): boolean {
  return schema?.type !== undefined || schema?.enum !== undefined
}

function merged(base: unknown, change: unknown): unknown {
  if (!isObject(base) || !isObject(change)) return change === undefined ? base : change
  const all = Object.entries(change).map(([key, value]) => [key, merged(base[key], value)])
  return { ...base, ...Object.fromEntries(all) }
}

const { containers: _, ingress: __, volumes: ___, ...others } = (moduleSchema as Keywords).properties ?? {}
const inContainer = valueOf(containerSchema as Keywords)
const inModule = valueOf({ type: 'object', properties: others })
const change = fc.oneof(
  inContainer.map((container) => ({ container, spec: {} })),
  inModule.map((spec) => ({ container: {}, spec })),
)

/** Valid modules with a few fields that fit their schema alone: the plan may have problems with them. */
export const oddModules = fc
  .tuple(validModules, fc.array(change, { minLength: 1, maxLength: 3 }))
  .map(([module, changes]) => {
    const [first = ''] = Object.keys(module.spec.containers)
    const spec = changes.reduce<unknown>(
      (before, each) => merged(before, { ...(each.spec as object), containers: { [first]: each.container } }),
      module.spec,
    )
    return { ...module, spec: spec as typeof module.spec } // with some more fields
  })
