import type { ResourceContext } from '../api/active-resource.ts'
import type { KubeObject } from '../api/kind.ts'
import type { FreeForm } from '../api/schema.ts'
import type { DriverDescriptor } from '../domain/driver.ts'
import type { NeighbourValue } from '../domain/inputs.ts'

/** Which resource a driver is asked about. */
interface Subject {
  readonly guResId: string
  readonly context: ResourceContext
  readonly type: string
  readonly class: string
  readonly resourceId: string
  /** Aborted when the deadline of the call has passed. */
  readonly signal: AbortSignal
}

/** Everything a driver may look at; placeholders are resolved and the inputs fit the descriptor's schema. */
export interface ProvisionRequest extends Subject {
  readonly values: FreeForm
  readonly secrets: FreeForm
  /** What the users of the resource gave. */
  readonly params: FreeForm
  readonly neighbours: Readonly<Record<string, readonly NeighbourValue[]>>
  /** Namespace of the environment, for objects that the resource is made of. */
  readonly namespace: string
}

/** What stands after a provision. */
export interface Provisioned {
  readonly outputs: { readonly values: FreeForm; readonly secrets: FreeForm }
  /** Objects to be applied to the cluster; those of an earlier provision that are missing here are taken away. */
  readonly objects: readonly KubeObject[]
  /** What a deprovision will need to know; never secret. */
  readonly identity?: FreeForm
}

/** What a deprovision works from: nothing but what was remembered. */
export interface DeprovisionRequest extends Subject {
  readonly identity: FreeForm
}

/**
 * The hands. Both calls are safe to repeat: a provision adopts what an earlier, perhaps interrupted one made, and a
 * deprovision of what is gone succeeds. Throws Stalled when a person must act, Waiting when something must come
 * first, anything else to be tried again.
 */
export interface Driver {
  readonly descriptor: DriverDescriptor
  provision(request: ProvisionRequest): Promise<Provisioned>
  deprovision(request: DeprovisionRequest): Promise<void>
}
