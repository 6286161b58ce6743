import { lengthOf } from '../base/size-limits.ts'
import type { Module } from './module-schema.ts'

/** Maximum number of characters of the pods of all schedules together: each CronJob has them, and all are in memory at once. */
const mostCharacters = 5 * 1_048_576

/** Why the schedules of a module repeat too much of its pods, and of what else is in them; undefined when they do not. */
export function problemOfRepetition(
  { schedules = {}, containers = {}, ...others }: Module,
  parts: readonly unknown[] = [],
): string | undefined {
  const count = Object.keys(schedules).length
  const repeated = Object.entries(containers).map(([id, container]) => [
    id,
    // The contents of files are stored once, and pods name them.
    { ...container, files: Object.keys(container?.files ?? {}) },
  ])
  const length = lengthOf([repeated, others, parts], mostCharacters)
  if (count * length <= mostCharacters) return undefined
  return `repeat ${length} characters of the pods ${count} times, more than ${mostCharacters} in all`
}
