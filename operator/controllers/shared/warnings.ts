import type { Reason } from '../../api/reasons/reasons.ts'

/** The condition of an object that is accepted with these warnings, as fields of its status; none without warnings. */
export function warningsAs(reason: Reason, warnings: readonly string[]) {
  if (warnings.length === 0) return {}
  return { conditions: [{ type: 'Warning', status: 'True', reason, message: warnings.join('; ') }] } as const
}
