import type { AuditRecord } from '../../api/types.ts'

/** The outcome of a request. A dry run says so, because it changes nothing. */
export function resultText({
  result,
  response_status,
  dry_run,
}: Pick<AuditRecord, 'result' | 'response_status' | 'dry_run'>): string {
  return `${result} (${response_status})${dry_run ? ', dry run' : ''}`
}
