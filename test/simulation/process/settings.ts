import { type Config, readConfig } from '../../../operator/config.ts'
import type { Surroundings } from '../surroundings.ts'

/** No pods ever start. */
const usual = { QUARTERMASTER_ROLLOUT: 'applied' }
const short = { QUARTERMASTER_KEPT_DEPLOYMENTS: '2', QUARTERMASTER_WEBHOOK_KEPT_SECONDS: '600' }

/** The settings of a new process. While things fail, it may be another release of the chart than the one before. */
export function configOf({ faults, features, random }: Surroundings): Config {
  if (!features.settings) return readConfig(usual)
  if (!faults.isOn || random.chance(0.4)) return readConfig({ ...usual, ...short })
  return readConfig({
    ...usual,
    QUARTERMASTER_KEPT_DEPLOYMENTS: random.pick(['0', '1', '50']),
    QUARTERMASTER_WEBHOOK_KEPT_SECONDS: random.pick(['0', '5', '600']),
    QUARTERMASTER_SETTLE_SECONDS: random.pick(['5', '60']),
    QUARTERMASTER_WORKLOAD_SETTLE_SECONDS: random.pick(['0', '5']),
    QUARTERMASTER_IMAGE_SETTLE_SECONDS: random.pick(['0', '5']),
    QUARTERMASTER_DEPLOYMENT_ATTEMPTS: random.pick(['1', '3']),
    QUARTERMASTER_DEPLOYMENT_TIMEOUT_SECONDS: random.pick(['20', '1800']),
    QUARTERMASTER_RESYNC_SECONDS: random.pick(['10', '600', '1800']),
    QUARTERMASTER_NAMESPACE_LABELS: random.pick(['', 'team=a', 'team=b']),
    QUARTERMASTER_VENDOR_ALIASES: random.pick(['humanitec', 'vendor']),
    QUARTERMASTER_ORGANIZATION_QUOTA: random.pick(['', 'webhookcalls=1000']),
  })
}

/** The most deployments made over REST that an environment keeps when nothing fails. */
export const shortHistory = Number(short.QUARTERMASTER_KEPT_DEPLOYMENTS)
/** How long an ended webhook call is kept then. */
export const shortCallSeconds = Number(short.QUARTERMASTER_WEBHOOK_KEPT_SECONDS)
