import { list, oneOf, string, time } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { type AuditRecord, auditRecordShape, auditResults } from '../../audit/audit-record.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { knownId } from '../../request/parameters.ts'
import { linkTo } from '../../response/paging.ts'
import { linkHeader } from './list-endpoint.ts'
import { refuseUnreadableTimes } from './unreadable-times.ts'

const path = '/orgs/{org_id}/audit-logs'
const defaultPerPage = 50

interface Filter {
  readonly from?: string
  readonly to?: string
  readonly user_id?: string
  readonly result?: AuditRecord['result']
}

function fits(record: AuditRecord, { from, to, user_id: user, result }: Filter): boolean {
  const at = Date.parse(record.at)
  if (from !== undefined && at < Date.parse(from)) return false
  if (to !== undefined && at >= Date.parse(to)) return false
  return (user === undefined || record.user_id === user) && (result === undefined || record.result === result)
}

/** Audit records of an organization. */
export const auditLogs: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path,
    summary: 'List the audit records of the organization since this gateway process started, newest first',
    tag: 'Audit',
    access: { organization: 'administrator' },
    query: {
      from: time('Start of the time range, inclusive.'),
      to: time('End of the time range, exclusive.'),
      user_id: knownId('Only requests of this user.'),
      result: oneOf(auditResults, 'Only requests with this result.'),
      per_page: string('Maximum number of records per page, from 1 to 100. 50 when absent.', {
        pattern: '^([1-9][0-9]?|100)$',
      }),
      page: string('Page token, as in the header `Link` of the previous page.', { maxLength: 63 }),
    },
    responses: { 200: list(auditRecordShape, 'Audit records.') },
    responseHeaders: linkHeader,
    handle({ params: { org_id }, query }, { audit }) {
      const { page, per_page: perPage, from, to, user_id, result } = query
      // Without undeclared query parameters, which may contain a token.
      const filter: Filter = { from, to, user_id, result }
      refuseUnreadableTimes({ from, to })
      if (page !== undefined && !audit.isOurs(page))
        throw new Problem(
          'Invalid',
          "'page' is not a page of this gateway process: start with the first page",
        )
      const records = audit
        .newest(org_id)
        .filter((record) => page === undefined || record.id < page)
        .filter((record) => fits(record, filter))
      const size = perPage === undefined ? defaultPerPage : Number(perPage)
      const shown = records.slice(0, size)
      const last = shown.at(-1)
      const isMore = last !== undefined && records.length > size
      return {
        status: 200,
        body: shown,
        headers: isMore ? { link: linkTo({ ...filter, per_page: size, page: last.id }) } : undefined,
      }
    },
  }),
]
