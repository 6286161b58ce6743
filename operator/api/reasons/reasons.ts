import { string, unsafe } from '../schema.ts'
import { deploymentReasons } from './deployments.ts'
import { objectReasons } from './objects.ts'
import { progressReasons } from './progress.ts'
import { provisioningReasons } from './provisioning.ts'
import { rolloutReasons } from './rollouts.ts'

/** The groups of reasons; each reason is in one of them. */
export const reasonGroups = [
  progressReasons,
  objectReasons,
  deploymentReasons,
  provisioningReasons,
  rolloutReasons,
]

/** All reasons of conditions, events and problems, with what they mean and what to do. */
export const reasons = {
  ...progressReasons,
  ...objectReasons,
  ...deploymentReasons,
  ...provisioningReasons,
  ...rolloutReasons,
}

/** The reason of a condition, an event or a problem. */
export type Reason = keyof typeof reasons

/** Characters of a reason at most. */
export const longestReason = 63

/** Field `reason` of a condition or a problem; not a closed list, so that a cluster keeps reasons of other versions. */
export const reasonField = unsafe<Reason>(
  string('Why, as one CamelCase word; docs/reasons.md explains each.', { maxLength: longestReason }),
)
