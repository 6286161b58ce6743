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
  /** Credentials of the account, where the definition names one. */
  readonly account?: FreeForm
  /** What the users of the resource gave. */
  readonly params: FreeForm
  /** JSON pointers to the texts in `params` that secrets went into; only a workload's may hold any. */
  readonly secretParams?: readonly string[]
  readonly neighbours: Readonly<Record<string, readonly NeighbourValue[]>>
  /** Namespace of the environment, for objects that the resource is made of. */
  readonly namespace: string
}

/** What stands after a provision. */
export interface Provisioned {
  readonly outputs: { readonly values: FreeForm; readonly secrets: FreeForm }
  /** Objects to be applied to the cluster; those of an earlier provision that are missing here are taken away. */
  readonly objects: readonly KubeObject[]
}

/** What a deprovision works from: nothing but what was remembered. */
export interface DeprovisionRequest extends Subject {
  /** What `identify` said when it was provisioned. */
  readonly identity: FreeForm
  /** Credentials of the account that it was provisioned with, or of what that account is now. */
  readonly account?: FreeForm
  /** Identity of what the same driver made in its place: what both claim stays. */
  readonly successor?: FreeForm
}

/**
 * The hands. Both calls are safe to repeat: a provision adopts what an earlier, perhaps interrupted one made, and a
 * deprovision of what is gone succeeds. Throws Stalled when a person must act, Waiting when something must come
 * first, anything else to be tried again.
 */
export interface Driver {
  readonly descriptor: DriverDescriptor
  /** What a deprovision will need to know, never secret; asked before anything is made. Nothing when absent. */
  identify?(request: ProvisionRequest): FreeForm
  provision(request: ProvisionRequest): Promise<Provisioned>
  deprovision(request: DeprovisionRequest): Promise<void>
}
