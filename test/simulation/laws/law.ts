import type { KubeObject } from '../../../operator/api/kind.ts'
import { conditionOf } from '../../../operator/kube/loop/outcome.ts'
import type { Change } from '../server/storage.ts'
import type { World } from '../world.ts'

/** What breaks a law. */
export interface Finding {
  /** Kind and name of an object. */
  readonly object: string
  readonly detail: string
}

/** A law about the world when nothing has failed for long. */
export interface Law {
  /** A sentence. */
  readonly law: string
  findings(world: World): readonly Finding[]
}

/** A law about each write. */
export interface WriteLaw {
  readonly law: string
  /** What is wrong with a write; undefined for nothing. */
  problem(change: Change, world: World): string | undefined
}

/** Reports what breaks laws. */
export function check(world: World, laws: readonly Law[]): void {
  for (const { law, findings } of laws)
    for (const { object, detail } of findings(world)) world.journal.violation(law, object, detail)
}

/** Checks each write from now on. */
export function checkWrites(world: World, laws: readonly WriteLaw[]): void {
  world.server.storage.follow((change) => {
    for (const { law, problem } of laws) {
      const detail = problem(change, world)
      if (detail !== undefined) world.journal.violation(law, nameOf(change.object), detail)
    }
  })
}

/** Kind and name of an object, for people. */
export function nameOf({ kind, metadata }: KubeObject): string {
  const { namespace, name } = metadata
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`
}

/** The condition `Ready` as text. */
export function readyText(object: KubeObject): string {
  const ready = conditionOf(object as Parameters<typeof conditionOf>[0], 'Ready') // an object with or without a status
  return ready ? `${ready.status} ${ready.reason}: ${ready.message.slice(0, 300)}` : 'no condition'
}

/** Findings for the objects that have a problem. */
export function problemsOf<T extends KubeObject>(
  objects: readonly T[],
  problem: (object: T) => string | undefined,
): Finding[] {
  return objects.flatMap((object) => {
    const detail = problem(object)
    return detail === undefined ? [] : [{ object: nameOf(object), detail }]
  })
}
