import type { ResourceContext } from '../api/active-resource.ts'
import type { KubeObject } from '../api/kind.ts'
import type { FreeForm } from '../api/schema.ts'
import type { NeighbourValue } from '../domain/graph/inputs.ts'
import type { PodParts } from '../domain/rendering/pod-parts.ts'
import type { DriverDescriptor } from '../domain/resource/driver.ts'
import type { AnswerHold } from '../outbound/answer-hold.ts'

/** The resource of a call. */
interface Subject {
  readonly guResId: string
  readonly context: ResourceContext
  readonly type: string
  readonly class: string
  readonly resourceId: string
  /** Aborted when the deadline of the call has passed. */
  readonly signal: AbortSignal
}

/** Data that a driver receives again at its next call for the resource; stored in a Secret. */
export interface Cookie {
  read(): Promise<string | undefined>
  /** Resolves when it is stored; undefined deletes it. */
  write(text: string | undefined): Promise<void>
}

/** The data of a provision; placeholders are resolved and the inputs fit the descriptor's schema. */
export interface ProvisionRequest extends Subject {
  readonly values: FreeForm
  readonly secrets: FreeForm
  /** Credentials of the definition's account. */
  readonly account?: FreeForm
  /** Parameters of the users of the resource. */
  readonly params: FreeForm
  /** JSON pointers to the texts in `params` that contain secrets; a workload's alone may have them. */
  readonly secretParams?: readonly string[]
  readonly neighbours: Readonly<Record<string, readonly NeighbourValue[]>>
  /** What the dependencies of a workload add to its pods; absent when they add nothing. */
  readonly parts?: readonly PodParts[]
  /** Namespace of the environment, for the objects of the resource. */
  readonly namespace: string
  /** For drivers whose descriptor asks for one. */
  readonly cookie?: Cookie
  /** For a driver whose result has the text of an answer; ended when the result is no longer needed. */
  readonly hold?: AnswerHold
}

/** A reference to an object in the environment's namespace. */
export type ObservedReference = Pick<KubeObject, 'apiVersion' | 'kind'> & { readonly name: string }

export interface Outputs {
  readonly values: FreeForm
  readonly secrets: FreeForm
}

/** The result of a provision. */
export interface Provisioned {
  readonly outputs: Outputs
  /** Objects to apply; those of an earlier provision that are missing here are deleted. */
  readonly objects: readonly KubeObject[]
  /** Host names to reserve for the organization, such as `shop.example.com`; no other organization can use them. */
  readonly reservedHosts?: readonly string[]
  /** Further objects for `outputsFrom`, of other owners, in the environment's namespace. */
  readonly observed?: Readonly<Record<string, ObservedReference>>
  /**
   * Replaces `outputs` when they depend on objects: called after all are applied, with the objects as they are in the
   * cluster, in the order of `objects`; an observed object that does not exist is undefined. Throws Waiting until the
   * objects suffice.
   */
  outputsFrom?(
    objects: readonly KubeObject[],
    observed: Readonly<Record<string, KubeObject | undefined>>,
  ): Promise<Outputs>
  /** Whether the objects of an earlier provision stay until the outputs are known. */
  readonly keepsEarlier?: boolean
}

/** The data of a deprovision, all from the resource's status. */
export interface DeprovisionRequest extends Subject {
  /** The result of `identify` at the provision. */
  readonly identity: FreeForm
  /** Current credentials of the account of the provision. */
  readonly account?: FreeForm
  /** Identity of the replacement by the same driver: what both share is kept. */
  readonly successor?: FreeForm
  /** For drivers whose descriptor asks for one; deleted after the call. */
  readonly cookie?: Cookie
}

/** A provider's verdict on credentials. */
export interface AccountCheck {
  readonly accepted: boolean
  /** Why they are not accepted, or what could not be checked. */
  readonly message?: string
  /** The identity of the credentials. */
  readonly fields?: { readonly id: string; readonly description: string; readonly value: string }[]
}

/**
 * A driver. Both calls are idempotent: a provision adopts what an earlier, perhaps interrupted one made, and a
 * deprovision of a deleted resource succeeds. Throws Stalled when a person must act, Waiting when something else must
 * happen first, any other error to retry with back-off.
 */
export interface Driver {
  readonly descriptor: DriverDescriptor
  /** The data that a deprovision needs, without secrets; called before anything is made. Empty when absent. */
  identify?(request: ProvisionRequest): FreeForm | Promise<FreeForm>
  /** Whether a provision of these inputs reads or writes the cookie; asked of drivers that keep one. Yes when absent. */
  needsCookie?(request: ProvisionRequest): boolean
  provision(request: ProvisionRequest): Promise<Provisioned>
  deprovision(request: DeprovisionRequest): Promise<void>
  /** Checks the credentials of an account with the provider; throws when the provider cannot be reached. */
  checkAccount?(credentials: FreeForm, signal: AbortSignal): Promise<AccountCheck>
}

/** Receives each call of a driver that has ended. */
export interface DriverCalls {
  ended(
    driver: string,
    operation: 'provision' | 'deprovision',
    result: 'succeeded' | 'waiting' | 'failed',
    seconds: number,
  ): void
}
