import { changeLaw } from './changes.ts'
import { conditionLaws } from './conditions.ts'
import { deploymentWriteLaws } from './deployment-writes.ts'
import { limitWriteLaws } from './deployments/limits.ts'
import { lastingLaws } from './lasting.ts'
import type { WriteLaw } from './law.ts'
import { objectWriteLaws } from './object-writes.ts'
import { recordLaws } from './records.ts'

/** The laws of each write, with a new memory. */
export function writtenLaws(): readonly WriteLaw[] {
  return [
    ...deploymentWriteLaws(),
    ...objectWriteLaws,
    ...conditionLaws,
    ...lastingLaws(),
    ...recordLaws(),
    ...limitWriteLaws,
    changeLaw,
  ]
}
