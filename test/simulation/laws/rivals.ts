import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { Kind, ObjectOf, StoredObject } from '../../../operator/api/kind.ts'
import { Registry } from '../../../operator/api/registry.ts'
import { type Criterion, ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { SharedValue } from '../../../operator/api/shared-value.ts'
import { canonicalJson } from '../../../operator/domain/base/json.ts'
import { objectsOf } from '../surroundings.ts'
import type { World } from '../world.ts'
import { type Finding, type Law, nameOf, problemsOf, readyText } from './law.ts'

/** What objects of a kind claim: of those that claim the same in an organization, one has it. */
interface Claiming<K extends Kind> {
  readonly kind: K
  claimsOf(object: ObjectOf<K>): readonly string[]
}

function claiming<K extends Kind>(kind: K, claimsOf: Claiming<K>['claimsOf']): Claiming<K> {
  return { kind, claimsOf }
}

const claimsOf = (type: string, criteria: readonly Criterion[]) =>
  criteria.map((each) => `${type} ${canonicalJson({ class: 'default', ...each })}`)

const definitions = claiming(ResourceDefinition, ({ spec }) => claimsOf(spec.type, spec.criteria ?? [{}]))
const values = claiming(SharedValue, ({ spec: { applicationName, environmentId = '', key } }) => [
  `${applicationName}.${environmentId} ${key}`,
])
const registries = claiming(Registry, ({ spec }) => [spec.registry])

/** The object that has each claim: the oldest, of those of one second the first by name. */
function holdersOf<K extends Kind>(world: World, { kind, claimsOf }: Claiming<K>) {
  const holders = new Map<string, ObjectOf<K>>()
  const ageOf = ({ metadata }: StoredObject) => `${metadata.creationTimestamp} ${metadata.name}`
  for (const each of objectsOf(world, kind)) {
    if (each.metadata.deletionTimestamp !== undefined) continue
    for (const claim of claimsOf(each)) {
      const place = `${each.metadata.namespace} ${claim}`
      const known = holders.get(place)
      if (!known || ageOf(each) < ageOf(known)) holders.set(place, each)
    }
  }
  return holders
}

/** Whether a definition has one of its criteria: no older one has it. */
export function holds(world: World, definition: ResourceDefinition, criterion: Criterion): boolean {
  const [claim] = claimsOf(definition.spec.type, [criterion])
  const holder = holdersOf(world, definitions).get(`${definition.metadata.namespace} ${claim}`)
  return holder?.metadata.uid === definition.metadata.uid
}

/** What each claim of an object has in place of it. */
function winnersOver<K extends Kind>(world: World, kind: Claiming<K>) {
  const holders = holdersOf(world, kind)
  return (object: ObjectOf<K>) =>
    kind
      .claimsOf(object)
      .map((claim) => holders.get(`${object.metadata.namespace} ${claim}`))
      .filter((each) => each !== undefined && each.metadata.uid !== object.metadata.uid)
}

function findingsOf<K extends Kind>(world: World, kind: Claiming<K>): Finding[] {
  const winners = winnersOver(world, kind)
  return objectsOf(world, kind.kind).flatMap((each) => {
    if (each.metadata.deletionTimestamp !== undefined) return []
    const [winner] = winners(each)
    const text = readyText(each)
    if (winner && text.startsWith('True'))
      return [{ object: nameOf(each), detail: `it is ready beside ${winner.metadata.name}` }]
    if (!winner && / Duplicate/.test(text))
      return [{ object: nameOf(each), detail: `no other object has what it claims: ${text}` }]
    return []
  })
}

/** Laws of objects that want the same. */
export const rivalLaws: readonly Law[] = [
  {
    law: 'Of objects that want the same, the oldest has it, and each other one is not ready.',
    findings: (world) => [
      ...findingsOf(world, definitions),
      ...findingsOf(world, values),
      ...findingsOf(world, registries),
    ],
  },
]

/** The values of an application, or of one of its environments with those that it reads of the application, by key. */
export function valuesOf(
  world: World,
  owner: string | undefined,
  application: string,
  environmentId?: string,
): ReadonlyMap<string, SharedValue['spec']> {
  const held = [...holdersOf(world, values).values()]
    .filter(({ metadata, spec }) => metadata.namespace === owner && spec.applicationName === application)
    .map(({ spec }) => spec)
  const at = (id: string | undefined) => held.filter((each) => each.environmentId === id)
  return new Map([...at(undefined), ...at(environmentId)].map((spec) => [spec.key, spec]))
}

/** Laws of the resources that deployments used which nothing hindered. */
export const rivalUseLaws = (inUse: (world: World) => readonly ActiveResource[]): readonly Law[] => [
  {
    law: 'A deployment uses no definition whose criteria older definitions have.',
    findings(world) {
      const winners = winnersOver(world, definitions)
      const byName = new Map(objectsOf(world, ResourceDefinition).map((each) => [keyOf(each), each]))
      return problemsOf(inUse(world), ({ metadata, spec }) => {
        const name = spec.definition.definitionName
        const used = byName.get(keyOf({ metadata: { namespace: metadata.namespace, name } }))
        if (!used) return undefined
        const lost = winners(used)
        return lost.length >= (used.spec.criteria ?? [{}]).length ? `it uses ${name}` : undefined
      })
    },
  },
  {
    law: 'A deployment uses the values that the oldest objects have.',
    findings: (world) =>
      problemsOf(inUse(world), ({ metadata, spec }) => {
        const other = Object.entries(spec.values ?? {}).find(([key, { value }]) => {
          const [application = '', id] = spec.environmentName.split('.')
          const wanted = valuesOf(world, metadata.namespace, application, id).get(key)
          return value !== undefined && value !== wanted?.value
        })
        return other && `it has ${other[1].value} as ${other[0]}`
      }),
  },
]

const keyOf = ({ metadata }: { readonly metadata: { readonly namespace?: string; readonly name: string } }) =>
  `${metadata.namespace}/${metadata.name}`
