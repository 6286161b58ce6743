import { useEffect } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { useRead } from '../../api/reads.ts'
import type { WebhookCall } from '../../api/types.ts'
import { FilteredTable } from '../../components/filtered-table.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { ReadView } from '../../components/read-view.tsx'
import { State } from '../../components/state.tsx'
import { Time } from '../../components/time.tsx'
import type { Tone } from '../../components/tones.ts'
import { useAction } from '../../managing/use-action.ts'

interface Props {
  readonly path: { readonly org_id: string; readonly app_id: string; readonly webhook_id: string }
}

const tones: Readonly<Record<WebhookCall['status'], Tone>> = {
  pending: 'wait',
  delivered: 'good',
  failed: 'bad',
}
/** Time between two reads while a call is pending. */
const pollMs = 2000

/** Calls of a webhook with their outcome; each can be sent again. */
export function WebhookCalls({ path }: Props) {
  const read = useRead(
    'GET /orgs/{org_id}/apps/{app_id}/webhooks/{webhook_id}/calls',
    { path: { ...path } },
    { isList: true },
  )
  const { problem, run } = useAction()
  const isPending = read.data?.some(({ status }) => status === 'pending') ?? false
  useEffect(() => {
    if (!isPending) return undefined
    const timer = setInterval(() => {
      if (!document.hidden) read.reload()
    }, pollMs)
    return () => clearInterval(timer)
  }, [isPending])
  const redeliver = async (id: string) => {
    const operation = 'POST /orgs/{org_id}/apps/{app_id}/webhooks/{webhook_id}/calls/{call_id}/redeliver'
    await run(() => call(operation, { path: { ...path, call_id: id } }))
    read.reload()
  }
  return (
    <section class="panel stack">
      <h2>Calls</h2>
      {problem && <ProblemNotice problem={problem} />}
      <ReadView read={read} what="calls">
        {(calls) => (
          <FilteredTable
            what="calls"
            items={calls}
            keyOf={({ id }) => id}
            textOf={({ event, status, message }) => `${event} ${status} ${message ?? ''}`}
            columns={[
              { title: 'Event', show: ({ event }) => event },
              { title: 'Time', show: ({ created_at }) => <Time at={created_at} /> },
              { title: 'Outcome', show: (each) => <Outcome call={each} /> },
              {
                title: 'Redelivery',
                show: ({ id, event, status }) =>
                  status !== 'pending' && (
                    <button
                      type="button"
                      aria-label={`Send ${event} again`}
                      onClick={() => void redeliver(id)}
                    >
                      Send again
                    </button>
                  ),
              },
            ]}
          />
        )}
      </ReadView>
      <button type="button" onClick={read.reload}>
        Read the calls again
      </button>
    </section>
  )
}

function Outcome({
  call: { status, response_status, message, attempts, next_attempt_at },
}: {
  readonly call: WebhookCall
}) {
  return (
    <>
      <State tone={tones[status]}>{status}</State>
      {response_status !== undefined && <span> HTTP {response_status}</span>}
      {message !== undefined && <p>{message}</p>}
      {attempts > 0 && <p class="muted">Failed attempts: {attempts}</p>}
      {next_attempt_at !== undefined && (
        <p class="muted">
          Next attempt <Time at={next_attempt_at} />
        </p>
      )}
    </>
  )
}
