import { ActiveResource } from '../../api/active-resource.ts'
import { group } from '../../api/names.ts'
import { exceededQuotas, quotaMessage, type ResourceQuota } from '../base/quota.ts'
import type { ListedProblem } from '../graph/problems.ts'

/** The limits that do not allow this many new active resources. */
export function problemsOfQuota(more: number, quotas: readonly ResourceQuota[]): ListedProblem[] {
  if (more === 0) return []
  return exceededQuotas(quotas, `${ActiveResource.plural}.${group}`, more).map((use) => ({
    object: '',
    reason: 'QuotaExceeded',
    message: quotaMessage(use, more),
  }))
}
