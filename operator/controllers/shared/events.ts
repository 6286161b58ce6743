import { randomBytes } from 'node:crypto'
import type { KubeObject } from '../../api/kind.ts'
import type { Reason } from '../../api/reasons/reasons.ts'
import { ApiError, isDenied, isRejected } from '../../kube/client/api-error.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { eventResource, pathOf } from '../../kube/client/resource.ts'

const maxMessageLength = 1024

/** What an Event says about an object. */
export interface EventOf {
  readonly type: 'Normal' | 'Warning'
  readonly reason: Reason
  readonly message: string
}

/**
 * Creates an Event about an object, which outlives the object. A terminating namespace refuses Events, and policies of the
 * cluster may: those are skipped, since the work that they are about must not wait for them.
 */
export async function recordEvent(
  client: KubeClient,
  { apiVersion, kind, metadata }: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>,
  event: EventOf,
): Promise<void> {
  const { name, namespace, uid } = metadata
  const now = new Date().toISOString()
  try {
    await client.request('POST', pathOf(eventResource, namespace), {
      body: {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: `${name}.${randomBytes(8).toString('hex')}`, namespace },
        involvedObject: { apiVersion, kind, name, namespace, uid },
        ...event,
        message: event.message.slice(0, maxMessageLength),
        source: { component: 'quartermaster' },
        reportingComponent: 'quartermaster.dev/operator',
        firstTimestamp: now,
        lastTimestamp: now,
        count: 1,
      },
    })
  } catch (error) {
    if (!isRefusedForGood(error)) throw error
  }
}

function isRefusedForGood(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 403 || isDenied(error) || isRejected(error))
}
