import type { Environment } from '../../../operator/api/environment.ts'
import type { Content, Part } from './contents.ts'
import type { Definer } from './definitions/define.ts'
import type { Definition } from './definitions/definition.ts'
import type { SecretName, types } from './definitions/definitions.ts'
import type { TypeForm } from './definitions/types.ts'

/** What is wrong with an answer of the driver outside the cluster. */
export const driverFaults = ['refusal', 'failure', 'break', 'lost answer', 'in progress'] as const
export type DriverFault = (typeof driverFaults)[number]

/** What is wrong with an answer of the API server to the operator. */
export const apiFaults = ['break', 'lost answer', 'too many', 'failure', 'unavailable'] as const
export type ApiFault = (typeof apiFaults)[number]

/** `GitOps` applies Workloads, which are deployed when they have settled. */
export type Door = 'kubectl' | 'REST' | 'GitOps'
/** A door for single changes. */
export type DirectDoor = Exclude<Door, 'GitOps'>

/** A deployment to an environment. */
export interface Deploy {
  readonly do: 'deploy'
  readonly content: Content
  /** What of the content it brings; it leaves the rest to other doors. */
  readonly part: Part
  /** Not of Workloads, which are neither. */
  readonly as: 'set' | 'delta'
  readonly mode: 'incremental' | 'full'
  readonly door: Door
  readonly isAwaited: boolean
}

/** What an environment says about its pods. */
export type RunSettings = Pick<Environment['spec'], 'paused' | 'replicas' | 'restartTimes'>

/** Something that happens to an organization or to one of its environments. */
export type Step =
  | { readonly do: 'define'; readonly definition: Definition; readonly by: Definer }
  | { readonly do: 'undefine'; readonly name: string; readonly door: DirectDoor }
  | { readonly do: 'rotate'; readonly secret: SecretName; readonly to: number }
  | { readonly do: 'set value'; readonly to: string; readonly door: DirectDoor }
  | { readonly do: 'set secret value'; readonly to: number; readonly door: DirectDoor }
  | { readonly do: 'set credentials'; readonly to: number; readonly door: DirectDoor }
  | { readonly do: 'override value'; readonly to: string | null }
  | { readonly do: 'run'; readonly settings: RunSettings }
  | { readonly do: 'register'; readonly secret: 'login' | 'token' | null }
  | { readonly do: 'limit'; readonly secrets: number | null }
  | Close
  | Deploy
  | { readonly do: 'delete resource'; readonly at: number; readonly door: DirectDoor }
  | { readonly do: 'tamper'; readonly at: number; readonly to: string }
  | { readonly do: 'delete object'; readonly at: number }
  | { readonly do: 'change object'; readonly at: number }
  | { readonly do: 'delete namespace'; readonly at: number }
  | { readonly do: 'lose outputs'; readonly at: number }
  | { readonly do: 'change record'; readonly at: number }
  | Retype
  | { readonly do: 'remove supply'; readonly at: number; readonly door: DirectDoor }
  | { readonly do: 'restore supplies' }
  | Misbehave
  | BreakWatches
  | { readonly do: 'delete deployment'; readonly at: number }
  | DeleteEnvironment
  | { readonly do: 'withdraw' }
  | { readonly do: 'end operator'; readonly isOrderly: boolean }
  | { readonly do: 'wait' }

/** Faults of the next answers. */
export interface Misbehave {
  readonly do: 'misbehave'
  readonly driver: readonly DriverFault[]
  readonly api: readonly ApiFault[]
}

/** The operators and the gateway lose their watches, and must list again if the API server no longer has what happened since. */
export interface BreakWatches {
  readonly do: 'break watches'
  readonly isExpired: boolean
}

/** The cluster administrator closes a namespace for the organization. */
export interface Close {
  readonly do: 'close'
  readonly namespace: string
}

/** A type of the organization changes. */
export interface Retype {
  readonly do: 'retype'
  readonly type: (typeof types)[number]
  readonly form: TypeForm
  readonly door: DirectDoor
}

/** The environment ends and is made again, of the type `next`. */
export interface DeleteEnvironment {
  readonly do: 'delete environment'
  readonly next: 'development' | 'production'
  readonly door: DirectDoor
}
