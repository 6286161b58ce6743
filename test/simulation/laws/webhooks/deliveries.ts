import { Webhook } from '../../../../operator/api/webhook.ts'
import { keyOf } from '../../../../operator/kube/client/resource.ts'
import type { Change } from '../../server/storage.ts'
import type { World } from '../../world.ts'
import type { Finding, Law, WriteLaw } from '../law.ts'

/** How long a webhook of a deleted application can be called, and how late a process may learn a change, in milliseconds. */
const latestMs = 100_000

/** When something began and ended. */
interface Span {
  readonly from: number
  to: number
}

/** Laws of the calls of webhooks, with the memory that they need. */
export function deliveryLaws(): {
  readonly writes: WriteLaw
  readonly quiet: readonly Law[]
} {
  /** When a webhook of a name existed, and when it was disabled. */
  const lives = new Map<string, Span[]>()
  const pauses = new Map<string, Span[]>()

  function note(spans: Map<string, Span[]>, key: string, holds: boolean, now: number): void {
    const known = spans.get(key) ?? []
    const last = known.at(-1)
    const isOpen = last?.to === Number.POSITIVE_INFINITY
    if (holds && !isOpen) spans.set(key, [...known, { from: now, to: Number.POSITIVE_INFINITY }])
    else if (!holds && isOpen) last.to = now
  }

  function noteChange({ served, type, object }: Change, { clock }: World): void {
    if (served.kind !== Webhook.kind) return
    const { spec } = object as unknown as Webhook // as its kind says
    const isThere = type !== 'DELETED'
    note(lives, keyOf(object), isThere, clock.now)
    note(pauses, keyOf(object), isThere && spec.disabled === true, clock.now)
  }

  /** Findings for the calls that are wrong. */
  const callsThat =
    (isWrong: (webhook: string, at: number) => boolean, detail: string) =>
    ({ outside }: World) =>
      outside.deliveries.flatMap(({ webhook, at, event }): Finding[] =>
        isWrong(webhook, at)
          ? [{ object: `Webhook ${webhook}`, detail: `${event} at ${at / 1000} s: ${detail}` }]
          : [],
      )

  return {
    writes: {
      law: 'Each webhook has a life.',
      problem(change, world) {
        noteChange(change, world)
        return undefined
      },
    },
    quiet: [
      {
        law: 'A webhook is not called long after its deletion.',
        findings: callsThat(
          (webhook, at) => !lives.get(webhook)?.some(({ from, to }) => from <= at && at <= to + latestMs),
          'it is gone',
        ),
      },
      {
        law: 'A webhook that is disabled is not called.',
        findings: callsThat(
          (webhook, at) =>
            pauses.get(webhook)?.some(({ from, to }) => from + latestMs < at && at < to) ?? false,
          'it is disabled',
        ),
      },
    ],
  }
}

/** The law of the calls from now on, while nothing fails, and no call is sent again on request. */
export function onceLaw({ outside }: World): Law {
  const known = outside.deliveries.length
  return {
    law: 'While nothing fails, a webhook gets each event once.',
    findings() {
      const counts = new Map<string, number>()
      for (const { id, webhook } of outside.deliveries.slice(known))
        counts.set(`${webhook} ${id}`, (counts.get(`${webhook} ${id}`) ?? 0) + 1)
      return [...counts]
        .filter(([, count]) => count > 1)
        .map(([key, count]) => ({ object: `Webhook ${key}`, detail: `it got the event ${count} times` }))
    },
  }
}
