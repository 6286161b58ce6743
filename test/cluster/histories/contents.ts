import { fc } from '../../support/properties.ts'
import { rarely, types } from './definitions.ts'

/** What a deployment set holds. */
export interface Content {
  readonly modules: Readonly<Record<string, object>>
  readonly shared: Readonly<Record<string, object>>
}

const classes = ['default', 'large'] as const

const dependency = fc
  .record({
    type: fc.constantFrom(...types, 's3' as const),
    class: rarely('default', fc.constantFrom(...classes)),
    label: fc.option(fc.constantFrom('plain', '${values.LEVEL}')),
  })
  .map(({ type, class: name, label }) =>
    type === 's3'
      ? { type }
      : {
          type: name === 'default' ? type : `${type}.${name}`,
          ...(label === null ? {} : { params: { label } }),
        },
  )

/** What a module runs, by its profile; `none` runs nothing. */
const profiles = {
  none: {},
  'default-module': { service: { ports: { http: { service_port: 80 } } } },
  'default-stateful': {},
  'default-job': {},
  'default-cronjob': { schedules: { nightly: { schedule: '0 4 * * *' } } },
}

/** Reached under a DNS name that is a dependency too. */
const exposed = { ingress: { rules: { 'externals.name': { http: { '/': { type: 'prefix', port: 80 } } } } } }

interface ModuleParts {
  readonly externals: Readonly<Record<string, { readonly type: string }>>
  readonly profile: keyof typeof profiles
  readonly isExposed: boolean
}

function moduleOf({ externals, profile, isExposed }: ModuleParts): object {
  const texts = Object.entries(externals).flatMap(([name, { type }]) => [
    [`TAG_${name}`, `\${externals.${name}.${type === 's3' ? 'bucket' : 'tag'}}`],
    [`KEY_${name}`, `\${externals.${name}.${type === 's3' ? 'aws_access_key_id' : 'key'}}`],
  ])
  const main = {
    image: 'images.example.test/web:1',
    variables: {
      ...Object.fromEntries(texts),
      TOKEN: '${values.TOKEN}',
      ...(isExposed ? { HOST: '${externals.name.host}' } : {}),
    },
    files: { '/etc/level': { value: '${values.LEVEL}' } },
  }
  return {
    profile: `quartermaster/${profile === 'none' ? 'default-module' : profile}`,
    spec: {
      ...(profile === 'none' ? {} : { containers: { main }, ...profiles[profile] }),
      ...(isExposed ? exposed : {}),
    },
    externals: { ...externals, ...(isExposed ? { name: { type: 'dns' } } : {}) },
  }
}

const module = fc
  .record({
    externals: fc.dictionary(fc.constantFrom('x', 'y', 'z'), dependency, { minKeys: 1, maxKeys: 3 }),
    profile: fc.constantFrom(...(Object.keys(profiles) as (keyof typeof profiles)[])),
    isExposed: fc.boolean(),
  })
  .map((parts) =>
    moduleOf({ ...parts, isExposed: parts.isExposed && ['none', 'default-module'].includes(parts.profile) }),
  )

export const content: fc.Arbitrary<Content> = fc.record({
  modules: fc.dictionary(fc.constantFrom('web', 'worker'), module, { minKeys: 1, maxKeys: 2 }),
  shared: fc.dictionary(fc.constantFrom('r1', 'r2'), dependency, { maxKeys: 2 }),
})
