import type { Outbound } from '../../../operator/outbound/outbound.ts'
import { type Life, never } from '../process/life.ts'
import type { Surroundings } from '../surroundings.ts'
import type { Delivery, Outside } from './outside.ts'

/** A receiver of webhooks. It is late, cannot be reached, answers an error, or its answer is lost. */
export function receiverOf({ clock, faults, random }: Surroundings, outside: Outside, life: Life): Outbound {
  return {
    async request({ url, body = '{}', headers = {}, onHeaders }) {
      await clock.sleep(faults.isOn ? 1 + random.below(300) : 3)
      if (!life.isAlive && random.chance(0.5)) return never
      const fate = faults.isOn ? random.below(20) : 19
      if (fate < 2) throw new Error('the receiver cannot be reached')
      outside.deliveries.push(deliveryOf(url, headers['webhook-id'] ?? '', body))
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
function deliveryOf(url: string, id: string, body: string): Delivery {
  const {
    event = '',
    org_id = '',
    deploy_id = '',
    status = '',
    triggered_at = '',
  } = JSON.parse(body) as Record<string, string>
  return { id, url, event, deploymentKey: `${org_id}/${deploy_id}`, status, triggeredAt: triggered_at }
}
