import type { FreeForm } from '../../api/schema.ts'
import { Problem } from '../base/errors.ts'
import { isDeeperThan, pointerSteps } from '../base/json.ts'
import { didYouMean } from '../base/nearest.ts'
import { shortenMessage } from '../base/size-limits.ts'
import { formatPath } from '../placeholder/template.ts'
import { schemaProblems } from '../schema/user-schema.ts'
import { type ScoreDocument, scoreFields, scoreSchema } from './score-schema.ts'

/** A place in the text of a file, counted from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Finds the position of the value with this path, or of the nearest value around it. */
export type Locate = (path: readonly string[]) => Position | undefined

/** What is wrong in a Score document, and where. */
export interface ScoreProblem extends Partial<Position> {
  /** Path of the value, such as `containers.web.image`; empty for the whole document. */
  readonly path: string
  readonly message: string
}

const schema: FreeForm = { ...scoreSchema }
const maxDepth = 100
const maxShown = 5
/** Maximum number of problems that an error lists. */
export const maxListed = 50
const maxLength = 1024

/** A problem of one value. */
export function problemAt(path: readonly string[], message: string, locate?: Locate): ScoreProblem {
  return {
    path: formatPath(path),
    message: shortenMessage(message, maxLength),
    ...locate?.(path),
  }
}

/** The error for problems of one document, which `what` names. */
export function scoreError(what: string, problems: readonly ScoreProblem[]): Problem {
  const shown = problems.slice(0, maxShown).map(formatProblem)
  const more = problems.length > maxShown ? `; and ${problems.length - maxShown} more` : ''
  return new Problem('Invalid', `${what}: ${shown.join('; ')}${more}`, {
    problems: problems.slice(0, maxListed),
  })
}

function formatProblem({ path, message, line, column }: ScoreProblem): string {
  const place = line === undefined ? '' : ` (line ${line}, column ${column})`
  return path === '' ? `${message}${place}` : `'${shortenMessage(path, maxLength)}' ${message}${place}`
}

/** Returns the value as a Score document. Throws a Problem that lists what violates the specification, and where. */
export function checkScore(value: unknown, what: string, locate?: Locate): ScoreDocument {
  if (isDeeperThan(maxDepth, value))
    throw scoreError(what, [problemAt([], `is nested more than ${maxDepth} levels deep`, locate)])
  const problems = schemaProblems(schema, value).map(({ pointer, message, key }) => {
    // A field of another place is no hint for its own name.
    const hint = key === undefined || scoreFields.includes(key) ? '' : didYouMean(key, scoreFields)
    return problemAt(pointerSteps(pointer), `${message.replace('must NOT', 'must not')}${hint}`, locate)
  })
  if (problems.length > 0) throw scoreError(what, problems)
  return value as ScoreDocument // valid by the schema
}
