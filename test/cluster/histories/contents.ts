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

function moduleOf(
  externals: Record<string, { readonly type: string }>,
  profile: keyof typeof profiles,
): object {
  const texts = Object.entries(externals).flatMap(([name, { type }]) => [
    [`TAG_${name}`, `\${externals.${name}.${type === 's3' ? 'bucket' : 'tag'}}`],
    [`KEY_${name}`, `\${externals.${name}.${type === 's3' ? 'aws_access_key_id' : 'key'}}`],
  ])
  const main = {
    image: 'images.example.test/web:1',
    variables: { ...Object.fromEntries(texts), TOKEN: '${values.TOKEN}' },
    files: { '/etc/level': { value: '${values.LEVEL}' } },
  }
  return {
    profile: `quartermaster/${profile === 'none' ? 'default-module' : profile}`,
    spec: profile === 'none' ? {} : { containers: { main }, ...profiles[profile] },
    externals,
  }
}

const module = fc
  .tuple(
    fc.dictionary(fc.constantFrom('x', 'y', 'z'), dependency, { minKeys: 1, maxKeys: 3 }),
    fc.constantFrom(...(Object.keys(profiles) as (keyof typeof profiles)[])),
  )
  .map(([externals, profile]) => moduleOf(externals, profile))
export const content: fc.Arbitrary<Content> = fc.record({
  modules: fc.dictionary(fc.constantFrom('web', 'worker'), module, { minKeys: 1, maxKeys: 2 }),
  shared: fc.dictionary(fc.constantFrom('r1', 'r2'), dependency, { maxKeys: 2 }),
})
