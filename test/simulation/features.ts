import { createRandom, type Random } from '../support/random.ts'

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
  /** Rights to Secrets in single namespaces only. */
  readonly rights: boolean
  /** Drivers of the organization that wrap others, or have one address. */
  readonly wrappers: boolean
  /** Schemas of types that change, a type in place of a built-in one, and accounts of another type. */
  readonly types: boolean
  /** Processes whose settings differ, and short histories. */
  readonly settings: boolean
  /** Finalizers of other controllers. */
  readonly finalizers: boolean
  /** Quotas of all kinds, in place of a few. */
  readonly allQuotas: boolean
  /** The organization is deleted while it is in use. */
  readonly deletions: boolean
  /** Another organization with the same names. */
  readonly neighbours: boolean
  /** Two gateways, and users that write over REST. */
  readonly gateways: boolean
  /** Objects as an earlier version of the operator stored them. */
  readonly upgrades: boolean
  /** Definitions, values and registries that want what others have. */
  readonly equals: boolean
  /** Users that follow environments at the gateways. */
  readonly streams: boolean
  /** Deployments over REST that are planned before. */
  readonly plans: boolean
  /** Requests of further operations of the REST API. */
  readonly operations: boolean
  /** ResourceQuotas, which the API server enforces. */
  readonly limits: boolean
  /** Classes of resources, and more resources that come along with others. */
  readonly classes: boolean
  /** Workloads of all kinds, with variables from what they depend on. */
  readonly pods: boolean
  /** Sets that are deployed again at the end, and versions that are registered then. */
  readonly returns: boolean
  /** Processes whose clock is set forward and back. */
  readonly clocks: boolean
}

/** Added to a seed for the choice of the later parts: with it, the seeds that find former defects have none of them. */
const laterSeeds = {
  others: 1_438_000,
  latest: 2_049_500,
  newest: 4_047_507,
  further: 8_802_175,
  rest: 9_491_554,
}

/** The later parts have separate choices, so that runs without them stay as they were. */
export function featuresOf(seed: number, random: Random): Features {
  const [others, latest, newest, further, rest] = [
    createRandom(seed + laterSeeds.others),
    createRandom(seed + laterSeeds.latest),
    createRandom(seed + laterSeeds.newest),
    createRandom(seed + laterSeeds.further),
    createRandom(seed + laterSeeds.rest),
  ]
  const hasNewest = newest.chance(0.6)
  const later = laterFeatures(others)
  const first = firstFeatures(random)
  return {
    ...first,
    ...later,
    custom: first.custom || later.wrappers || later.types,
    quotas: first.quotas || later.allQuotas,
    gateways: latest.chance(0.4),
    upgrades: latest.chance(0.25),
    equals: newest.chance(0.5) && hasNewest,
    streams: newest.chance(0.6) && hasNewest,
    plans: newest.chance(0.7) && hasNewest,
    operations: further.chance(0.6),
    ...restFeatures(rest),
  }
}

function restFeatures(random: Random) {
  const hasSome = random.chance(0.6)
  const has = (probability: number) => random.chance(probability) && hasSome
  return { limits: has(0.5), classes: has(0.6), pods: has(0.6), returns: has(0.6), clocks: has(0.4) }
}

/** The features of the other organization: what several may have. */
export function neighbourFeatures(features: Features): Features {
  const none = {
    places: false,
    images: false,
    custom: false,
    wrappers: false,
    types: false,
    deletions: false,
  }
  return { ...features, ...none, neighbours: false }
}

function laterFeatures(random: Random) {
  const hasSome = random.chance(0.6)
  const has = (probability: number) => random.chance(probability) && hasSome
  return {
    rights: has(0.3),
    wrappers: has(0.5),
    types: has(0.4),
    settings: has(0.4),
    finalizers: has(0.4),
    allQuotas: has(0.3),
    deletions: has(0.2),
    neighbours: has(0.3),
  }
}

function firstFeatures(random: Random) {
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
