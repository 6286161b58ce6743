import { ActiveResource } from '../../../../operator/api/active-resource.ts'
import { DeploymentSet } from '../../../../operator/api/deployment-set.ts'
import type { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import { type Criterion, ResourceDefinition } from '../../../../operator/api/resource-definition.ts'
import type { FreeForm } from '../../../../operator/api/schema.ts'
import { isObject } from '../../../../operator/domain/base/json.ts'
import { objectOf, objectsOf } from '../../surroundings.ts'
import { environmentType } from '../../users/names.ts'
import type { World } from '../../world.ts'
import { type Law, problemsOf } from '../law.ts'
import { holds } from '../rivals.ts'

/** A resource that a set asks for, directly or through definitions. */
export interface Wanted {
  readonly type: string
  readonly class: string
  readonly id: string
  /** The definition that fits best; undefined for the built-in one of workloads. */
  definition?: ResourceDefinition
  /** The names of the resources that it depends on. */
  readonly needs: Set<string>
}

interface Place {
  readonly organization: string
  readonly application: string
  readonly environment: string
}

/** The keys of criteria, of which a later one outweighs all before it. */
const ranked = ['envType', 'appId', 'envId', 'resId'] as const
const implicit = ['base-env', 'k8s-cluster', 'k8s-namespace']
const reference = /\$\{resources(?:\.([\w-]+)|\['([^']+)'\])/g

const nameOf = ({ type, class: own, id }: Pick<Wanted, 'type' | 'class' | 'id'>) => `${type}.${own}#${id}`
const descriptorOf = ({ spec }: ActiveResource) =>
  nameOf({ type: spec.type, class: spec.class, id: spec.resourceId })

/**
 * The resources of a set by the specification, computed in a simple way: what the workloads need, what definitions refer to,
 * and what comes along. Undefined if something matches no definition.
 */
export class WantedGraph {
  readonly all = new Map<string, Wanted>()
  /** Whether each resource has a definition. */
  isComplete = true
  readonly #world: World
  readonly #place: Place
  /** What everything that depends on a resource depends on too. */
  readonly #copies: [string, string][] = []

  constructor(world: World, place: Place, { spec }: DeploymentSet) {
    this.#world = world
    this.#place = place
    for (const [id, module] of Object.entries(spec.modules)) {
      const workload = this.#add({ type: 'workload', class: 'default', id: `modules.${id}` })
      const externals = isObject(module.externals) ? module['externals'] : {}
      for (const [name, each] of Object.entries(externals))
        workload.needs.add(nameOf(this.#declare(each as FreeForm, `modules.${id}.externals.${name}`)))
    }
    for (const [name, each] of Object.entries(spec.shared)) this.#declare(each as FreeForm, `shared.${name}`)
    for (const type of implicit) if (this.#match({ type, class: 'default', id: type })) this.#expand(type)
    this.#copy()
  }

  #declare({ type, class: own, id }: FreeForm, name: string): Wanted {
    const [simple = '', inType = 'default'] = String(type).split('.')
    const override = `${this.#place.organization}/${simple}`
    const isOverridden = this.#definitionsOf(override).length > 0
    return this.#add({
      type: isOverridden ? override : simple,
      class: String(own ?? inType),
      id: id === undefined ? name : `shared.${String(id).replace(/^shared\./, '')}`,
    })
  }

  #expand(type: string): void {
    this.#add({ type, class: 'default', id: type })
  }

  #add(key: Pick<Wanted, 'type' | 'class' | 'id'>): Wanted {
    const name = nameOf(key)
    const known = this.all.get(name)
    if (known) return known
    const definition = this.#match(key)
    const wanted: Wanted = { ...key, needs: new Set(), ...(definition ? { definition } : {}) }
    this.all.set(name, wanted)
    if (definition) this.#addFrom(wanted, definition)
    else if (key.type !== 'workload') this.isComplete = false
    return wanted
  }

  #addFrom(wanted: Wanted, { spec }: ResourceDefinition): void {
    const [values, secrets] = [spec.driverInputs?.values, spec.driverInputs?.secretRefs]
    for (const [, simple = '', quoted = simple] of JSON.stringify([values, secrets]).matchAll(reference))
      wanted.needs.add(nameOf(this.#add(partsOf(quoted, wanted))))
    for (const [text, options] of Object.entries(spec.provision ?? {})) {
      const other = this.#add(partsOf(text, wanted))
      const [name, own] = [nameOf(other), nameOf(wanted)]
      if (name === own) continue
      if (options.isDependent) other.needs.add(own)
      if (options.matchDependents) this.#copies.push([own, name])
    }
  }

  #copy(): void {
    for (let isChanged = true; isChanged; ) {
      isChanged = false
      for (const [original, copy] of this.#copies)
        for (const [name, { needs }] of this.all) {
          if (!needs.has(original) || name === copy || needs.has(copy)) continue
          needs.add(copy)
          isChanged = true
        }
    }
  }

  #definitionsOf(type: string): ResourceDefinition[] {
    return objectsOf(this.#world, ResourceDefinition).filter(
      ({ metadata, spec }) =>
        metadata.namespace === this.#place.organization &&
        metadata.deletionTimestamp === undefined &&
        spec.type === type,
    )
  }

  #match(wanted: Pick<Wanted, 'type' | 'class' | 'id'>): ResourceDefinition | undefined {
    const { application, environment } = this.#place
    const facts = { envType: environmentType, appId: application, envId: environment, resId: wanted.id }
    const fits = (criterion: Criterion) =>
      (criterion.class ?? 'default') === wanted.class &&
      ranked.every((key) => criterion[key] === undefined || criterion[key] === facts[key])
    const rankOf = (criterion: Criterion) =>
      ranked.reduce((rank, key, index) => rank + (criterion[key] === undefined ? 0 : 2 ** index), 0)
    const candidates = this.#definitionsOf(wanted.type).flatMap((definition) =>
      (definition.spec.criteria ?? [])
        .filter((each) => fits(each) && holds(this.#world, definition, each))
        .map((each) => ({ definition, rank: rankOf(each) })),
    )
    return candidates.sort((left, right) => right.rank - left.rank)[0]?.definition
  }
}

