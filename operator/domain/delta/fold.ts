import type { PatchOperation } from '../../api/deployment-delta.ts'
import type { FreeForm } from '../../api/schema.ts'
import type { DeltaContent } from './delta.ts'
import { cancelsPending, newMoveBudget, Patcher, refusePrototypeKey } from './patch.ts'
import { PendingList } from './reduce.ts'

/** The delta that has the effect of `delta` followed by the patches, without changes that have no effect. */
export function foldDelta(delta: DeltaContent, patches: readonly DeltaContent[]): DeltaContent {
  if (patches.length === 0) return delta
  const fold = new Fold(delta)
  for (const patch of patches) fold.add(patch)
  return fold.content()
}

/** Adds patches to a delta. Reads each patch once and the delta at most once. */
class Fold {
  readonly #moves = newMoveBudget()
  readonly #added: Map<string, FreeForm>
  readonly #patchers = new Map<string, Patcher>()
  readonly #removed: Set<string>
  /** Operations of the delta on modules that no patch changes. */
  readonly #untouched: Map<string, readonly PatchOperation[]>
  readonly #pending = new Map<string, PendingList>()
  readonly #shared = new PendingList('shared', 'shared', this.#moves)

  constructor({ modules, shared }: DeltaContent) {
    this.#added = new Map(
      Object.entries(modules.add).flatMap(([id, module]) => (module === null ? [] : [[id, module]])),
    )
    this.#removed = new Set(modules.remove)
    this.#untouched = new Map(Object.entries(modules.update))
    this.#shared.add(shared)
  }

  add({ modules, shared }: DeltaContent): void {
    for (const id of modules.remove) {
      this.#added.delete(id)
      this.#forgetUpdates(id)
      this.#removed.add(id)
    }
    for (const [id, module] of Object.entries(modules.add)) {
      refusePrototypeKey(id, 'module')
      this.#removed.delete(id)
      if (module === null) continue
      this.#forgetUpdates(id)
      this.#added.set(id, module)
    }
    for (const [id, operations] of Object.entries(modules.update)) {
      refusePrototypeKey(id, 'module')
      this.#update(id, operations)
    }
    this.#shared.add(shared)
  }

  content(): DeltaContent {
    const pending = [...this.#pending].map(([id, list]) => [id, list.operations()] as const)
    const update = [...this.#untouched, ...pending].filter(([, operations]) => operations.length > 0)
    return {
      modules: {
        add: Object.fromEntries(this.#added),
        remove: [...this.#removed],
        update: Object.fromEntries(update),
      },
      shared: this.#shared.operations(),
    }
  }

  #forgetUpdates(id: string): void {
    this.#untouched.delete(id)
    this.#pending.delete(id)
  }

  #update(id: string, incoming: readonly PatchOperation[]): void {
    const where = `module '${id}'`
    const operations = [...(this.#untouched.get(id) ?? []), ...incoming]
    this.#untouched.delete(id)
    const added = this.#added.get(id)
    if (added) {
      const patcher = this.#patchers.get(id) ?? new Patcher('module', where, this.#moves)
      this.#patchers.set(id, patcher)
      this.#added.set(id, patcher.applyAll(added, operations.map(withoutScope)))
      return
    }
    const list = this.#pending.get(id) ?? new PendingList('module', where, this.#moves)
    list.add(operations)
    this.#pending.set(id, list)
  }
}

// In a module that the delta itself adds, all content is pending: canceling it removes it.
function withoutScope(operation: PatchOperation): PatchOperation {
  return cancelsPending(operation) ? { op: 'remove', path: operation.path } : operation
}
