import type { FreeForm } from '../../../operator/api/schema.ts'
import type { Journal } from '../journal.ts'
import { customDriver, twinDriver } from '../users/names.ts'

/** What a provider has for a resource. */
export interface Instance {
  readonly values: FreeForm
  readonly secrets: FreeForm
}

/** What a receiver of webhooks got. */
export interface Delivery {
  readonly id: string
  readonly url: string
  /** Namespace and name of the webhook. */
  readonly webhook: string
  /** Milliseconds since the start of the run. */
  readonly at: number
  readonly event: string
  readonly deploymentKey: string
  readonly status: string
  readonly triggeredAt: string
}

/** Each driver has instances of a resource, one in each zone; two drivers at one address have the same. */
export function instanceKey(guResId: string, driverType: string, zone: unknown): string {
  const name = driverType.slice(driverType.indexOf('/') + 1)
  return `${guResId}/${name === twinDriver ? customDriver : name}/${String(zone)}`
}

/** All that is outside the cluster: the instances of providers, the cookies of drivers, and receivers of webhooks. */
export class Outside {
  /** By `instanceKey`. */
  readonly instances = new Map<string, Instance>()
  /** The cookie that the next call for an instance must have. */
  readonly cookies = new Map<string, string>()
  /** Instances whose cookie is being written: a crash can lose it. */
  readonly uncertainCookies = new Set<string>()
  /** Resources that were deleted without their instances and objects. */
  readonly detached = new Set<string>()
  readonly deliveries: Delivery[] = []
  /** The resources of the calls that changed something, in their order. */
  readonly calls: string[] = []
  readonly #journal: Journal
  readonly #versions = new Map<string, number>()

  constructor(journal: Journal) {
    this.#journal = journal
  }

  make(key: string, instance: Instance): void {
    const [guResId = ''] = key.split('/')
    const version = Number(instance.values.version)
    const newest = this.#versions.get(guResId) ?? 0
    if (version < newest)
      this.#journal.violation(
        'A resource is never provisioned with inputs that are older than those before.',
        `ActiveResource ${guResId}`,
        `version ${version} after ${newest} at ${key}`,
      )
    this.#versions.set(guResId, version)
    this.instances.set(key, instance)
    this.calls.push(guResId)
  }

  remove(key: string): void {
    const [guResId = ''] = key.split('/')
    this.instances.delete(key)
    this.calls.push(guResId)
    // A resource that is made anew may have another definition, also an older one.
    if (this.keysOf(guResId).length === 0) this.#versions.delete(guResId)
  }

  /** The keys of the instances of a resource. */
  keysOf(guResId: string): string[] {
    return [...this.instances.keys()].filter((key) => key.startsWith(`${guResId}/`)).sort()
  }

  /** What the instances of a resource were made with, as text. */
  inputsOf(guResId: string): string {
    return JSON.stringify(this.keysOf(guResId).map((key) => this.instances.get(key)))
  }

  /** Forgets a resource whose instances its user keeps. */
  forget(guResId: string): void {
    this.detached.add(guResId)
    for (const known of [this.instances, this.cookies])
      for (const key of known.keys()) if (key.startsWith(`${guResId}/`)) known.delete(key)
  }
}