/** What `type.class#id` means for the resource that names it. */
function partsOf(text: string, from: Wanted): Pick<Wanted, 'type' | 'class' | 'id'> {
  const [typeAndClass = '', id = from.id] = text.split('#')
  const [type = '', own = from.class] = typeAndClass.split('.')
  return { type, class: own, id }
}

/** The resources that a deployment wants, by its set; undefined while it has none. */
export function wantedBy(world: World, deployment: EnvironmentDeployment): WantedGraph | undefined {
  const { metadata, spec, status } = deployment
  const set = objectOf(world, DeploymentSet, status?.setName ?? spec.setName, metadata.namespace)
  const [application = '', environment = ''] = spec.environmentName.split('.')
  const place = { organization: metadata.namespace, application, environment }
  return set && new WantedGraph(world, place, set)
}

/** What is wrong with the resources of the environment of a deployment that has succeeded. */
function problemIn(world: World, deployment: EnvironmentDeployment): string | undefined {
  const wanted = wantedBy(world, deployment)
  if (!wanted) return 'its set is gone'
  const { environmentName } = deployment.spec
  const resources = objectsOf(world, ActiveResource).filter(
    ({ metadata, spec }) =>
      metadata.namespace === deployment.metadata.namespace &&
      spec.environmentName === environmentName &&
      spec.unusedSince === undefined,
  )
  const names = new Map(resources.map((each) => [each.metadata.name, descriptorOf(each)]))
  const used = new Map(resources.map((each) => [descriptorOf(each), each]))
  const missing = [...wanted.all.keys()].filter((each) => !used.has(each))
  const surplus = [...used.keys()].filter((each) => !wanted.all.has(each))
  if (missing.length + surplus.length > 0)
    return `missing: ${missing.join(', ')}; too many: ${surplus.join(', ')}`
  for (const [name, { definition, needs, type }] of wanted.all) {
    const { spec } = used.get(name) ?? {}
    const own = definition?.metadata.name ?? 'default--workload'
    if (spec?.definition.definitionName !== own)
      return `${name} is of ${spec?.definition.definitionName}, not ${own}`
    const all = [...(spec.dependsOn ?? []), ...Object.values(spec.references ?? {}).flat()]
    const known = new Set(all.map((each) => names.get(each) ?? each))
    const lost = [...needs].filter((each) => !known.has(each))
    // Workloads depend on each other too, and on what all of them use.
    const others = type === 'workload' ? [] : [...known].filter((each) => !needs.has(each))
    if (lost.length + others.length > 0)
      return `${name} depends on ${[...known].join(', ')}; it needs ${[...needs].join(', ')}`
  }
  return undefined
}

/** Laws of the resources of environments whose last deployments have succeeded, while definitions are as they were. */
export const graphLaws = (
  deployments: (world: World) => readonly EnvironmentDeployment[],
): readonly Law[] => [
  {
    law: 'The resources in use are those that the set and the definitions ask for, each with the definition that fits best.',
    findings: (world) => problemsOf(deployments(world), (each) => problemIn(world, each)),
  },
]
