import { hash } from 'node:crypto'
import type { DeploymentDelta, ModuleChanges, PatchOperation } from '../../api/deployment-delta.ts'
import type { FreeForm } from '../../api/schema.ts'
import { Problem } from '../base/errors.ts'
import { canonicalJson, escapeToken, isObject, ownValue, sameJson } from '../base/json.ts'
import {
  cancelsPending,
  type Layout,
  type MoveBudget,
  newMoveBudget,
  normalizeDependency,
  Patcher,
  refusePrototypeKey,
  withExternals,
} from './patch.ts'
import { reduceOperations } from './reduce.ts'

/** All workloads and shared dependencies of a deployment. */
export interface SetContent {
  readonly modules: Readonly<Record<string, FreeForm>>
  readonly shared: Readonly<Record<string, FreeForm>>
}

/** The changes of a delta with every part present. */
export interface DeltaContent {
  readonly modules: {
    /** Modules to add or replace. `null` cancels a pending removal in the delta. */
    readonly add: Readonly<Record<string, FreeForm | null>>
    readonly remove: readonly string[]
    readonly update: Readonly<Record<string, readonly PatchOperation[]>>
  }
  readonly shared: readonly PatchOperation[]
}

/** The set before the first deployment. */
export const emptySet: SetContent = { modules: {}, shared: {} }

/** The delta that changes nothing. */
export const emptyDelta: DeltaContent = { modules: { add: {}, remove: [], update: {} }, shared: [] }

/** The changes of a delta with empty defaults for absent parts. */
export function deltaContent(spec: {
  readonly modules?: Omit<ModuleChanges, 'add'> & { readonly add?: DeltaContent['modules']['add'] }
  readonly shared?: DeploymentDelta['spec']['shared']
}): DeltaContent {
  const { add = {}, remove = [], update = {} } = spec.modules ?? {}
  return { modules: { add, remove, update }, shared: spec.shared ?? [] }
}

/** The set after a delta: modules are removed, added and updated, then shared dependencies are changed. */
export function applyDelta(set: SetContent, delta: DeltaContent): SetContent {
  const moves = newMoveBudget()
  const modules = new Map<string, unknown>(Object.entries(set.modules))
  for (const id of delta.modules.remove) modules.delete(id)
  for (const [id, module] of Object.entries(delta.modules.add)) if (module !== null) modules.set(id, module)
  for (const [id, operations] of Object.entries(delta.modules.update)) {
    if (!modules.has(id)) throw new Problem('Invalid', `module '${id}' cannot be updated: it does not exist`)
    modules.set(id, applyOperations(modules.get(id), operations, ['module', `module '${id}'`, moves]))
  }
  const shared = applyOperations(set.shared, delta.shared, ['shared', 'shared', moves])
  return {
    modules: mapEntries(Object.fromEntries(modules), normalizeModule),
    shared: mapEntries(shared, (id, value) => dependencyOf(value, `shared '${id}'`)),
  }
}

function applyOperations(
  document: unknown,
  operations: readonly PatchOperation[],
  target: readonly [layout: Layout, where: string, moves: MoveBudget],
): FreeForm {
  const effective = operations.some(cancelsPending) ? reduceOperations(operations, ...target) : operations
  return new Patcher(...target).applyAll(document, effective)
}

/** A map with `change` applied to each value. Throws Problem('Invalid') for keys such as `__proto__`. */
function mapEntries(
  map: FreeForm,
  change: (id: string, value: unknown) => FreeForm,
): Record<string, FreeForm> {
  return Object.fromEntries(
    Object.entries(map).map(([id, value]) => {
      const changed = change(id, value)
      refusePrototypeKey(id, 'id')
      return [id, changed]
    }),
  )
}

function normalizeModule(id: string, value: unknown): FreeForm {
  const module = withExternals(value)
  if (!isObject(module)) throw new Problem('Invalid', `module '${id}' must be an object`)
  const { externals } = module
  if (!isObject(externals)) throw new Problem('Invalid', `module '${id}': 'externals' must be an object`)
  return {
    ...module,
    externals: mapEntries(externals, (name, each) =>
      dependencyOf(each, `module '${id}', externals '${name}'`),
    ),
  }
}

function dependencyOf(value: unknown, where: string): FreeForm {
  const dependency = normalizeDependency(value)
  if (!isObject(dependency)) throw new Problem('Invalid', `${where} must be an object`)
  return dependency
}

/** The delta that changes `from` to `to`. */
export function diffSets(from: SetContent, to: SetContent): DeltaContent {
  const changed = Object.entries(to.modules).filter(
    ([id, module]) => !sameJson(ownValue(from.modules, id), module),
  )
  const shared = Object.entries(to.shared).filter(
    ([id, value]) => !sameJson(ownValue(from.shared, id), value),
  )
  return {
    modules: {
      add: Object.fromEntries(changed),
      remove: Object.keys(from.modules).filter((id) => !Object.hasOwn(to.modules, id)),
      update: {},
    },
    shared: [
      ...Object.keys(from.shared)
        .filter((id) => !Object.hasOwn(to.shared, id))
        .map((id): PatchOperation => ({ op: 'remove', path: `/${escapeToken(id)}` })),
      ...shared.map(([id, value]): PatchOperation => ({ op: 'add', path: `/${escapeToken(id)}`, value })),
    ],
  }
}

/** Id of a set: a hash of its content. */
export function setId(set: SetContent): string {
  return hash('sha256', canonicalJson({ modules: set.modules, shared: set.shared }))
}

/** Id of the set before the first deployment. */
export const emptySetId = setId(emptySet)
