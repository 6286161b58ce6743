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
import type { WonMatch } from './match.ts'
import type { Matcher } from './matching.ts'
import type { RankedCandidate } from './near-misses.ts'

/** What somebody wants to know the definition of. */
export interface ExplainQuestion {
  /** A type, or `type.class`. */
  readonly type: string
  readonly class?: string
  /** Resource ID; for an implicit type, its name when absent. */
  readonly resourceId?: string
}

/** Which definition provisions a resource, and why no other does. */
export interface MatchExplanation {
  /** The type as it was asked for, where the organization's override stands for it. */
  readonly requestedType?: string
  /** Its Resource ID is empty where none was given: then no criterion with `res_id` fits. */
  readonly descriptor: Descriptor
  readonly text: string
  /** Absent without a Resource ID. */
  readonly guResId?: string
  readonly match: WonMatch | undefined
  readonly candidates: readonly RankedCandidate[]
  /** How many candidates there are beside those listed. */
  readonly more: number
  readonly explanation: string
}

const maxListed = 1000

/** Answers with the rules that a deployment to this context follows. */
export function explainMatch(
  question: ExplainQuestion,
  around: {
    readonly context: ResourceContext
    readonly matcher: Matcher
    readonly types: readonly ResourceTypeInfo[]
  },
): MatchExplanation {
  const { context, matcher, types } = around
  const asked = askedFor(question)
  const type = expand(asked, around)
  const descriptor = { ...asked, type }
  const { resourceId } = descriptor
  const match = matcher.match({ ...descriptor, context })
  const losers = matcher.candidatesFor({ ...descriptor, context })
  const isKnown = match.definition || losers.length > 0 || types.some((each) => each.type === type)
  return {
    ...(type === asked.type ? {} : { requestedType: asked.type }),
    descriptor,
    text: resourceId === '' ? formatReference({ type, class: asked.class }) : formatDescriptor(descriptor),
    ...(resourceId === '' ? {} : { guResId: guResId(context, descriptor) }),
    match: match.definition ? match : undefined,
    candidates: losers.slice(0, maxListed),
    more: Math.max(0, losers.length - maxListed),
    explanation: [
      isKnown ? match.explanation : `resource type '${type}' is not known${hintFor(type, types)}`,
      ...(type === asked.type ? [] : [`'${asked.type}' in the needs of a workload means '${type}'`]),
    ].join('; '),
  }
}

function askedFor({ type: text, class: given, resourceId: givenId = '' }: ExplainQuestion): Descriptor {
  const { type, class: inType } = splitTypeAndClass(text)
  if (given !== undefined && inType !== undefined && given !== inType)
    throw new Problem('Invalid', `class '${given}' is not the class of type '${text}'`)
  const resourceClass = given ?? inType ?? defaultClass
  const resourceId = givenId === '' && isImplicit(type) ? type : givenId
  const problem = problemOfDescriptor({
    type,
    class: resourceClass,
    ...(resourceId === '' ? {} : { resourceId }),
  })
  if (problem) throw new Problem('Invalid', problem)
  return { type, class: resourceClass, resourceId }
}

function isImplicit(type: string): boolean {
  return implicitTypes.some((each) => each === type)
}

/** Implicit resources and workloads are of their built-in type; anything else is read as a workload's need. */
function expand(
  { type, resourceId }: Descriptor,
  { context, matcher, types }: Parameters<typeof explainMatch>[1],
): string {
  if (isImplicit(type) && resourceId === type) return type
  if (type === workloadType && (resourceId === '' || isWorkload(resourceId))) return type
  return resolveOverride(type, {
    organizationId: context.organizationId,
    isType: (name) => types.some((each) => each.type === name),
    hasDefinitionOf: (name) => matcher.hasDefinitionOf(name),
  })
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
