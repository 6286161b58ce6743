import type { Case } from './case.ts'
import { creationCases } from './creation-cases.ts'
import { errorCases } from './error-cases.ts'
import { inputCases } from './input-cases.ts'
import { removalCases } from './removal-cases.ts'
import { repetitionCases } from './repetition-cases.ts'

/** The contract: all cases, in the order in which they are run. */
export const cases: readonly Case[] = [
  ...creationCases,
  ...repetitionCases,
  ...inputCases,
  ...errorCases,
  ...removalCases,
]
