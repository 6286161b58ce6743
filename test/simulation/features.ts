import type { Random } from '../support/random.ts'

/** What one run contains: each leaves out some parts, so that the others meet more often. */
export interface Features {
  /** Two processes, of which one waits for the lease. */
  readonly standby: boolean
  readonly webhooks: boolean
  /** A driver with cookies. */
  readonly cookies: boolean
  /** Namespaces of environments that a driver names. */
  readonly namespaces: boolean
  /** Objects in a namespace of an administrator, and outputs from objects as they are. */
  readonly places: boolean
  /** Versions of images, and rules that deploy them. */
  readonly images: boolean
  /** A type and drivers of the organization. */
  readonly custom: boolean
  readonly workloads: boolean
  readonly quotas: boolean
}

export function featuresOf(random: Random): Features {
  return {
    standby: random.chance(0.4),
    webhooks: random.chance(0.5),
    cookies: random.chance(0.5),
    namespaces: random.chance(0.4),
    places: random.chance(0.4),
    images: random.chance(0.4),
    custom: random.chance(0.4),
    workloads: random.chance(0.6),
    quotas: random.chance(0.4),
  }
}
