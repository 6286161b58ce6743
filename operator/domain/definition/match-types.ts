import type { ResourceContext } from '../../api/active-resource.ts'
import type { Criterion, ResourceDefinition } from '../../api/resource-definition.ts'
import type { CriterionKey } from './criterion.ts'

/** The resource that needs a definition. */
export interface MatchRequest {
  readonly type: string
  readonly class: string
  readonly resourceId: string
  readonly context: ResourceContext
}

/** The value of a resource that each key of a criterion is compared with. */
export const comparedValue: Readonly<Record<CriterionKey, (request: MatchRequest) => string>> = {
  envType: ({ context }) => context.environmentType,
  appId: ({ context }) => context.applicationId,
  envId: ({ context }) => context.environmentId,
  resId: ({ resourceId }) => resourceId,
  class: ({ class: resourceClass }) => resourceClass,
}

/** A definition that was not chosen, and why. */
export interface Candidate {
  readonly definitionName: string
  readonly criterion: Criterion | undefined
  readonly reason: string
}

/** The chosen definition. */
export interface WonMatch {
  readonly definition: ResourceDefinition
  /** The criterion that decided, in its normal form. */
  readonly criterion: Criterion
  readonly rank: number
  readonly explanation: string
}

/** No definition fits. */
export interface NoMatch {
  readonly definition: undefined
  readonly explanation: string
  /** The definitions that come nearest. */
  readonly candidates: readonly Candidate[]
  /** The number of candidates that are not listed. */
  readonly more: number
}

export type Match = WonMatch | NoMatch
