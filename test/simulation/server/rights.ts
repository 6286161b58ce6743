import type { StoredMeta, StoredObject } from '../../../operator/api/kind.ts'
import { labels, systemNamespace } from '../../../operator/api/names.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import { namespaceResource } from '../../../operator/kube/client/resource.ts'
import type { Random } from '../../support/random.ts'
import type { Life } from '../process/life.ts'
import type { Clock } from '../time/clock.ts'
import type { ApiServer } from './api-server.ts'
import { type Address, roleBindingResource } from './resources.ts'
import type { Change } from './storage.ts'

const bindingName = 'quartermaster-operator-secrets'
/** The API server applies a new RoleBinding some milliseconds later. */
const mostLateMs = 400

interface Parts {
  readonly clock: Clock
  readonly random: Random
  readonly server: ApiServer
}

/**
 * The rights of the operator to Secrets: none but in its own namespace and where a RoleBinding gives them. The admission policy
 * for RoleBindings is modelled too.
 */
export class Rights {
  readonly #parts: Parts
  readonly #isLimited: boolean
  /** From when on the binding of a namespace is applied. */
  readonly #bound = new Map<string, number>()
  /** Namespaces that have lost their label once. */
  readonly #unlabelled = new Set<string>()
  /** Namespaces that had lost their label, and with it their RoleBinding, when their deletion began: they take no new one. */
  readonly #closed = new Set<string>()
  #isRepaired = false

  /** With `isLimited`, or else the operator may use all Secrets. */
  constructor(parts: Parts, isLimited: boolean) {
    this.#parts = parts
    this.#isLimited = isLimited
    const { clock, random, server } = parts
    server.storage.follow(({ served, type, before, object: { metadata } }) => {
      if (served === namespaceResource) this.#noteEnd(type, before, metadata)
      if (served !== roleBindingResource || metadata.name !== bindingName) return
      const { namespace = '' } = metadata
      if (type === 'DELETED') this.#bound.delete(namespace)
      else if (type === 'ADDED') this.#bound.set(namespace, clock.now + random.below(mostLateMs))
    })
  }

  isAllowed(namespace: string): boolean {
    if (!this.#isLimited || namespace === systemNamespace) return true
    if (this.#isRepaired && this.#closed.has(namespace)) return true
    return (this.#bound.get(namespace) ?? Number.POSITIVE_INFINITY) <= this.#parts.clock.now
  }

  /** Does what the documentation asks of administrators: the operator gets a ClusterRoleBinding until these deletions have ended. */
  repair(): void {
    this.#isRepaired = true
  }

  /** Throws for a request that the process has no right to. */
  check(method: string, { served, namespace = '' }: Address, { isGateway }: Pick<Life, 'isGateway'>): void {
    if (isGateway) {
      if (served.kind === 'Secret' && method !== 'POST')
        throw forbidden('the gateway may only create Secrets')
      return
    }
    if (served.kind === 'Secret' && !this.isAllowed(namespace))
      throw forbidden(`secrets is forbidden: User "operator" cannot use resource "secrets" in "${namespace}"`)
    if (served === roleBindingResource && method === 'POST' && !this.#isOpen(namespace))
      throw forbidden(`rolebindings is forbidden: the policy refuses the namespace "${namespace}"`)
  }

  /** The answer to a SelfSubjectAccessReview. */
  review(body: unknown): unknown {
    const { spec } = body as { spec: { resourceAttributes: { namespace: string } } } // of our client
    return { status: { allowed: this.isAllowed(spec.resourceAttributes.namespace) } }
  }

  #noteEnd(type: Change['type'], before: StoredObject | undefined, metadata: StoredMeta): void {
    const { name, labels: given = {}, deletionTimestamp } = metadata
    const isUnlabelled = given[labels.organization] === undefined
    if (isUnlabelled) this.#unlabelled.add(name)
    if (type === 'DELETED') for (const each of [this.#closed, this.#unlabelled]) each.delete(name)
    else if (deletionTimestamp !== undefined && before?.metadata.deletionTimestamp === undefined)
      if (isUnlabelled || (this.#unlabelled.has(name) && !this.#bound.has(name))) this.#closed.add(name)
  }

  #isOpen(namespace: string): boolean {
    const { metadata } = this.#parts.server.current(namespaceResource, undefined, namespace)
    const given = metadata.labels ?? {}
    return [labels.organization, labels.accepts, labels.managedBy].some((each) => given[each] !== undefined)
  }
}

function forbidden(message: string): ApiError {
  return new ApiError(403, 'Forbidden', message)
}
