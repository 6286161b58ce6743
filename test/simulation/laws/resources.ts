import { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { StoredObject } from '../../../operator/api/kind.ts'
import { labels } from '../../../operator/api/names.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { isObject } from '../../../operator/domain/base/json.ts'
import { conditionOf } from '../../../operator/kube/loop/outcome.ts'
import { valuesIn } from '../outside/maker.ts'
import { instanceKey } from '../outside/outside.ts'
import { wrappedBy } from '../outside/wrappers.ts'
import { servedAs } from '../server/resources.ts'
import { objectsOf } from '../surroundings.ts'
import type { World } from '../world.ts'
import { type Law, problemsOf } from './law.ts'

const valuesOf = ({ spec }: ActiveResource) => valuesIn(spec.definition.driverInputs)

/** The driver type that provisions a resource, and what its wrapper adds. */
const driverOf = ({ spec }: ActiveResource, world: World) => wrappedBy(world, spec.definition.driverType)

/** Whether the provider of the simulation provisions a resource. */
function isOfProvider(resource: ActiveResource, world: World): boolean {
  return /\/(maker|keeper|queues|twin)$/.test(driverOf(resource, world).innermost)
}

/** The resources that say that they are ready. */
function readyResources(world: World): ActiveResource[] {
  return objectsOf(world, ActiveResource).filter((each) => conditionOf(each, 'Ready')?.status === 'True')
}

/** Those that are in use too: an unused one keeps the inputs of its last use. */
function readyInUse(world: World): ActiveResource[] {
  return readyResources(world).filter(({ spec }) => spec.unusedSince === undefined)
}

/** The output `name` that the definition of a resource gives; undefined for drivers that give none. */
function wantedName(resource: ActiveResource, world: World): string | undefined {
  const { driverType } = resource.spec.definition
  const values = valuesOf(resource)
  if (isOfProvider(resource, world)) return `n-${String(values.version)}`
  if (!driverType.endsWith('/template') || !isObject(values.templates)) return undefined
  const { init } = values.templates
  return isObject(init) ? String(init.name) : undefined
}

/** The ConfigMaps that were applied for a resource. */
function appliedFor({ metadata }: ActiveResource, world: World): StoredObject[] {
  return world.server.storage
    .list(servedAs('ConfigMap'))
    .filter((each) => each.metadata.labels?.[labels.resource] === metadata.name)
}

const dataOf = (object: StoredObject | undefined): FreeForm => (isObject(object?.data) ? object['data'] : {})

/** The instances that the status of a resource names. */
function knownInstances(world: World): Set<string> {
  return new Set(
    objectsOf(world, ActiveResource).flatMap(({ metadata, status }) =>
      [status?.provisioned, ...(status?.predecessors ?? [])]
        .filter((each) => each !== undefined)
        .map((each) => instanceKey(metadata.name, each.driverType, each.identity?.zone)),
    ),
  )
}

export const resourceLaws: readonly Law[] = [
  {
    law: 'The status of a resource names each instance that exists outside.',
    findings(world) {
      const known = knownInstances(world)
      return [...world.outside.instances.keys()]
        .filter((key) => !known.has(key))
        .map((key) => ({ object: `ActiveResource ${key.split('/')[0]}`, detail: `no status names ${key}` }))
    },
  },
  {
    law: 'A resource is ready at its current generation, without predecessors if it is in use.',
    findings: (world) =>
      problemsOf(readyResources(world), ({ metadata, spec, status }) => {
        if (status?.observedGeneration !== metadata.generation)
          return `it is ready at ${status?.observedGeneration} of ${metadata.generation}`
        const count = status?.predecessors?.length ?? 0
        return count > 0 && spec.unusedSince === undefined ? `it has ${count} predecessors` : undefined
      }),
  },
  {
    law: 'A ready resource exists outside with the inputs of its definition.',
    findings: (world) =>
      problemsOf(
        readyInUse(world).filter((each) => isOfProvider(each, world)),
        (each) => {
          const { zone, version } = valuesOf(each)
          const { innermost, note } = driverOf(each, world)
          const instance = world.outside.instances.get(instanceKey(each.metadata.name, innermost, zone))
          if (!instance) return 'nothing exists outside'
          const made = instance.values.version
          if (made !== version) return `version ${String(made)} exists, ${String(version)} is wanted`
          const { note: madeNote } = instance.values
          return madeNote === note ? undefined : `${String(madeNote)} exists, ${String(note)} is wanted`
        },
      ),
  },
  {
    law: 'A ready resource has the outputs of its definition.',
    findings: (world) =>
      problemsOf(readyInUse(world), (each) => {
        const wanted = wantedName(each, world)
        const { outputs } = each.status ?? {}
        return wanted === undefined || outputs?.name === wanted
          ? undefined
          : `${JSON.stringify(outputs)}, not ${wanted}`
      }),
  },
  {
    law: 'A ready resource has exactly its objects, as its definition wants them.',
    findings: (world) =>
      problemsOf(
        readyInUse(world).filter((each) => wantedName(each, world) !== undefined),
        (each) => {
          const isRendered = !isOfProvider(each, world)
          const { objects, version } = valuesOf(each)
          const made = appliedFor(each, world)
          const count = isRendered ? 1 : Number(objects ?? 0)
          if (made.length !== count) return `${made.length} ConfigMaps exist, ${count} are wanted`
          const wanted = isRendered ? wantedName(each, world) : String(version)
          const other = made.find((object) => dataOf(object).v !== wanted)
          return other && `${other.metadata.name} has ${String(dataOf(other).v)}, not ${wanted}`
        },
      ),
  },
  {
    law: 'Outputs that come from an object are those of the object as it is.',
    findings: (world) =>
      problemsOf(
        readyInUse(world).filter((each) => isOfProvider(each, world) && valuesOf(each).observes === true),
        (each) => {
          const first = appliedFor(each, world).find(({ metadata }) => metadata.name.includes('-0-'))
          const extra = dataOf(first).extra ?? 'none'
          const seen = each.status?.outputs?.seen
          return seen === extra ? undefined : `it says ${String(seen)}, the object ${String(extra)}`
        },
      ),
  },
  {
    law: 'The dependencies of a ready resource exist.',
    findings(world) {
      const names = new Set(objectsOf(world, ActiveResource).map(({ metadata }) => metadata.name))
      return problemsOf(readyInUse(world), ({ spec }) => {
        const missing = Object.values(spec.references ?? {})
          .flat()
          .find((name) => !names.has(name))
        return missing && `${missing} does not exist`
      })
    },
  },
  {
    law: 'What is made for a resource ends with it, unless it is detached.',
    findings(world) {
      const names = new Set(objectsOf(world, ActiveResource).map(({ metadata }) => metadata.name))
      const secrets = problemsOf(world.server.storage.list(servedAs('Secret')), ({ metadata }) => {
        const owner = metadata.ownerReferences?.find(({ kind }) => kind === ActiveResource.kind)
        return owner && !names.has(owner.name) ? `it outlives ${owner.name}` : undefined
      })
      const objects = ['ConfigMap', 'Deployment', 'Secret'].flatMap((kind) =>
        problemsOf(world.server.storage.list(servedAs(kind)), ({ metadata }) => {
          const name = metadata.labels?.[labels.resource]
          if (name === undefined || names.has(name) || world.outside.detached.has(name)) return undefined
          return `it outlives ${name}`
        }),
      )
      return [...secrets, ...objects]
    },
  },
]
