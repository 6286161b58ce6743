import type { ResourceContext } from '../api/active-resource.ts'
import type { KubeObject } from '../api/kind.ts'
import type { FreeForm } from '../api/schema.ts'
import type { NeighbourValue } from '../domain/graph/inputs.ts'
import type { DriverDescriptor } from '../domain/resource/driver.ts'

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

/** What a driver wants to be told again at its next call for the same resource; kept as a Secret. */
export interface Cookie {
  read(): Promise<string | undefined>
  /** Resolves when it is kept; undefined forgets it. */
  write(text: string | undefined): Promise<void>
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
  /** For drivers whose descriptor says that they keep one. */
  readonly cookie?: Cookie
}

/** Names an object of the environment's namespace. */
export type ObservedReference = Pick<KubeObject, 'apiVersion' | 'kind'> & { readonly name: string }

export interface Outputs {
  readonly values: FreeForm
  readonly secrets: FreeForm
}

/** What stands after a provision. */
export interface Provisioned {
  readonly outputs: Outputs
  /** Objects to be applied to the cluster; those of an earlier provision that are missing here are taken away. */
  readonly objects: readonly KubeObject[]
  /** Host names to reserve for the organization, such as `shop.example.com`; no other organization can use them. */
  readonly reservedHosts?: readonly string[]
  /** Objects that `outputsFrom` looks at besides, made by somebody else in the environment's namespace. */
  readonly observed?: Readonly<Record<string, ObservedReference>>
  /**
   * The outputs, where only objects can tell them: asked after all were applied, with the objects as they are in the
   * cluster, in the order of `objects`; an observed one is undefined while it is not there. Throws Waiting until they
   * tell enough. Takes the place of `outputs`.
   */
  outputsFrom?(
    objects: readonly KubeObject[],
    observed: Readonly<Record<string, KubeObject | undefined>>,
  ): Promise<Outputs>
}

/** What a deprovision works from: nothing but what was remembered. */
export interface DeprovisionRequest extends Subject {
  /** What `identify` said when it was provisioned. */
  readonly identity: FreeForm
  /** Credentials of the account that it was provisioned with, or of what that account is now. */
  readonly account?: FreeForm
  /** Identity of what the same driver made in its place: what both claim stays. */
  readonly successor?: FreeForm
  /** For drivers whose descriptor says that they keep one; forgotten after the call. */
  readonly cookie?: Cookie
}

/** What a provider says of credentials. */
export interface AccountVerdict {
  readonly accepted: boolean
  /** Why not, or what could not be tried. */
  readonly message?: string
  /** Whose credentials they are. */
  readonly fields?: { readonly id: string; readonly description: string; readonly value: string }[]
}

/**
 * The hands. Both calls are safe to repeat: a provision adopts what an earlier, perhaps interrupted one made, and a
 * deprovision of what is gone succeeds. Throws Stalled when a person must act, Waiting when something must come
 * first, anything else to be tried again.
 */
export interface Driver {
  readonly descriptor: DriverDescriptor
  /** What a deprovision will need to know, never secret; asked before anything is made. Nothing when absent. */
  identify?(request: ProvisionRequest): FreeForm | Promise<FreeForm>
  provision(request: ProvisionRequest): Promise<Provisioned>
  deprovision(request: DeprovisionRequest): Promise<void>
  /** Asks the provider whether the credentials of an account are of use; throws when it cannot be asked. */
  checkAccount?(credentials: FreeForm, signal: AbortSignal): Promise<AccountVerdict>
}
