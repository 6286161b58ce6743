import type { FreeForm } from '../../../operator/api/schema.ts'
import type { SetContent } from '../../../operator/domain/delta/delta.ts'
import { fc } from '../../support/properties.ts'
import { rarely } from './definitions/definition.ts'
import { types } from './definitions/definitions.ts'

/** What is deployed: workloads by name, and shared dependencies by id. */
export interface Content {
  readonly workloads: Readonly<Record<string, Workload>>
  readonly shared: Readonly<Record<string, Dependency>>
}

/** Ids of the workloads and shared dependencies that one deployment is about; it leaves others as they are. */
export interface Part {
  readonly workloads: readonly string[]
  readonly shared: readonly string[]
}

export const whole: Part = { workloads: ['web', 'worker'], shared: ['r1', 'r2'] }
/** What Workloads bring to an environment that has deltas too, and what those bring. */
export const partOfWorkloads: Part = { workloads: ['web'], shared: ['r1'] }
export const partOfDeltas: Part = { workloads: ['worker'], shared: ['r2'] }

/** What a content has of a part. */
export function contentIn({ workloads, shared }: Content, part: Part): Content {
  return { workloads: only(workloads, part.workloads), shared: only(shared, part.shared) }
}

/** The set that has the content in place of what it had of the part. */
export function setWith(set: SetContent, content: Content, part: Part): SetContent {
  const { modules, shared } = setContentOf(contentIn(content, part))
  return {
    modules: { ...without(set.modules, part.workloads), ...modules },
    shared: { ...without(set.shared, part.shared), ...shared },
  }
}

interface Dependency {
  readonly type: (typeof types)[number] | 's3'
  readonly class: 'default' | 'large'
  /** A param; `level` is the shared value. */
  readonly label: 'plain' | 'level' | null
}

interface Workload {
  readonly needs: Readonly<Record<string, Dependency>>
  readonly profile: keyof typeof profiles
  /** Whether it is reached under a DNS name, on which it depends too. */
  readonly isExposed: boolean
}

/** What a workload runs, by its profile; `none` runs nothing. */
const profiles = {
  none: {},
  'default-module': { service: { ports: { http: { service_port: 80 } } } },
  'default-stateful': {},
  'default-job': {},
  'default-cronjob': { schedules: { nightly: { schedule: '0 4 * * *' } } },
}
const reachable: readonly string[] = ['none', 'default-module'] satisfies (keyof typeof profiles)[]

const image = 'images.example.test/web:1'

/** The names of the outputs of a type. */
const outputsOf = ({ type }: Dependency) =>
  type === 's3' ? { TAG: 'bucket', KEY: 'aws_access_key_id' } : { TAG: 'tag', KEY: 'key' }

/** The variables of a workload; `root` is where placeholders find its dependencies. */
function variablesOf({ needs, isExposed }: Workload, root: string): Record<string, string> {
  const texts = Object.entries(needs).flatMap(([name, need]) =>
    Object.entries(outputsOf(need)).map(([prefix, output]) => [
      `${prefix}_${name}`,
      `\${${root}.${name}.${output}}`,
    ]),
  )
  return { ...Object.fromEntries(texts), ...(isExposed ? { HOST: `\${${root}.name.host}` } : {}) }
}

const rulesFor = (name: string) => ({ rules: { [name]: { http: { '/': { type: 'prefix', port: 80 } } } } })

/** The content as modules and shared dependencies of a deployment set. */
export function setContentOf({ workloads, shared }: Content): SetContent {
  return { modules: mapValues(workloads, moduleOf), shared: mapValues(shared, dependencyOf) }
}

function dependencyOf({ type, class: name, label }: Dependency): FreeForm {
  return {
    type: name === 'default' ? type : `${type}.${name}`,
    ...(label === null ? {} : { params: { label: label === 'level' ? '${values.LEVEL}' : label } }),
  }
}

function moduleOf(workload: Workload): FreeForm {
  const { needs, profile, isExposed } = workload
  const main = {
    image,
    variables: { ...variablesOf(workload, 'externals'), TOKEN: '${values.TOKEN}' },
    files: { '/etc/level': { value: '${values.LEVEL}' } },
  }
  return {
    profile: `quartermaster/${profile === 'none' ? 'default-module' : profile}`,
    spec: {
      ...(profile === 'none' ? {} : { containers: { main }, ...profiles[profile] }),
      ...(isExposed ? { ingress: rulesFor('externals.name') } : {}),
    },
    externals: { ...mapValues(needs, dependencyOf), ...(isExposed ? { name: { type: 'dns' } } : {}) },
  }
}

/** The workload of that name as a Score document and its extension; each workload needs all shared dependencies. */
export function scoreOf(name: string, { workloads, shared }: Content, revision: number) {
  const workload = workloads[name]
  if (!workload) throw new Error(`no workload is named '${name}'`)
  const { needs, profile, isExposed } = workload
  const resources = {
    ...mapValues(needs, resourceOf),
    ...mapValues(shared, (need, id) => ({ ...resourceOf(need), id })),
    ...(isExposed ? { name: { type: 'dns' } } : {}),
    env: { type: 'environment' },
  }
  const main = {
    image,
    variables: {
      ...variablesOf(workload, 'resources'),
      TOKEN: '${resources.env.TOKEN}',
      REVISION: String(revision),
    },
    files: { '/etc/level': { content: '${resources.env.LEVEL}' } },
  }
  return {
    score: { apiVersion: 'score.dev/v1b1', metadata: { name }, containers: { main }, resources },
    extension: {
      apiVersion: 'quartermaster.dev/v1b1',
      profile: `quartermaster/${profile === 'none' ? 'default-module' : profile}`,
      spec: { ...profiles[profile], ...(isExposed ? { ingress: rulesFor('${resources.name}') } : {}) },
    },
  }
}

function resourceOf({ type, class: name, label }: Dependency): object {
  return {
    type,
    ...(name === 'default' ? {} : { class: name }),
    ...(label === null ? {} : { params: { label: label === 'level' ? '${resources.env.LEVEL}' : label } }),
  }
}

function only<T>(items: Readonly<Record<string, T>>, ids: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(items).filter(([id]) => ids.includes(id)))
}

function without<T>(items: Readonly<Record<string, T>>, ids: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(items).filter(([id]) => !ids.includes(id)))
}

function mapValues<T, U>(
  items: Readonly<Record<string, T>>,
  of: (item: T, key: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(items).map(([key, item]) => [key, of(item, key)]))
}

const dependency: fc.Arbitrary<Dependency> = fc
  .record({
    type: fc.constantFrom(...types, 's3' as const),
    class: rarely('default' as const, fc.constantFrom('default' as const, 'large' as const)),
    label: fc.constantFrom(null, 'plain' as const, 'level' as const),
  })
  .map((each) => (each.type === 's3' ? { type: each.type, class: 'default', label: null } : each))

const workload: fc.Arbitrary<Workload> = fc
  .record({
    needs: fc.dictionary(fc.constantFrom('one', 'two', 'six'), dependency, { minKeys: 1, maxKeys: 3 }),
    profile: fc.constantFrom(...(Object.keys(profiles) as (keyof typeof profiles)[])),
    isExposed: fc.boolean(),
  })
  .map((each) => ({ ...each, isExposed: each.isExposed && reachable.includes(each.profile) }))

export const content: fc.Arbitrary<Content> = fc.record({
  workloads: fc.dictionary(fc.constantFrom('web', 'worker'), workload, { minKeys: 1, maxKeys: 2 }),
  shared: fc.dictionary(fc.constantFrom('r1', 'r2'), dependency, { maxKeys: 2 }),
})
