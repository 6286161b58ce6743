import type { Outbound } from '../../../operator/outbound/outbound.ts'
import { type Life, never } from '../process/life.ts'
import type { Surroundings } from '../surroundings.ts'
import { webhookHeader } from '../users/names.ts'
import type { Delivery, Outside } from './outside.ts'

/** A receiver of webhooks. It is late, cannot be reached, answers an error, or its answer is lost. */
export function receiverOf({ clock, faults, random }: Surroundings, outside: Outside, life: Life): Outbound {
  return {
    async request({ url, body = '{}', headers = {}, onHeaders }) {
      await clock.sleep(faults.isOn ? 1 + random.below(300) : 3)
      if (!life.isAlive && random.chance(0.5)) return never
      const fate = faults.isOn ? random.below(20) : 19
      if (fate < 2) throw new Error('the receiver cannot be reached')
      outside.deliveries.push(deliveryOf(url, headers, body, clock.now))
      if (!life.isAlive) return never
      if (fate < 4) throw new Error('the answer of the receiver is lost')
      const code = fate === 4 ? 503 : 200
      await onHeaders?.(code, {})
      return { status: code, headers: {}, text: '' }
    },
    close: () => Promise.resolve(),
  }
}

/** Reads what the webhooks of a run send. */
function deliveryOf(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  at: number,
): Delivery {
  const {
    event = '',
    org_id = '',
    deploy_id = '',
    status = '',
    triggered_at = '',
  } = JSON.parse(body) as Record<string, string>
  const id = headers['webhook-id'] ?? ''
  const webhook = `${org_id}/${headers[webhookHeader]}`
  return {
    id,
    url,
    webhook,
    at,
    event,
    deploymentKey: `${org_id}/${deploy_id}`,
    status,
    triggeredAt: triggered_at,
  }
}
