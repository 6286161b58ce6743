import type { StoredObject } from '../../../operator/api/kind.ts'
import { sameJson } from '../../../operator/domain/base/json.ts'
import { quotaRefusalIn, type ResourceQuota } from '../../../operator/domain/base/quota.ts'
import { QuotaError } from '../../../operator/kube/client/api-error.ts'
import type { Random } from '../../support/random.ts'
import type { Clock } from '../time/clock.ts'
import { allServed, type Served, servedAs } from './resources.ts'
import type { Storage } from './storage.ts'

interface Parts {
  readonly clock: Clock
  readonly random: Random
  readonly storage: Storage
}

/** All quotas are counted anew this often. */
const recountMs = 300_000
const served = servedAs('ResourceQuota')

/** The name of a kind in a quota. */
export function limitOf({ plural, apiVersion }: Served): string {
  const [group, version] = apiVersion.split('/')
  return version === undefined ? `count/${plural}` : `count/${plural}.${group}`
}

/**
 * The ResourceQuotas of the API server and of the controller of Kubernetes: a create counts at once, also of an object that
 * exists already. Deletions and changes of limits count after seconds.
 */
export class Quotas {
  readonly #parts: Parts
  /** Namespaces that will be counted. */
  readonly #due = new Set<string>()

  constructor(parts: Parts) {
    this.#parts = parts
    parts.storage.follow(({ served: of, type, before, object }) => {
      const { namespace } = object.metadata
      if (namespace === undefined) return
      const isChanged = of === served && type !== 'DELETED' && !sameJson(before?.spec, object.spec)
      if (isChanged || (type === 'DELETED' && of !== served)) this.#countLater(namespace)
    })
    void this.#recount()
  }

  /** Counts a create; throws if a quota has no room. */
  admit(of: Served, namespace: string): void {
    const key = limitOf(of)
    const quotas = this.#in(namespace).filter(({ spec }) => spec?.hard?.[key] !== undefined)
    for (const { metadata, status } of quotas) {
      const [used, hard] = [status?.used?.[key], status?.hard?.[key]]
      if (used === undefined || hard === undefined)
        throw refused(namespace, `status unknown for quota: ${metadata.name}, resources: ${key}`)
      if (Number(used) + 1 > Number(hard))
        throw refused(
          namespace,
          `exceeded quota: ${metadata.name}, requested: ${key}=1, used: ${key}=${used}, limited: ${key}=${hard}`,
        )
    }
    for (const quota of quotas) {
      const used = { ...quota.status?.used, [key]: String(Number(quota.status?.used?.[key]) + 1) }
      this.#write(quota, { ...quota.status, used })
    }
  }

  #in(namespace: string): ResourceQuota[] {
    return this.#parts.storage.list(served, namespace) as ResourceQuota[] // of the kind
  }

  #write(quota: ResourceQuota, status: ResourceQuota['status']): void {
    const after = { ...quota, status } as StoredObject
    if (!sameJson(quota, after)) this.#parts.storage.commit(served, 'MODIFIED', quota, after)
  }

  #countLater(namespace: string): void {
    const { clock, random } = this.#parts
    if (this.#due.has(namespace) || this.#in(namespace).length === 0) return
    this.#due.add(namespace)
    clock.after(50 + random.below(random.chance(0.8) ? 1500 : 8000), () => this.#count(namespace))
  }

  #count(namespace: string): void {
    this.#due.delete(namespace)
    const { storage } = this.#parts
    for (const quota of this.#in(namespace)) {
      const hard = quota.spec?.hard ?? {}
      const kinds = allServed.filter((each) => each.namespaced && limitOf(each) in hard)
      const used = Object.fromEntries(
        kinds.map((each) => [limitOf(each), String(storage.list(each, namespace).length)]),
      )
      this.#write(quota, { hard, used })
    }
  }

  async #recount(): Promise<void> {
    const { clock, storage } = this.#parts
    for (;;) {
      await clock.sleep(recountMs)
      for (const { metadata } of storage.list(served)) this.#count(metadata.namespace ?? '')
    }
  }
}

function refused(namespace: string, text: string): QuotaError {
  const refusal = quotaRefusalIn(text, namespace)
  if (!refusal) throw new Error(`'${text}' is no refusal of a quota`)
  return new QuotaError(namespace, refusal)
}
