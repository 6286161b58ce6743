import { string, unsafe } from '../../../operator/api/schema.ts'
import { eventStream } from '../../changes/event-stream.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { errorShape } from '../../response/shapes.ts'
import { findEnvironment } from '../common/find.ts'

/** Changes of an environment as they happen. */
export const changes: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/apps/{app_id}/envs/{env_id}/changes',
    summary: 'Follow what changes in an environment, as server-sent events',
    tag: 'Environments',
    access: { application: 'viewer' },
    responses: {
      // A stream has no maximum length.
      200: unsafe<string>({
        type: 'string',
        description:
          'Events: `reload` first, which means that everything must be read again; `change` with `{"kind", "id", "state"}`, where `kind` is `environment`, `deployment` or `resource`; `end` when the session or the role has ended, or the environment is deleted. Events contain no values.',
      }),
      429: errorShape,
    },
    responseHeaders: { 'X-Accel-Buffering': string('Always `no`: proxies would collect the events.') },
    textType: 'text/event-stream',
    handle({ params, caller, isStillAllowed }, { cluster: { store }, changes: followed, streams }) {
      const { namespace, name, uid } = findEnvironment(store, params).metadata
      const controller = streams.open(caller.userName)
      const isAllowed = async () => {
        const environment = findExisting(() => findEnvironment(store, params))
        return environment?.metadata.uid === uid && (await isStillAllowed())
      }
      const events = eventStream({
        changes: followed,
        organization: namespace,
        environmentName: name,
        isAllowed,
        signal: controller.signal,
      })
      return { status: 200, events: { events, controller } }
    },
  }),
]

function findExisting<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
