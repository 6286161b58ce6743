import { newObject } from '../../../operator/api/kind.ts'
import { ResourceClass } from '../../../operator/api/resource-class.ts'
import { ResourceType } from '../../../operator/api/resource-type.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { findBuiltInType } from '../../../operator/domain/resource/types.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import type { Caller } from '../../authenticate.ts'
import { Missing } from '../../request/missing.ts'
import { changeObject, currentIfRefused, removeObject, unlessShownAlike } from '../common/change.ts'
import { find, findAll, newMetadata, refuseTaken } from '../common/find.ts'
import { type ShownClass, toBuiltInClass, toCustomClasses } from './resource-class-shape.ts'
import { findCustomType, type TypePath } from './resource-types.ts'

/** Access to the classes of one resource type. */
export interface ClassRepository {
  all(): readonly ShownClass[]
  /** Returns the class with this ID; throws NotFound. */
  get(id: string): Promise<ShownClass>
  add(id: string, description: string, caller: Caller): Promise<ShownClass>
  describe(id: string, description: string): Promise<ShownClass>
  remove(id: string): Promise<void>
}

/** Classes of a built-in type are objects; those of a custom type are part of its object. */
export function classesOf(cluster: Cluster, path: TypePath): ClassRepository {
  if (findBuiltInType(path.type_id)) return builtInClasses(cluster, path)
  return customClasses(cluster, findCustomType(cluster.store, path))
}

/** Lists all classes of an organization, those of built-in types first. */
export function allClasses(store: Store, organization: string): ShownClass[] {
  return [
    ...classObjects(store, organization).map(toBuiltInClass),
    ...findAll(store, ResourceType, organization).flatMap(toCustomClasses),
  ]
}

function findClass(classes: readonly ShownClass[], id: string, type: string): ShownClass {
  const found = classes.find((each) => each.id === id)
  if (!found) throw new Problem('NotFound', notFoundText(id, type))
  return found
}

function notFoundText(id: string, type: string): string {
  return `class '${id}' of '${type}' not found`
}

/** With kubectl a class can have any type; only classes of built-in types count. */
function classObjects(store: Store, organization: string): ResourceClass[] {
  return findAll(store, ResourceClass, organization).filter(({ spec }) => findBuiltInType(spec.typeName))
}

/** Same pattern as in the CRD. */
const objectNamePart = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

function builtInClasses(cluster: Cluster, { org_id, type_id }: TypePath): ClassRepository {
  const { store } = cluster
  const nameOf = (id: string) => `${type_id}.${id}`

  function findClassObject(id: string): ResourceClass {
    const found = find(store, ResourceClass, org_id, nameOf(id))
    if (found) return found
    throw new Missing(ResourceClass, org_id, nameOf(id), notFoundText(id, type_id))
  }

  return {
    all: () =>
      classObjects(store, org_id)
        .filter(({ spec }) => spec.typeName === type_id)
        .map(toBuiltInClass),
    get: async (id) => toBuiltInClass(findClassObject(id)),
    async add(id, description, caller) {
      if (!objectNamePart.test(id)) {
        const rule = 'only lowercase letters, digits and inner hyphens'
        throw new Problem('Invalid', `class '${id}' of built-in type '${type_id}' may contain ${rule}`)
      }
      const known = store.get(ResourceClass, org_id, nameOf(id))
      await refuseTaken(cluster, ResourceClass, known, `class '${id}' of '${type_id}'`)
      const metadata = newMetadata(org_id, nameOf(id), caller)
      const spec = { typeName: type_id, className: id, description }
      return toBuiltInClass(await cluster.create(ResourceClass, newObject(ResourceClass, metadata, spec)))
    },
    async describe(id, description) {
      const changed = await changeObject(cluster, ResourceClass, findClassObject(id), (current) => {
        const wanted = { ...current, spec: { ...current.spec, description } }
        return unlessShownAlike(current, wanted, toBuiltInClass)
      })
      return toBuiltInClass(changed)
    },
    remove: (id) => removeObject(cluster, ResourceClass, findClassObject(id)),
  }
}

type ClassInType = NonNullable<ResourceType['spec']['classes']>[number]

function customClasses(cluster: Cluster, type: ResourceType): ClassRepository {
  const typeName = `${type.metadata.namespace}/${type.metadata.name}`

  async function change(decide: (known: readonly ClassInType[]) => ClassInType[]) {
    const changed = await changeObject(cluster, ResourceType, type, (current) => {
      const classes = decide(current.spec.classes ?? [])
      return unlessShownAlike(current, { ...current, spec: { ...current.spec, classes } }, toCustomClasses)
    })
    return toCustomClasses(changed)
  }
  function requireClass(known: readonly ClassInType[], id: string) {
    if (!known.some(({ name }) => name === id)) throw new Problem('NotFound', notFoundText(id, typeName))
  }

  return {
    all: () => toCustomClasses(type),
    async get(id) {
      const { result } = await currentIfRefused(cluster, ResourceType, type, (current) =>
        findClass(toCustomClasses(current), id, typeName),
      )
      return result
    },
    async add(id, description) {
      const changed = await change((known) => {
        if (known.some(({ name }) => name === id))
          throw new Problem('Conflict', `class '${id}' of '${typeName}' already exists`)
        return [...known, { name: id, description }]
      })
      return findClass(changed, id, typeName)
    },
    async describe(id, description) {
      const changed = await change((known) => {
        requireClass(known, id)
        return known.map((each) => (each.name === id ? { ...each, description } : each))
      })
      return findClass(changed, id, typeName)
    },
    async remove(id) {
      await change((known) => {
        requireClass(known, id)
        return known.filter(({ name }) => name !== id)
      })
    },
  }
}
