import { reasons } from '../../../operator/api/reasons/reasons.ts'
import { string } from '../../../operator/api/schema.ts'

/** Optional field of problems and conditions. */
export const remedyField = string('What to do about it. Absent for a reason of another version.', {
  maxLength: 1024,
})

/** What to do about a reason; undefined if the reason is not known. */
export function remedyFor(reason: string): string | undefined {
  const known: Readonly<Record<string, { readonly remedy: string }>> = reasons
  return Object.hasOwn(known, reason) ? known[reason]?.remedy : undefined
}
