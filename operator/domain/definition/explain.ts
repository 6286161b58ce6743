import type { ResourceContext } from '../../api/active-resource.ts'
import { Problem } from '../base/errors.ts'
import { didYouMean } from '../base/nearest.ts'
import {
  type Descriptor,
  defaultClass,
  formatDescriptor,
  formatReference,
  problemOfDescriptor,
  splitTypeAndClass,
} from '../resource/descriptor.ts'
import { guResId, workloadOf, workloadResourceId } from '../resource/identity.ts'
import { resolveOverride } from '../resource/override.ts'
import type { ResourceTypeInfo } from '../resource/type-info.ts'
import { implicitTypes, workloadType } from '../resource/types.ts'
import type { WonMatch } from './match-types.ts'
import type { Matcher } from './matching.ts'
import type { RankedCandidate } from './near-misses.ts'

/** A question for the definition of a resource. */
export interface ExplainQuestion {
  /** A type, or `type.class`. */
  readonly type: string
  readonly class?: string
  /** Resource ID. Defaults to the type for implicit types. */
  readonly resourceId?: string
}

/** The definition that provisions a resource, and why the others do not. */
export interface MatchExplanation {
  /** The requested type, if an override of the organization replaces it. */
  readonly requestedType?: string
  /** The Resource ID is empty if none was given. Then no criterion with `res_id` matches. */
  readonly descriptor: Descriptor
  readonly text: string
  /** Absent without a Resource ID. */
  readonly guResId?: string
  readonly match: WonMatch | undefined
  readonly candidates: readonly RankedCandidate[]
  /** The number of candidates that are not listed. */
  readonly more: number
  readonly explanation: string
}

const maxListed = 1000

/** Explains the match by the same rules that a deployment uses. */
export function explainMatch(
  question: ExplainQuestion,
  environment: {
    readonly context: ResourceContext
    readonly matcher: Matcher
    readonly types: readonly ResourceTypeInfo[]
    /** Whether the environment has a resource of exactly this type, because a definition refers to it. */
    hasResource?(descriptor: Descriptor): boolean
  },
): MatchExplanation {
  const { context, matcher, types } = environment
  const asked = askedFor(question)
  const type = expand(asked, environment)
  const descriptor = { ...asked, type }
  const { resourceId } = descriptor
  const match = matcher.match({ ...descriptor, context })
  const losers = matcher.candidatesFor({ ...descriptor, context })
  const isKnown = match.definition || losers.length > 0 || types.some((each) => each.type === type)
  return {
    requestedType: type === asked.type ? undefined : asked.type,
    descriptor,
    text: resourceId === '' ? formatReference({ type, class: asked.class }) : formatDescriptor(descriptor),
    guResId: resourceId === '' ? undefined : guResId(context, descriptor),
    match: match.definition ? match : undefined,
    candidates: losers.slice(0, maxListed),
    more: Math.max(0, losers.length - maxListed),
    explanation: [
      isKnown ? match.explanation : `resource type '${type}' is not known${hintFor(type, types)}`,
      ...(type === asked.type ? [] : [`a need of type '${asked.type}' means '${type}'`]),
    ].join('; '),
  }
}

function askedFor({ type: text, class: given, resourceId: givenId = '' }: ExplainQuestion): Descriptor {
  const { type, class: inType } = splitTypeAndClass(text)
  if (given !== undefined && inType !== undefined && given !== inType)
    throw new Problem('Invalid', `class '${given}' is not the class of type '${text}'`)
  const resourceClass = given ?? inType ?? defaultClass
  const resourceId = givenId === '' && isImplicit(type) ? type : givenId
  const problem = problemOfDescriptor({ type, class: resourceClass, resourceId: resourceId || undefined })
  if (problem) throw new Problem('Invalid', problem)
  return { type, class: resourceClass, resourceId }
}

function isImplicit(type: string): boolean {
  return implicitTypes.some((each) => each === type)
}

/** Overrides apply to the needs of workloads, not to references, implicit resources and workloads themselves. */
function expand(
  descriptor: Descriptor,
  { context, matcher, types, hasResource }: Parameters<typeof explainMatch>[1],
): string {
  const { type, resourceId } = descriptor
  if (isImplicit(type) && resourceId === type) return type
  if (type === workloadType && (resourceId === '' || isWorkload(resourceId))) return type
  const override = resolveOverride(type, {
    organizationId: context.organizationId,
    isType: (name) => types.some((each) => each.type === name),
    hasDefinitionOf: (name) => matcher.hasDefinitionOf(name),
  })
  return override !== type && resourceId !== '' && hasResource?.(descriptor) ? type : override
}

function isWorkload(resourceId: string): boolean {
  const workload = workloadOf(resourceId)
  return workload !== undefined && resourceId === workloadResourceId(workload)
}

function hintFor(type: string, types: readonly ResourceTypeInfo[]): string {
  return didYouMean(
    type,
    types.map((each) => each.type),
  )
}
