import { boolean, integer, map, object, oneOf, type Static, string, time } from '../../operator/api/schema.ts'
import { named } from '../response/shapes.ts'

/** Result of an audited request. */
export const auditResults = ['success', 'refused', 'failed'] as const

export const auditRecordShape = named(
  'AuditRecord',
  object(
    {
      id: string('ID of the record. Later records have greater IDs.', { maxLength: 63 }),
      at: time('Time when the request was answered.'),
      user_id: string('ID of the user who made the request. Empty if unknown.'),
      request_method: string('HTTP method.', { maxLength: 63 }),
      request_path: string('Path without its query. A long path is truncated.'),
      path_parameters: map(string('Value.'), 'Path parameters, which identify the objects of the request.'),
      response_status: integer('HTTP status of the response.'),
      result: oneOf(auditResults, 'Result of the request.'),
      request_id: string('ID of the request, as in the response header `X-Request-Id` and in the log.', {
        maxLength: 64,
      }),
      source_address: string('Address of the client.', { maxLength: 63 }),
    },
    {
      org_id: string('Organization of the request.', { maxLength: 63 }),
      route: string('Path template of the operation.'),
      via: string('Credential that authenticated the user: `token:<name>` for an API token, or `session`.'),
      reason: string('Machine-readable reason why the request failed: one CamelCase word.', {
        maxLength: 63,
      }),
      dry_run: boolean('True if the request was a dry run.'),
      count: integer(
        'Number of rate-limited requests (429) of one caller within a minute that this record represents. The record describes the first of them; `at` is the time of the last.',
      ),
    },
    'One request that wrote something or was rejected.',
  ),
)

export type AuditRecord = Static<typeof auditRecordShape>

/** An audit record without its ID. */
export type AuditEntry = Omit<AuditRecord, 'id'>
