import { problemOfHeaders } from '../domain/deployment/headers.ts'
import { InvalidHeader } from './errors.ts'

/** The headers of a call by lower-case name; throws InvalidHeader for one that must not be sent. */
export function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const problem = problemOfHeaders(headers)
  if (problem !== undefined) throw new InvalidHeader(problem)
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
