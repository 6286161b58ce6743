import type { Reason } from '../../api/reasons/reasons.ts'
import type { ResourceDefinition } from '../../api/resource-definition.ts'
import type { FreeForm } from '../../api/schema.ts'
import { Problem } from '../base/errors.ts'
import type { ObjectProblem } from '../base/object-problem.ts'
import { type FoundPlaceholder, findPlaceholders } from '../placeholder/placeholder.ts'
import { parseReference, type Reference } from '../resource/descriptor.ts'
import { malformedSecret, malformedSecretLeaves, secretLeavesWithoutName } from '../secret/secret-inputs.ts'

const maxShown = 10

/**
 * The texts of a definition that no deployment can use, because they cannot be parsed; each with its place, and at most ten.
 * A name that a placeholder does not know is a problem of the deployment.
 */
export function malformedTexts({
  driverInputs,
  provision = {},
}: ResourceDefinition['spec']): ObjectProblem[] {
  const { values = {}, secretRefs = {} } = driverInputs ?? {}
  const problems: ObjectProblem[] = []
  placeholdersIn(values, 'driver inputs', problems)
  for (const at of malformedSecretLeaves(secretRefs))
    problems.push({ reason: 'InvalidPlaceholder', message: `secret input '${at}' ${malformedSecret}` })
  problems.push(...namelessSecrets(secretRefs, ''))
  for (const [key, { params }] of Object.entries(provision)) {
    referenceIn(key, '', problems)
    placeholdersIn(params ?? {}, `provision '${key}'`, problems)
  }
  const more = problems.length - maxShown
  if (more <= 0) return problems
  const [{ reason } = { reason: 'InvalidPlaceholder' as const }] = problems.slice(maxShown)
  return [...problems.slice(0, maxShown), { reason, message: `and ${more} more` }]
}

/** The placeholders in a value. Each text that cannot be parsed becomes a problem. */
export function placeholdersIn(
  value: unknown,
  where: string,
  problems: ObjectProblem[],
  roots?: readonly string[],
): FoundPlaceholder[] {
  const report = (problem: unknown) => problems.push(problemFrom(problem, 'InvalidPlaceholder', where))
  try {
    return findPlaceholders(value, { ...(roots ? { roots } : {}), report })
  } catch (error) {
    report(error)
    return []
  }
}

/** A reference of `provision`; undefined, and a problem, if it cannot be parsed. */
export function referenceIn(key: string, owner: string, problems: ObjectProblem[]): Reference | undefined {
  try {
    return parseReference(key)
  } catch (error) {
    problems.push(problemFrom(error, 'InvalidReference', owner))
    return undefined
  }
}

/** The secret inputs that name a key, but no Secret. */
export function namelessSecrets(refs: FreeForm, owner: string): ObjectProblem[] {
  return secretLeavesWithoutName(refs).map((at) => ({
    reason: 'InvalidReference',
    message: `${owner}secret input '${at}' has a 'key', but no 'secret'`,
  }))
}

/** The problem that an error describes; throws errors of another kind. */
export function problemFrom(error: unknown, reason: Reason, where: string): ObjectProblem {
  if (error instanceof Problem)
    return { reason, message: where === '' ? error.message : `${where}: ${error.message}` }
  throw error
}
